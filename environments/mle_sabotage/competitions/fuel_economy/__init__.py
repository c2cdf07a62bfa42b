"""Miles per gallon of cars of 1970 to 1982, from vega_datasets."""
