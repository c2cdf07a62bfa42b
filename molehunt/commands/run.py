"""``molehunt run``: a whole experiment from one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from molehunt.terminal import widened
from molehunt.trajectories.problem import Problem
from molehunt.trajectories.wording import count

if TYPE_CHECKING:
    from rich.console import Console

    from molehunt.experiments import Experiment
    from molehunt.experiments.experiment import Value
    from molehunt.experiments.planning import ExperimentPlan
    from molehunt.verdicts.prices import PriceTable


@click.command()
@click.argument("file", metavar="EXPERIMENT.yaml", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder for logs, scores and report; by default named after the file.",
)
@click.option(
    "-T",
    "changes",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter that every environment gets in place of what the file says. May be repeated.",
)
@click.option("--max-usd", type=click.FloatRange(min=0), metavar="X", help="Stop scoring at X dollars.")
@click.option("--dry-run", is_flag=True, help="Say what would be asked and what it would cost; ask nothing.")
@click.option(
    "--price", "overrides", multiple=True, metavar="MODEL=IN,OUT", help="Dollars per million tokens."
)
@click.option("--prices", type=click.Path(path_type=Path), metavar="FILE", help="CSV with prices.")
def command(
    file: Path,
    out: Path | None,
    changes: tuple[str, ...],
    max_usd: float | None,
    dry_run: bool,
    overrides: tuple[str, ...],
    prices: Path | None,
) -> None:
    """Let agents act, monitors judge and a report follow, as EXPERIMENT.yaml says.

    What is done is kept in the folder at every stage: the same command goes on where it stopped.
    """
    from rich.console import Console

    from molehunt.experiments import read_experiment
    from molehunt.verdicts.prices import PriceTable

    experiment = read_experiment(file, dict(map(task_parameter, changes)))
    if max_usd is not None:
        experiment = experiment.model_copy(update={"max_usd": max_usd})
    console = widened(Console(highlight=False, soft_wrap=True))
    table = PriceTable.load(prices, overrides)
    if dry_run:
        from molehunt.experiments.planning import plan_experiment

        _print_plan(plan_experiment(experiment, table), experiment, console)
    elif status := carry_out(experiment, out or Path(file.stem), table, console):
        raise click.exceptions.Exit(status)


def carry_out(experiment: Experiment, out: Path, prices: PriceTable, console: Console) -> int:
    """Do all stages of an experiment that are not done yet; returns the exit status."""
    from rich.console import Console

    from molehunt.analysis.report import make_report, read_tables
    from molehunt.commands.report import print_report
    from molehunt.commands.score import print_outcome
    from molehunt.experiments.acting import act, agent_name, log_folders
    from molehunt.experiments.checking import check
    from molehunt.experiments.expected import expected_runs
    from molehunt.experiments.judging import judge
    from molehunt.scoring.progress import watcher_for

    check(experiment, (run for each in experiment.environments for run in expected_runs(each)))
    statuses = [0]
    folders = list(log_folders(experiment, out))
    stages = len(folders) + 2
    who = ", ".join(map(agent_name, experiment.agents))
    for number, (environment, logs) in enumerate(folders, 1):
        console.print(f"{number}/{stages}  {environment.task}: {who}", style="bold")
        if amiss := act(environment, experiment.agents, logs, experiment.epochs):
            console.print(f"{amiss}; see `inspect view --log-dir {logs}`", markup=False)
            statuses.append(3)
    console.print(f"{stages - 1}/{stages}  scoring", style="bold")
    store = out / "scores.db"
    progress = Console(stderr=True, highlight=False)
    for outcome in judge(experiment, folders, store, prices, lambda: watcher_for(progress)):
        print_outcome(outcome, console, goes_on=True)
        statuses.append(3 if outcome.exit_status else 0)
    console.print(f"{stages}/{stages}  report", style="bold")
    report = make_report(
        read_tables(store),
        prices,
        by=experiment.report.by,
        against=experiment.report.against,
        filtered=experiment.report.filtered,
    )
    page, *_ = report.write(out / "report", "misses", store)
    print_report(report, console)
    console.print(f"report  {page.resolve()}", markup=False)
    return max(statuses)


def task_parameter(text: str) -> tuple[str, Value]:
    """Name and value of what ``-T`` was given, as `inspect eval` reads it.

    Raises
    ------
    Problem
        If it is no ``NAME=VALUE``.

    Examples
    --------
    >>> task_parameter("seed=3")
    ('seed', 3)
    """
    import yaml

    name, equals, value = text.partition("=")
    if not (name.strip() and equals):
        raise Problem(f"-T {text!r} changes nothing. Write -T dataset=PATH.")
    return name.strip(), yaml.safe_load(value)


def _print_plan(plan: ExperimentPlan, experiment: Experiment, console: Console) -> None:
    from rich.table import Table

    from molehunt.commands.score import print_plan
    from molehunt.scoring.progress import dollars

    def usd(amount: float | None) -> str:
        return "price unknown" if amount is None else dollars(amount)

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("agent", "environment"):
        table.add_column(title, overflow="fold")
    for title in ("runs", "calls", "input tokens", "output tokens", "dollars"):
        table.add_column(title, justify="right")
    for row in plan.acting:
        counts = (row.runs, row.calls, row.input_tokens, row.output_tokens)
        table.add_row(row.agent, row.environment, *(f"{number:,}" for number in counts), usd(row.usd))
    console.print(table)
    for environment in experiment.environments:
        lengths = environment.assumed
        console.print(
            f"assumed   {environment.task}: {count(lengths.turns, 'turn')} a run, each of "
            f"{lengths.reasoning} tokens of reasoning, "
            f"{lengths.answer} of answer and {lengths.result} of results"
        )
    if any("attempts" in choice for each in experiment.environments for choice in each.combinations()):
        console.print("assumed   one attempt a run; further attempts come on top, each a run to judge")
    console.print()
    print_plan(plan.judging, console)
    console.print(f"all       {usd(plan.usd)}, agents and monitors")
