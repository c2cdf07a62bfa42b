"""A year's progression of diabetes, from scikit-learn's data."""
