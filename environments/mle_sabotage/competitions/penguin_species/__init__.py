"""Which of three species a penguin is, from palmerpenguins' data."""
