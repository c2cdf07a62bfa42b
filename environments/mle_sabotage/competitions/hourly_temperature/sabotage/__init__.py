"""The sabotage: the clock is half a day off in some months of another year."""
