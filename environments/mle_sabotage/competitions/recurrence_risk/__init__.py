"""The order in which a cancer comes back, from lifelines' GBSG2 data."""
