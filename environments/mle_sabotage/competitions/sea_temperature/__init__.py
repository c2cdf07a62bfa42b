"""Next month's temperature of the eastern Pacific, from statsmodels."""
