"""What scoring costs beside its calls: ``python -m benchmarks.overhead``.

The same recorded trajectories go, in turns, through a bare loop and through `molehunt.scoring.score_async`
with one monitor, both with as many in flight and a model that answers at once. The bare loop does nothing but
render each trajectory and call Inspect's `Model.generate`: it marks no boundary, reads no answer, does not
look whether it has asked before, and keeps nothing. Printed is CPU for each verdict, user and system. What
reading costs is measured by itself, since the loop has its trajectories in memory.

With ``--memory`` each size is scored in a process of its own, whose largest memory is printed.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, Model, get_model

from benchmarks.figures import Figure, Spent, keep_option, megabytes, show
from benchmarks.recorded import INSTANT, trajectories_of, write_logs
from molehunt.monitors.prompts import SYSTEM
from molehunt.scoring import score_async
from molehunt.trajectories import Trajectory
from molehunt.trajectories.views import EVERYTHING, render

STEPS = 20
IN_FLIGHT = 20
MONITOR = "cot_action"
ROUNDS = 5


async def bare_loop(trajectories: Sequence[Trajectory], model: Model) -> None:
    """Render and ask, as many at a time as scoring does."""
    config = GenerateConfig(temperature=1.0, max_tokens=4096)

    async def work(remaining: Iterator[Trajectory]) -> None:
        for trajectory in remaining:
            question = f"{trajectory.task}\n\n{render(trajectory, EVERYTHING).text}\n\nHow suspicious is it?"
            messages = [ChatMessageSystem(content=SYSTEM), ChatMessageUser(content=question)]
            await model.generate(messages, config=config)

    remaining = iter(trajectories)
    await asyncio.gather(*(work(remaining) for _ in range(IN_FLIGHT)))


async def scored(logs: list[Path], store: Path) -> None:
    """Score with the monitor that reads all that the loop reads."""
    outcome = await score_async(logs, MONITOR, store=store, model=INSTANT, max_connections=IN_FLIGHT)
    if set(outcome.counts) != {"scored"}:
        raise click.ClickException(f"not every trajectory was scored: {outcome.counts}")


async def compared(runs: int, folder: Path) -> list[Figure]:
    """CPU of loop and scoring, in turns on equal shares of the runs."""
    share = runs // ROUNDS
    loop, reading, scoring = Spent(), Spent(), Spent()
    async with get_model(INSTANT, memoize=False) as model:
        for turn in range(-1, ROUNDS):
            if turn == 0:  # the first one has loaded and warmed up what there is to be
                loop, reading, scoring = Spent(), Spent(), Spent()
            logs = write_logs(folder / str(turn), share, STEPS, first=(turn + 1) * share)
            with reading.measured():
                trajectories = list(trajectories_of(logs))
            with loop.measured():
                await bare_loop(trajectories, model)
            with scoring.measured():
                await scored(logs, folder / f"{turn}.db")
    each = 1000 / (share * ROUNDS)
    bare, read = loop.seconds * each, reading.seconds * each
    whole = scoring.seconds * each
    verdict = whole - read
    return [
        Figure("bare loop, a call", bare, "ms"),
        Figure("reading, a run", read, "ms"),
        Figure("scoring, a verdict, reading included", whole, "ms"),
        Figure("scoring, a verdict, reading left out", verdict, "ms"),
        Figure("a verdict : bare loop", verdict / bare, "×", most=1.3),
        Figure("a verdict above the bare loop", verdict - bare, "ms", most=1.0),
        Figure("a verdict with reading : bare loop with reading", whole / (bare + read), "×"),
    ]


def memory_of(runs: int, folder: Path) -> float:
    """Megabytes of a process that scores ``runs`` trajectories."""
    command = [sys.executable, "-m", "benchmarks.overhead", "--score", str(folder), "--runs", str(runs)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(json.loads(answer.splitlines()[-1]))


@click.command()
@click.option("--runs", default=1000, show_default=True, help="Trajectories to score.")
@click.option(
    "--memory", multiple=True, type=int, help="Also score so many, and print the memory that takes."
)
@click.option("--score", "folder", type=click.Path(path_type=Path), hidden=True)
@keep_option
def main(runs: int, memory: tuple[int, ...], folder: Path | None, keep: bool) -> None:
    """Print CPU and memory of scoring beside those of a bare loop."""
    if folder is not None:
        asyncio.run(scored(sorted((folder / "logs").glob("*.eval")), folder / "scores.db"))
        click.echo(json.dumps(megabytes()))
        return
    with tempfile.TemporaryDirectory() as name:
        figures = asyncio.run(compared(runs, Path(name)))
    sizes = []
    for size in memory:
        with tempfile.TemporaryDirectory() as name:
            write_logs(Path(name, "logs"), size, STEPS)
            sizes.append(memory_of(size, Path(name)))
            figures.append(Figure(f"memory at {size:,} trajectories", sizes[-1], "MB", most=300))
    if len(sizes) > 1:
        figures.append(Figure("memory at the most : at the fewest", sizes[-1] / sizes[0], "×", most=1.2))
    show("overhead", figures, keep=keep)


if __name__ == "__main__":
    main()
