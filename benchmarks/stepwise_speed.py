"""How step-wise scoring grows with a run's length: ``python -m benchmarks.stepwise_speed``.

Runs of 15 and of 300 steps are scored by ``stepwise``, which looks after every fifth step, with a model that
answers at once. Printed is the CPU of a run outside the model: all of `molehunt.scoring.score_async`, storing
included, without reading the logs and without Inspect's `Model.generate`. Twenty times as many steps take
twenty times as many looks, so 20 × is linear. Each look has a longer transcript than the one before: what
they share is laid out and digested once, and copied twice for each, into the transcript and into the prompt.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import click
from inspect_ai.model import Model, ModelOutput

from benchmarks.figures import Figure, Spent, keep_option, show
from benchmarks.recorded import INSTANT, trajectories_of, write_logs
from molehunt.scoring import score_async

SHORT, LONG = 15, 300
MONITOR = "stepwise"
ROUNDS = 9


class Driven:
    """Awaits a coroutine and adds the CPU that it spends itself, not what runs while it waits."""

    def __init__(self, coroutine: Any, spent: Spent) -> None:
        self._coroutine = coroutine
        self._spent = spent

    def __await__(self) -> Generator[Any, Any, ModelOutput]:
        steps = self._coroutine.__await__()
        sent: Any = None
        while True:
            started = time.process_time()
            try:
                waited_for = steps.send(sent)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            finally:
                self._spent.seconds += time.process_time() - started
            sent = yield waited_for


@contextmanager
def model_measured(spent: Spent) -> Iterator[None]:
    """Measure every `Model.generate` inside."""
    generate = Model.generate

    async def measured(self: Model, *args: Any, **options: Any) -> ModelOutput:
        return await Driven(generate(self, *args, **options), spent)

    Model.generate = measured  # type: ignore[method-assign]
    try:
        yield
    finally:
        Model.generate = generate  # type: ignore[method-assign]


async def outside_the_model(logs: list[Path], store: Path, runs: int) -> float:
    """CPU milliseconds of a run."""
    reading, model, scoring = Spent(), Spent(), Spent()
    with reading.measured():
        for _ in trajectories_of(logs):
            pass
    with model_measured(model), scoring.measured():
        await score_async(logs, MONITOR, store=store, model=INSTANT)
    return (scoring.seconds - reading.seconds - model.seconds) * 1000 / runs


@click.command()
@click.option("--runs", default=60, show_default=True, help="Long ones; of short ones five times as many.")
@keep_option
def main(runs: int, keep: bool) -> None:
    """Print the CPU of short and long runs."""
    sizes = {SHORT: 5 * runs, LONG: runs}
    turns: list[dict[int, float]] = []
    with tempfile.TemporaryDirectory() as name:
        for turn in range(1 + ROUNDS):
            taken = {}
            for steps, count in sizes.items():
                logs = write_logs(Path(name, str(steps)), count, steps)
                taken[steps] = asyncio.run(outside_the_model(logs, Path(name, f"{steps}-{turn}.db"), count))
            turns.append(taken)
    del turns[0]  # the first turn has loaded and warmed up what there is to be
    short, long = (median(taken[steps] for taken in turns) for steps in (SHORT, LONG))
    # within a turn, since the machine may have been busier in one than in another
    ratio = median(taken[LONG] / taken[SHORT] for taken in turns)
    figures = [
        Figure(f"{SHORT} steps, outside the model", short, "ms"),
        Figure(f"{LONG} steps, outside the model", long, "ms"),
        Figure(f"{LONG} steps : {SHORT} steps", ratio, "×", most=20),
    ]
    show("stepwise_speed", figures, keep=keep)


if __name__ == "__main__":
    main()
