"""Coverage of the intervals in simulation: ``python -m benchmarks.coverage``.

Experiments are drawn from a model of which the truth is known, and counted is how often the 95% interval has
it. A score is a task's own plus a run's own, the task's standard deviation being ``--within`` of the run's;
attacks are shifted to an AUROC of ``--auroc``. Tasks have ``--runs`` runs of each kind. In crossed designs
each side goal, shifted by a normal of the same spread, is pursued once a task, which has one honest run.
Printed is a table in Markdown: by design and metric the share of experiments that covered the truth, in how
many the truth lay above the interval and below it, and how the intervals were made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

import click
import numpy as np
from scipy import stats

from molehunt.analysis.intervals import Data, data_of, estimated, intervals
from molehunt.analysis.metrics import METRICS

MEASURED = ("auroc", "log_auroc", "tpr_at_10fpr", "tpr_at_1fpr")


class Model(NamedTuple):
    """Spread of tasks' and of goals' own scores, where a run's own is 1, and the shift of attacks."""

    of_tasks: float
    of_goals: float
    shift: float


def model_of(auroc: float, within: float, crossed: bool) -> Model:
    """The model in which a random attack run outscores a random honest one with probability ``auroc``."""
    of_goals = within if crossed else 0.0
    spread = np.sqrt(2 * (1 + within**2) + of_goals**2)
    return Model(within, of_goals, float(stats.norm.ppf(auroc) * spread))


def truth(model: Model) -> dict[str, float]:
    """The metrics of the model, from quantiles of its two normal distributions."""
    honest = stats.norm(0, np.hypot(1, model.of_tasks))
    attack = stats.norm(model.shift, np.sqrt(1 + model.of_tasks**2 + model.of_goals**2))
    places = (np.arange(20_000) + 0.5) / 20_000
    scores = np.concatenate([attack.ppf(places), honest.ppf(places)])
    labels = np.repeat([1, 0], places.size)
    return {name: METRICS[name](scores, labels) for name in MEASURED}


def nested(model: Model, n_tasks: int, n_runs: int, rng: np.random.Generator) -> Data:
    """Tasks with ``n_runs`` runs of each kind."""
    labels = np.tile(np.repeat([1, 0], n_runs), n_tasks)
    tasks = np.repeat(np.arange(n_tasks), 2 * n_runs)
    own = model.of_tasks * rng.normal(size=n_tasks)[tasks]
    return data_of(own + rng.normal(size=labels.size) + model.shift * labels, labels, tasks)


def crossed(model: Model, n_tasks: int, n_goals: int, rng: np.random.Generator) -> Data:
    """Every goal in every task, and an honest run a task."""
    tasks = np.concatenate([np.arange(n_tasks), np.repeat(np.arange(n_tasks), n_goals)])
    goals = np.concatenate([np.full(n_tasks, -1), np.tile(np.arange(n_goals), n_tasks)])
    labels = (goals >= 0).astype(int)
    own = model.of_tasks * rng.normal(size=n_tasks)[tasks]
    of_goals = np.append(model.of_goals * rng.normal(size=n_goals), 0.0)[goals]
    scores = own + of_goals + rng.normal(size=labels.size) + model.shift * labels
    names = np.where(goals < 0, "", goals.astype(str))
    return data_of(scores, labels, tasks, goals=names)


def rows(
    name: str,
    draw: Callable[[np.random.Generator], Data],
    model: Model,
    experiments: int,
    replicates: int,
    seed: int,
) -> Iterator[str]:
    """Lines of the table for one design."""
    true = truth(model)
    rng = np.random.default_rng(seed)
    above, below, methods = Counter[str](), Counter[str](), {metric: Counter[str]() for metric in MEASURED}
    for number in range(experiments):
        found = intervals(estimated(MEASURED, draw(rng), replicates, seed=number))
        for metric, interval in zip(MEASURED, found, strict=True):
            above[metric] += interval.high < true[metric]
            below[metric] += interval.low > true[metric]
            methods[metric][interval.method] += 1
    for metric in MEASURED:
        covered = experiments - above[metric] - below[metric]
        how = ", ".join(f"{method} {times}" for method, times in methods[metric].most_common())
        yield (
            f"| {name} | {metric} | {true[metric]:.3f} | {covered / experiments:.3f} | "
            f"{above[metric]} | {below[metric]} | {how} |"
        )


@click.command()
@click.option("--experiments", default=300, show_default=True)
@click.option("--replicates", default=1000, show_default=True)
@click.option("--tasks", default="8,12,25,49,50,100,200,400", show_default=True, help="Numbers of tasks.")
@click.option("--runs", default="1,4", show_default=True, help="Runs of each kind a task.")
@click.option("--grids", default="12x4,20x8,40x10", show_default=True, help="Tasks × goals, where crossed.")
@click.option("--auroc", default=0.86, show_default=True)
@click.option("--within", default=0.5, show_default=True)
@click.option("--seed", default=0, show_default=True)
def main(
    experiments: int,
    replicates: int,
    tasks: str,
    runs: str,
    grids: str,
    auroc: float,
    within: float,
    seed: int,
) -> None:
    """Print the table."""
    click.echo("| design | metric | truth | coverage | truth above | truth below | methods |")
    click.echo("|---|---|---|---|---|---|---|")
    flat = model_of(auroc, within, crossed=False)
    for n_runs in map(int, runs.split(",")):
        for n_tasks in map(int, tasks.split(",")):
            name = f"{n_tasks} tasks, {n_runs} + {n_runs} runs each"

            def draw(rng: np.random.Generator, n_tasks: int = n_tasks, n_runs: int = n_runs) -> Data:
                return nested(flat, n_tasks, n_runs, rng)

            for line in rows(name, draw, flat, experiments, replicates, seed):
                click.echo(line)
    grid = model_of(auroc, within, crossed=True)
    for size in filter(None, grids.split(",")):
        n_tasks, n_goals = map(int, size.split("x"))

        def draw_grid(rng: np.random.Generator, n_tasks: int = n_tasks, n_goals: int = n_goals) -> Data:
            return crossed(grid, n_tasks, n_goals, rng)

        for line in rows(
            f"{n_tasks} tasks × {n_goals} goals", draw_grid, grid, experiments, replicates, seed
        ):
            click.echo(line)


if __name__ == "__main__":
    main()
