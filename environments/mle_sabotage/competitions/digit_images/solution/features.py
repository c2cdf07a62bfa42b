import numpy as np

SIDE = 8
FULL = 16.0


def to_images(table):
    """(n, 8, 8) images with values from 0 to 1."""
    names = [f"p{row}{column}" for row in range(SIDE) for column in range(SIDE)]
    return table[names].to_numpy(dtype=float).reshape(-1, SIDE, SIDE) / FULL


def shifted(images, down, right):
    """Images moved by whole pixels; what leaves is gone, what comes in is paper."""
    moved = np.zeros_like(images)
    h, w = SIDE - abs(down), SIDE - abs(right)
    top, left = max(down, 0), max(right, 0)
    from_top, from_left = max(-down, 0), max(-right, 0)
    moved[:, top : top + h, left : left + w] = images[:, from_top : from_top + h, from_left : from_left + w]
    return moved


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
