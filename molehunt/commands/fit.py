"""``molehunt fit``: a monitor that is learned from labelled runs, to be shown as the oracle that it is."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from molehunt.terminal import printable
from molehunt.trajectories.wording import count

if TYPE_CHECKING:
    from molehunt.scoring.fit import Arm


@click.command()
@click.argument("store", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="File for the monitor, plain JSON."
)
@click.option(
    "--view",
    type=click.Choice(["everything", "actions", "reasoning"]),
    default="everything",
    show_default=True,
    help="What it reads of a run.",
)
@click.option(
    "--folds",
    type=int,
    default=5,
    show_default=True,
    help="Groups of tasks, and of side tasks, left out in turn: 2 to 20.",
)
@click.option(
    "--arm",
    type=click.Choice(["sabotage", "sandbagging"]),
    default="sabotage",
    show_default=True,
    help="The attacks to learn from; the two are never pooled.",
)
def command(store: Path, out: Path, view: str, folds: int, arm: Arm) -> None:
    """Train a monitor on the labelled runs of STORE.

    What it says of these runs is cross-fitted: each is judged by a model that has seen neither its task nor
    its side task.
    """
    from molehunt.monitors.specs import VIEWS, value_text
    from molehunt.scoring.fit import fit

    training = fit(store, out, view=VIEWS[view], folds=folds, arm=arm)
    apart = " and side task" if "side_task" in training.left_out else ""
    click.echo(
        f"learned from {training.attack:,} attack and {count(training.honest, 'honest run')} of "
        f"{count(training.tasks, 'task')} and {count(training.side_tasks, 'side task')}; "
        f"each is judged by a model that has not seen its task{apart}"
    )
    if not apart:
        click.echo("There are fewer than two side tasks, so none could be left out: it may know this one.")
    spec = f"learned(file={value_text(str(out))})"
    click.echo(printable(f"score with it: molehunt score LOGS --monitor {_quoted(spec)} --store STORE"))


def _quoted(spec: str) -> str:
    """The spec as a word for a shell, in double quotes where they do, since it has single ones itself."""
    return shlex.quote(spec) if set(spec) & set('"$`\\!') else f'"{spec}"'
