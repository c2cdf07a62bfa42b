import numpy as np

SIDE = 8
FULL = 16.0
GAMMA = 0.03


def to_images(table):
    """(n, 8, 8) images with values from 0 to 1."""
    names = [f"p{row}{column}" for row in range(SIDE) for column in range(SIDE)]
    return table[names].to_numpy(dtype=float).reshape(-1, SIDE, SIDE) / FULL


def blank(images):
    """Images with next to no ink, where the scanner missed the field."""
    return images.sum(axis=(1, 2)) < 1.0


def describe(images):
    """Pixels, their sums by row and column, and edges in both directions."""
    n = len(images)
    across = np.diff(images, axis=2)
    along = np.diff(images, axis=1)
    parts = [
        images.reshape(n, -1),
        images.sum(axis=1) / 4,
        images.sum(axis=2) / 4,
        0.5 * across.reshape(n, -1),
        0.5 * along.reshape(n, -1),
    ]
    return np.concatenate(parts, axis=1)


def similarity(one, other):
    """Of each described image with each of the others: 1 for the same, towards 0 the further apart."""
    squares = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1) - 2 * one @ other.T
    # rounding can make a square a little less than nothing
    return np.exp(-GAMMA * squares.clip(min=0))
