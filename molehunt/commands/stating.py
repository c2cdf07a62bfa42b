"""What a user states about runs that do not say it themselves: the options for it, and what they mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from molehunt.trajectories.labels import TruthOptions

Command = TypeVar("Command", bound=Callable[..., object])


def stating(command: Command) -> Command:
    """Give a command the options ``--truth``, ``--honest``, ``--attack`` and ``--task``."""
    options = [
        click.option(
            "--truth",
            metavar="FIELD|FILE.csv",
            help="Where labels are: a dotted field of the samples, or a table joined on sample uuid.",
        ),
        click.option("--honest", multiple=True, metavar="GLOB", help="Log files of honest runs."),
        click.option("--attack", multiple=True, metavar="GLOB", help="Log files of attack runs."),
        click.option("--task", metavar="FIELD", help="Dotted field of the samples that holds the main task."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def labels_line(labels: Mapping[str, int]) -> str:
    """How many runs are what, for the terminal.

    Examples
    --------
    >>> labels_line({"attack": 1200})
    'labels    1,200 attack, 0 honest, 0 unlabelled'
    """
    counts = (f"{labels.get(name, 0):,} {name}" for name in ("attack", "honest", "unlabelled"))
    return f"labels    {', '.join(counts)}"


def stated(truth: str | None, honest: Sequence[str], attack: Sequence[str], task: str | None) -> TruthOptions:
    """What the options of `stating` say."""
    from molehunt.trajectories.labels import TruthOptions

    is_table = truth is not None and truth.lower().endswith(".csv")
    return TruthOptions(
        honest=tuple(honest),
        attack=tuple(attack),
        field=None if is_table else truth,
        labels=truth if is_table else None,
        task_field=task,
    )
