"""What kind of character a Unicode name stands for, from Python's own tables."""
