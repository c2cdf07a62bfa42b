"""Short notices about airports, to be written out, from vega_datasets' names."""
