"""The one private name of Inspect's that we need: an error that its command line shows as one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from inspect_ai._util.error import PrerequisiteError
from rich.markup import escape
from rich.text import Text

from molehunt.trajectories import Problem


class TaskProblem(Problem, PrerequisiteError):
    """A `Problem` for whoever runs a task: `inspect eval` prints its message and no traceback."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = escape(message)  # Inspect prints it through rich, which would eat [brackets]


@contextmanager
def told_by_inspect() -> Iterator[None]:
    """Turn a `Problem` that leaves the block into a `TaskProblem`.

    Examples
    --------
    >>> with told_by_inspect():
    ...     raise Problem("policy 'loud' is unknown")
    Traceback (most recent call last):
        ...
    molehunt.environments.inspect_errors.TaskProblem: policy 'loud' is unknown
    """
    try:
        yield
    except Problem as problem:
        raise TaskProblem(str(problem)) from problem


@contextmanager
def said_by_inspect() -> Iterator[None]:
    """Turn an error that Inspect would print as one line into a `Problem`, without its markup.

    Examples
    --------
    >>> with said_by_inspect():
    ...     raise PrerequisiteError("[bold]No model[/bold] was given.")
    Traceback (most recent call last):
        ...
    molehunt.trajectories.problem.Problem: No model was given.
    """
    try:
        yield
    except PrerequisiteError as error:
        raise Problem(" ".join(Text.from_markup(str(error.message)).plain.split())) from error
