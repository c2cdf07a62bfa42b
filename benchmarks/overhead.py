"""What scoring costs beside its calls: ``python -m benchmarks.overhead``.

The same trajectories, recorded by Inspect when its agent played them, go in turns through a bare loop and
through `molehunt.scoring.score_async` with one monitor, both with as many in flight and a model that answers
at once. The bare loop does nothing but render each trajectory and call Inspect's `Model.generate`: it marks
no boundary, reads no answer, does not look whether it has asked before, and keeps nothing. Printed is CPU for
each verdict, user and system. What reading costs is measured by itself, since the loop has its trajectories
in memory. What a further verdict costs on runs that are read and stored is the difference between several
draws and one.

With ``--memory`` each size is scored in a process of its own, whose largest memory is printed. These runs are
made up (`benchmarks.recorded`): to play 20,000 of them would take Inspect half an hour.
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
from benchmarks.recorded_by_inspect import write_log
from molehunt.monitors.prompts import SYSTEM
from molehunt.scoring import score_async
from molehunt.trajectories import Trajectory
from molehunt.trajectories.views import EVERYTHING, render

STEPS = 20
IN_FLIGHT = 20
MONITOR = "cot_action"
SHARE = 200
"""Runs of a log, and of a turn of the loop, always as many: Inspect keeps every call of a loop until its end,
so 1,000 in one go take a fifth more for each than 200. Scoring keeps none, and takes all logs at one go."""
DRAWS = 4
"""Of which all but the first are further ones."""


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


async def scored(logs: Sequence[Path], store: Path, draws: int = 1) -> None:
    """Score with the monitor that reads all that the loop reads."""
    outcome = await score_async(
        logs, MONITOR, store=store, model=INSTANT, draws=draws, max_connections=IN_FLIGHT
    )
    if set(outcome.counts) != {"scored"}:
        raise click.ClickException(f"not every trajectory was scored: {outcome.counts}")


class Costs:
    """CPU of the same runs by each way."""

    def __init__(self) -> None:
        self.loop, self.reading, self.scoring, self.draws = Spent(), Spent(), Spent(), Spent()

    def figures(self, runs: int) -> list[Figure]:
        """What ``runs`` runs come to, each."""
        every = (self.loop, self.reading, self.scoring, self.draws)
        bare, read, whole, drawn = (1000 * spent.seconds / runs for spent in every)
        verdict, further = whole - read, (drawn - whole) / (DRAWS - 1)
        return [
            Figure("bare loop, a call", bare, "ms"),
            Figure("reading, a run", read, "ms"),
            Figure("scoring, a verdict, reading included", whole, "ms"),
            Figure("scoring, a verdict, reading left out", verdict, "ms"),
            Figure("a verdict : bare loop", verdict / bare, "×", most=1.3),
            Figure("a verdict with reading : bare loop with reading", whole / (bare + read), "×", most=1.3),
            Figure("a verdict above the bare loop", verdict - bare, "ms", most=1.0),
            Figure("a further verdict on a stored run", further, "ms"),
            Figure("a further verdict : bare loop", further / bare, "×"),
        ]


async def compared(logs: Sequence[Path], model: Model) -> Costs:
    """What is spent on ``logs`` by each way: half by the loop, all by scoring, the rest by the loop."""
    costs = Costs()
    half = len(logs) // 2

    async def looped(share: Sequence[Path]) -> None:
        for log in share:
            with costs.reading.measured():
                trajectories = list(trajectories_of([log]))
            with costs.loop.measured():
                await bare_loop(trajectories, model)

    await looped(logs[:half])
    with costs.scoring.measured():
        await scored(logs, logs[0].with_suffix(".db"))
    with costs.draws.measured():
        await scored(logs, logs[0].with_suffix(".draws.db"), DRAWS)
    await looped(logs[half:])
    return costs


async def measured(logs: Sequence[Path]) -> Costs:
    """The same without what is loaded once, for which the first log is."""
    async with get_model(INSTANT, memoize=False) as model:
        await compared(logs[:1], model)
        return await compared(logs[1:], model)


def memory_of(runs: int, folder: Path) -> float:
    """Megabytes of a process that scores ``runs`` trajectories."""
    command = [sys.executable, "-m", "benchmarks.overhead", "--score", str(folder), "--runs", str(runs)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(json.loads(answer.splitlines()[-1]))


@click.command()
@click.option(
    "--runs",
    default=1000,
    type=click.IntRange(min=1),
    show_default=True,
    help=f"Trajectories to score, in whole shares of {SHARE}.",
)
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
        share = min(runs, SHARE)
        turns = runs // share
        shares = [range(turn * share, (turn + 1) * share) for turn in range(turns + 1)]
        logs = [write_log(Path(name, f"{numbers.start}.eval"), numbers, STEPS) for numbers in shares]
        figures = asyncio.run(measured(logs)).figures(turns * share)
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
