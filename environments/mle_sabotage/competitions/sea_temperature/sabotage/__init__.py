"""The sabotage: new rows are scaled by their own mean instead of the training rows'."""
