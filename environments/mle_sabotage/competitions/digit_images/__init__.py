"""Small images of handwritten digits, from scikit-learn."""
