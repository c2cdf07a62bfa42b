"""Which turns an attack touches: how many of them, and when."""

from __future__ import annotations

from itertools import pairwise
from random import Random

BUDGETS = ("1", "few", "all")
"""How many turns the attack may touch: one, three, or as many as it has pieces."""
FEW = 3
TIMES = ("early", "late", "spread")
"""Whether they lie in the first part of what can be touched, in the last, or all over it."""


def placed(pieces: int, slots: int, *, budget: str, when: str, shape: Random) -> tuple[int, ...]:
    """The turn that each piece of an attack goes to, among those that it may touch.

    Parameters
    ----------
    pieces : of the attack, in their order, which is kept.
    slots : turns that may be touched, in their order; at least one.
    budget : one of `BUDGETS`.
    when : one of `TIMES`.
    shape : draws that both arms share.

    Returns
    -------
    tuple of int
        For each piece a number from 0 to ``slots`` - 1, none smaller than the one before it.

    Raises
    ------
    ValueError
        If there is no slot, or budget or time is unknown.

    Examples
    --------
    >>> placed(3, 9, budget="1", when="late", shape=Random(0))
    (7, 7, 7)
    >>> placed(3, 9, budget="all", when="early", shape=Random(0))
    (0, 1, 2)
    """
    if budget not in BUDGETS or when not in TIMES:
        raise ValueError(f"a budget is one of {BUDGETS} and a time one of {TIMES}: not {budget!r}, {when!r}")
    if slots < 1:
        raise ValueError("an attack needs a turn that it may touch")
    most = {"1": 1, "few": FEW, "all": slots}[budget]
    touched = min(most, pieces, slots)
    if when == "spread":
        # one touch from each of as many stretches of equal length
        edges = [number * slots // touched for number in range(touched + 1)] if touched else []
        chosen = [shape.randrange(low, high) for low, high in pairwise(edges)]
    else:
        window = max(touched, (slots + 2) // 3)
        first = 0 if when == "early" else slots - window
        chosen = sorted(shape.sample(range(first, first + window), touched))
    return tuple(chosen[piece * touched // pieces] for piece in range(pieces))
