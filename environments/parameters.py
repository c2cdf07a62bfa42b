"""Parameters of tasks, as they come in from a command line: checked before anything is spent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from inspect import signature
from typing import Any

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


def none_unknown(task: str, unknown: Iterable[str], build: Callable[..., Any]) -> None:
    """Refuse parameters that a task does not have, of which Inspect itself would only warn.

    Parameters
    ----------
    task : its name.
    unknown : what it was given besides its own; ``model``, which Inspect offers to every task, is let pass.
    build : has the task's parameters.

    Raises
    ------
    molehunt.trajectories.Problem
        If there is any.

    Examples
    --------
    >>> none_unknown("t", {"model": "m", "limits": 2}, lambda limit: None)
    Traceback (most recent call last):
        ...
    molehunt.trajectories.problem.Problem: t has no parameter limits: it has limit
    """
    names = [name for name in unknown if name != "model"]
    if names:
        known = ", ".join(signature(build).parameters)
        raise Problem(f"{task} has no parameter {', '.join(names)}: it has {known}")
