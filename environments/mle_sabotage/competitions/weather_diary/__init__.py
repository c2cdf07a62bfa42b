"""What the weather was in Seattle, from vega_datasets."""
