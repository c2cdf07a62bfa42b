"""``molehunt demo``: the whole line on this machine, without a key: runs, scores, report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

AGENT = "scripted/saboteur"
JUDGE = "embedded/smollm2-135m"
WITHOUT_MODEL = ("static", "flag_all", "length", "format", "keyword")
WITH_MODEL = (
    "action_only",
    "cot_only",
    "cot_action",
    # so small a model invents what it quotes: dropped, no run would have evidence left
    "eae(min_excerpts=2, max_excerpts=4, unmatched='keep')",
)
ALL_PROBLEMS = 44


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("demo"), show_default=True)
@click.option(
    "--problems",
    type=click.IntRange(1, ALL_PROBLEMS),
    default=ALL_PROBLEMS,
    show_default=True,
    help="Problems of the embedded pack; each gives an honest and an attack run.",
)
@click.option(
    "--judged",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="Problems whose runs the embedded model judges too, a minute or two each.",
)
def command(out: Path, problems: int, judged: int) -> None:
    """Run the whole line offline: sabotage runs, monitors, AUROC against cost.

    A scripted agent does the problems honestly and with a side task done in secret, and a sandbox verifies
    both. Floors and static rules score all runs, monitors on a small embedded model those of a few problems.
    What is done is kept in the folder: the same command goes on where it stopped.
    """
    from rich.console import Console

    console = Console(highlight=False)
    console.print(f"1/4  {problems} problems, honest and sabotaged, by {AGENT} in a sandbox")
    logs = _run(out / "logs", problems)
    console.print(f"2/4  {len(WITHOUT_MODEL)} monitors that need no model, on all runs")
    store = out / "scores.db"
    _score(logs, store, WITHOUT_MODEL, 2 * problems)
    console.print(f"3/4  {len(WITH_MODEL)} monitors on {JUDGE}, on the runs of {judged} problems")
    if judged and _can_judge(console):
        _score(logs, store, WITH_MODEL, 2 * judged, model=JUDGE)
    console.print("4/4  report\n")
    _report(store, out / "report", console)


def _run(logs: Path, problems: int) -> Path:
    from inspect_ai import eval_set

    from molehunt.environments.bigcodebench_sabotage.task import bigcodebench_sabotage
    from molehunt.trajectories import Problem

    logs.mkdir(parents=True, exist_ok=True)
    done, _ = eval_set(
        [bigcodebench_sabotage()],
        log_dir=str(logs),
        model=AGENT,
        limit=2 * problems,
        display="plain",
        log_realtime=False,
    )
    if not done:
        raise Problem(f"not every run came to an end. Look at the logs: inspect view --log-dir {logs}")
    return logs


def _score(logs: Path, store: Path, monitors: tuple[str, ...], runs: int, model: str | None = None) -> None:
    from rich.console import Console

    from molehunt.scoring import score
    from molehunt.scoring.progress import watcher_for

    progress = watcher_for(Console(stderr=True, highlight=False))
    try:
        score(logs, monitors, store=store, model=model, limit=runs, progress=progress)
    finally:
        progress.close()


def _can_judge(console: Console) -> bool:
    from molehunt.models.weights import NoWeights, find_weights

    try:
        find_weights(JUDGE.partition("/")[2])
    except NoWeights as error:
        console.print(f"     left out: {error}")
        return False
    return True


def _report(store: Path, out: Path, console: Console) -> None:
    from molehunt.analysis.report import make_report, read_tables
    from molehunt.commands.report import print_report

    report = make_report(read_tables(store))
    page, *_ = report.write(out)
    print_report(report, console)
    console.print(f"report  {page.resolve()}", markup=False, soft_wrap=True)
