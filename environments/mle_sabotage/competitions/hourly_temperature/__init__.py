"""Hourly temperatures in Seattle, from vega_datasets."""
