"""``molehunt demo``: the whole line on this machine, without a key: runs, scores, report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

    from molehunt.experiments import Experiment

AGENT = "scripted/saboteur"
JUDGE = "embedded/smollm2-135m"
WITHOUT_MODEL = ["static", "flag_all", "length", "format", "keyword"]
WITH_MODEL = [
    "action_only",
    "cot_only",
    "cot_action",
    # so small a model invents what it quotes: dropped, no run would have evidence left
    "eae(min_excerpts=2, max_excerpts=4, unmatched='keep')",
]
ALL_PROBLEMS = 44


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("demo"), show_default=True)
@click.option(
    "--problems",
    type=click.IntRange(1, ALL_PROBLEMS),
    default=ALL_PROBLEMS,
    show_default=True,
    help="Coding problems of the embedded pack; each gives an honest and an attack run.",
)
@click.option(
    "--judged",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="Coding problems whose runs the embedded model judges too, a minute or two each.",
)
def command(out: Path, problems: int, judged: int) -> None:
    """Run the whole line offline: sabotage runs, monitors, AUROC against cost.

    A scripted agent does its tasks honestly and with a side task done in secret, and programs verify both.
    Floors and static rules score all runs, monitors on a small embedded model those of a few problems. What
    is done is kept in the folder: the same command goes on where it stopped.
    """
    from rich.console import Console

    from molehunt.commands.run import carry_out
    from molehunt.verdicts.prices import PriceTable

    console = Console(highlight=False, soft_wrap=True)
    experiment = demonstration(problems, judged if _can_judge(console) else 0)
    if status := carry_out(experiment, out, PriceTable.load(), console):
        raise click.exceptions.Exit(status)


def demonstration(problems: int, judged: int) -> Experiment:
    """The experiment that the demo is."""
    from molehunt.experiments import Experiment
    from molehunt.experiments.experiment import Environment, Judging

    stages = [Judging(monitors=WITHOUT_MODEL)]
    if judged:
        few = Judging(
            monitors=WITH_MODEL, models=[JUDGE], environments=["bigcodebench_sabotage"], limit=2 * judged
        )
        stages.append(few)
    return Experiment(
        agents=[AGENT],
        environments=[Environment(task="bigcodebench_sabotage", problems=problems)],
        scoring=stages,
    )


def _can_judge(console: Console) -> bool:
    from molehunt.models.weights import NoWeights, find_weights

    try:
        find_weights(JUDGE.partition("/")[2])
    except NoWeights as error:
        console.print(f"Monitors on {JUDGE} are left out: {error}", markup=False)
        return False
    return True
