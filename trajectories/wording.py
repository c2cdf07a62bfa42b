"""How counts are put in words, wherever people read them."""

from __future__ import annotations


def count(number: int, noun: str) -> str:
    """A number of things.

    Examples
    --------
    >>> count(1, "task"), count(2000, "run"), count(0, "different trajectory")
    ('1 task', '2,000 runs', '0 different trajectories')
    """
    several = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else several}"
