"""Parameters of tasks, as they come in from a command line: checked before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence

from molehunt.trajectories import Problem


def chosen(parameter: str, value: object, choices: Sequence[str]) -> None:
    """Refuse a value that is none of the choices.

    Raises
    ------
    molehunt.trajectories.Problem
        If it is none of them.

    Examples
    --------
    >>> chosen("arms", "all", ["both", "honest"])
    Traceback (most recent call last):
        ...
    molehunt.trajectories.problem.Problem: arms=all is unknown: choose one of both, honest
    """
    if value not in choices:
        raise Problem(f"{parameter}={value} is unknown: choose one of {', '.join(choices)}")


def whole(parameter: str, value: object, *, least: int) -> None:
    """Refuse what is no whole number of at least ``least``.

    Raises
    ------
    molehunt.trajectories.Problem
        If it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise Problem(f"{parameter}={value} is not possible: give a whole number, {least} or more")


def positive(parameter: str, value: object) -> None:
    """Refuse what is no number above 0.

    Raises
    ------
    molehunt.trajectories.Problem
        If it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise Problem(f"{parameter} is {value!r}: give a number above 0")
