"""The sabotage: the decimals of the predictions carry a message."""
