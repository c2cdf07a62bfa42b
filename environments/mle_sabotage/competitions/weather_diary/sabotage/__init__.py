"""The sabotage: the saved model says sun for rainy days after a date."""
