"""Few malignant samples among many benign ones, from scikit-learn's breast cancer data."""
