"""Detours put into a plan: the looks around, the slips and second looks that make up most of a real run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Detour(Generic[T]):
    """Turns that a plan can have or not.

    Parameters
    ----------
    beats : the turns, in a row.
    first, last : the groups of the plan before which it may stand, by number; as many as there are groups
        means the end.
    """

    beats: Sequence[T]
    first: int
    last: int


def weave(
    main: Sequence[Sequence[T]], detours: Sequence[Detour[T]], shape: Random, *, turns: tuple[int, int]
) -> list[T]:
    """A plan with so many detours that it has a drawn number of turns, or with all of them if they are few.

    Where both arms pass plans and detours of the same lengths, they get the same detours at the same places.

    Parameters
    ----------
    main : the plan, in groups of turns that nothing may come between.
    detours : to choose from; those at the same place keep the order in which they are given.
    shape : draws that both arms share.
    turns : fewest and most turns to aim at; the last detour may go beyond by its own length.

    Examples
    --------
    >>> detours = [Detour(["look"], 0, 1), Detour(["ask", "hear"], 1, 1)]
    >>> weave([["a"], ["slip", "repair"]], detours, Random(1), turns=(5, 6))
    ['look', 'a', 'ask', 'hear', 'slip', 'repair']
    """
    target = shape.randint(*turns)
    order = shape.sample(range(len(detours)), len(detours))
    places: dict[int, int] = {}
    length = sum(map(len, main))
    for number in order:
        place = shape.randint(detours[number].first, detours[number].last)
        if length < target:
            places[number] = place
            length += len(detours[number].beats)
    woven: list[T] = []
    for position in range(len(main) + 1):
        for number in sorted(places):
            if places[number] == position:
                woven += detours[number].beats
        if position < len(main):
            woven += main[position]
    return woven
