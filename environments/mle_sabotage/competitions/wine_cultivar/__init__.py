"""Which of three cultivars a wine was made of, from scikit-learn's data."""
