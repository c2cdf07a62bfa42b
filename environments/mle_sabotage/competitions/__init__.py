"""Small Kaggle-style competitions from data that Python packages ship, each with a sabotage of its own."""
