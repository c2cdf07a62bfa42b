"""The sabotage: birds of unknown sex are never called Chinstrap."""
