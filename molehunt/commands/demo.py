"""``molehunt demo``: the whole line on this machine, without a key: runs, scores, report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

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


@dataclass(frozen=True)
class Long:
    """A few runs of an environment with long ones: parameters, and what has to be installed."""

    parameters: Mapping[str, Any]
    extra: str
    packages: tuple[str, ...]


LONG = {
    "mle_sabotage": Long(
        {"competitions": "fuel_economy,penguin_species"}, "mle", ("palmerpenguins", "vega_datasets")
    ),
    "shade_arena": Long({"suites": "banking,slack", "problems": 4}, "shade", ("agentdojo",)),
}


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
@click.option(
    "--long/--no-long",
    "with_long",
    default=True,
    help="Also a few long runs: models built for a competition, errands in simulated applications.",
)
def command(out: Path, problems: int, judged: int, with_long: bool) -> None:
    """Run the whole line offline: sabotage runs, monitors, AUROC against cost.

    A scripted agent does its tasks honestly and with a side task done in secret, and programs verify both.
    Floors and static rules score all runs, monitors on a small embedded model those of a few problems. What
    is done is kept in the folder: the same command goes on where it stopped.
    """
    from rich.console import Console

    from molehunt.commands.run import carry_out
    from molehunt.verdicts.prices import PriceTable

    console = Console(highlight=False, soft_wrap=True)
    long = [environment for environment in LONG if with_long and _can_run(environment, console)]
    experiment = demonstration(problems, judged if judged and _can_judge(console) else 0, long)
    if status := carry_out(experiment, out, PriceTable.load(), console):
        raise click.exceptions.Exit(status)


def demonstration(problems: int, judged: int, long: Sequence[str] = ()) -> Experiment:
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
        environments=[
            Environment(task="bigcodebench_sabotage", problems=problems),
            *(Environment.model_validate({"task": task, **LONG[task].parameters}) for task in long),
        ],
        scoring=stages,
    )


def _can_run(task: str, console: Console) -> bool:
    needed = LONG[task]
    missing = [package for package in needed.packages if find_spec(package) is None]
    if missing:
        console.print(
            f"{task} is left out: it needs {', '.join(missing)}: pip install 'molehunt[{needed.extra}]'",
            markup=False,
        )
    return not missing


def _can_judge(console: Console) -> bool:
    from molehunt.models.weights import NoWeights, find_weights

    try:
        find_weights(JUDGE.partition("/")[2])
    except NoWeights as error:
        console.print(f"Monitors on {JUDGE} are left out: {error}", markup=False)
        return False
    return True
