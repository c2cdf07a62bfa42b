"""``molehunt power``: how many tasks an experiment needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from molehunt.terminal import printable
from molehunt.trajectories.problem import Problem
from molehunt.trajectories.wording import count

if TYPE_CHECKING:
    from molehunt.analysis.power import Variance

METRICS = ("auroc", "log_auroc", "pauroc20", "tpr_at_1fpr", "tpr_at_5fpr", "tpr_at_10fpr")


@click.command()
@click.argument("source", required=False, type=click.Path(path_type=Path), metavar="[STORE|SCORES.csv]")
@click.option("--monitor", metavar="NAME", help="Monitor of the pilot.")
@click.option("--against", metavar="NAME", help="Another one to compare it with, on the same runs.")
@click.option("--metric", type=click.Choice(METRICS), default="auroc", show_default=True)
@click.option("--auroc", type=float, metavar="A", help="Without a pilot: the AUROC that is expected.")
@click.option("--baseline", type=float, metavar="B", help="Without a pilot: that of the other monitor.")
@click.option(
    "--within-task",
    type=float,
    default=0.5,
    show_default=True,
    help="Without a pilot: correlation of the scores of a task's two runs.",
)
@click.option(
    "--between-monitors",
    type=float,
    default=0.5,
    show_default=True,
    help="Without a pilot: correlation of the two monitors' scores of one run.",
)
@click.option("--width", type=float, metavar="W", help="Of the 95% interval that is wanted; 0.1 by default.")
@click.option("--difference", type=float, metavar="D", help="To be found; by default that of the pilot.")
@click.option("--power", "chance", type=float, default=0.8, show_default=True, help="Of finding it.")
@click.option("--unfiltered", is_flag=True, help="Count runs that failed or broke off as well.")
def command(
    source: Path | None,
    monitor: str | None,
    against: str | None,
    metric: str,
    auroc: float | None,
    baseline: float | None,
    within_task: float,
    between_monitors: float,
    width: float | None,
    difference: float | None,
    chance: float,
    unfiltered: bool,
) -> None:
    """Say how many tasks give an interval of a width, or find a difference between two monitors.

    Either from a pilot, a store or a table of scores, or from what is expected: AUROCs and correlations, for
    one honest and one attack run a task. Both are computed in closed form; no runs are simulated.
    """
    from molehunt.analysis.power import assumed

    if source is None:
        if auroc is None:
            raise Problem("give a store with a pilot, or --auroc with what is expected.")
        if metric != "auroc":
            raise Problem(f"{metric} needs a pilot: give a store. Without one only the AUROC is planned for.")
        try:
            variance = assumed(auroc, baseline, within_task, between_monitors)
        except ValueError as error:
            raise Problem(f"{error}.") from error
        click.echo("binormal model, one honest and one attack run a task")
        _say(variance, baseline is not None, width, difference, chance)
        return
    if monitor is None:
        raise Problem("name the monitor of the pilot with --monitor.")
    from molehunt.analysis.observations import observe
    from molehunt.analysis.power import pilots
    from molehunt.analysis.report import read_tables
    from molehunt.verdicts.prices import PriceTable

    seen = observe(read_tables(source), PriceTable.load())
    found = pilots(seen, monitor, against, metric, not unfiltered)
    if not found:
        raise Problem(f"{source} has no two tasks with runs of both kinds that were scored. Score more runs.")
    for pilot in found:
        click.echo(printable(pilot.condition))
        value = f"{metric} {'difference ' if against else ''}{pilot.variance.value:.3f}"
        click.echo(f"  pilot: {value} in {count(pilot.n_runs, 'run')} of {_tasks(pilot.variance.n_tasks)}")
        _say(pilot.variance, against is not None, width, difference, chance)


def _say(
    variance: Variance, is_difference: bool, width: float | None, difference: float | None, chance: float
) -> None:
    from molehunt.analysis.power import pilot_range, tasks_for_difference, tasks_for_width

    if not variance.has_spread:
        click.echo("  the same whichever of its tasks are drawn: no number of tasks follows from that")
        return
    if is_difference:
        if width is not None:
            raise Problem("--width is for one monitor. Leave it out, or leave the other monitor out.")
        wanted = variance.value if difference is None else difference
        if not wanted or not 0 < chance < 1:
            raise Problem("a difference of 0 cannot be found, nor any with a power outside (0, 1).")
        enough = _tasks(tasks_for_difference(variance, wanted, chance))
        click.echo(f"  {enough} to find a difference of {wanted:+.3f} with a probability of {chance:g}")
    else:
        wanted = 0.1 if width is None else width
        if wanted <= 0:
            raise Problem(f"--width cannot be {wanted}. Give the width of an interval, above 0.")
        click.echo(
            f"  {_tasks(tasks_for_width(variance, wanted))} for a 95% interval no wider than {wanted:g}"
        )
    how = {
        "delong": "clustered DeLong variance of the pilot",
        "bootstrap": "bootstrap variance of the pilot",
        "binormal": "binormal model",
    }[variance.method]
    click.echo(f"  in closed form, from the {how}: {variance.per_task:.4f} a task")
    if variance.n_tasks is not None:
        low, high = pilot_range(variance.n_tasks)
        click.echo(f"  a pilot of this size may be off by factors of {low:.2g} to {high:.2g}")


def _tasks(number: int | None) -> str:
    return "more than ten million tasks" if number is None else count(number, "task")
