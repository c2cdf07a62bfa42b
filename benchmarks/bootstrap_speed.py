"""Time of 10,000 clustered replicates: ``python -m benchmarks.bootstrap_speed``.

Ten monitors judge 2,000 runs of 500 tasks, two honest and two attack runs each: half of them in scores of two
decimals, which tie as those of models do, half in scores that never tie, which takes longer. Printed are the
seconds on one core for four metrics from the same replicates, by monitor and in all, and as a ratio what one
metric at a time by plain resampling would take.
"""

from __future__ import annotations

import time

import click
import numpy as np

from molehunt.analysis.intervals import REPLICATES, data_of, estimated, intervals
from molehunt.analysis.metrics import METRICS

MEASURED = ("auroc", "log_auroc", "pauroc20", "tpr_at_1fpr")
PLAIN = 50
"""Replicates by which plain resampling is timed."""


@click.command()
@click.option("--monitors", default=10, show_default=True)
@click.option("--tasks", default=500, show_default=True)
@click.option("--replicates", default=REPLICATES, show_default=True)
def main(monitors: int, tasks: int, replicates: int) -> None:
    """Print times and their ratio."""
    labels = np.tile([1, 1, 0, 0], tasks)
    clusters = np.repeat(np.arange(tasks), 4)
    rng = np.random.default_rng(0)
    times = []
    for monitor in range(monitors):
        scores = 0.4 + 0.15 * (rng.normal(size=labels.size) + labels)
        if monitor % 2 == 0:
            scores = np.round(scores, 2)
        start, start_cpu = time.perf_counter(), time.process_time()
        found = intervals(estimated(MEASURED, data_of(scores, labels, clusters), replicates, seed=0))
        times.append((time.perf_counter() - start, time.process_time() - start_cpu))
        shown = ", ".join(
            f"{name} {one.value:.3f} ({one.low:.3f} to {one.high:.3f})"
            for name, one in zip(MEASURED, found, strict=True)
        )
        click.echo(f"monitor {monitor}: {times[-1][0]:.2f} s, {times[-1][1]:.2f} s of CPU; {shown}")
    wall, cpu = map(sum, zip(*times, strict=True))
    click.echo(
        f"{monitors} monitors × {labels.size:,} runs × {len(MEASURED)} metrics × {replicates:,} replicates: "
        f"{wall:.1f} s, {cpu:.1f} s of CPU (aim: under 10 s on one core)"
    )
    start_cpu = time.process_time()
    for _ in range(PLAIN):
        drawn = rng.integers(tasks, size=tasks)
        rows = (4 * drawn[:, None] + np.arange(4)).ravel()
        for name in MEASURED:
            METRICS[name](scores[rows], labels[rows])
    plain = (time.process_time() - start_cpu) / PLAIN * replicates * monitors
    click.echo(f"plain resampling: {plain:.0f} s of CPU by extrapolation, {plain / cpu:.0f} times as long")


if __name__ == "__main__":
    main()
