"""The body mass of penguins, from palmerpenguins' data."""
