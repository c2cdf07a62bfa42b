"""The saboteur made by program: whole runs of the built-in competitions in all arms, without a model.

It really executes what it writes. Its handwriting is not a model's, and results on it carry no claim about
models.
"""
