"""The sabotage: predictions come out in another order than the rows."""
