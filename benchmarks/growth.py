"""How scoring grows to ten million trajectories: ``python -m benchmarks.growth``.

Recorded trajectories of 20 steps are scored by one monitor whose model answers at once, in several sizes and
each in a process of its own. What one trajectory more costs is the difference between the smallest and the
largest, so what every run costs once is not in it. Tokens and dollars are those of a dry run with the model
that ``--model`` names, which asks nobody. The table multiplies; what grows faster than linearly would show in
the last line, which compares the rate between the largest sizes with that between the smallest.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from benchmarks.figures import Spent, megabytes
from benchmarks.recorded import INSTANT, trajectories_of, write_logs
from molehunt.scoring import plan, score
from molehunt.verdicts.merging import merge

STEPS = 20
SIZES = (500, 1000, 2000, 4000)
MONITOR = "cot_action"
SCALES = (10_000, 1_000_000, 10_000_000)
PLANNED = 200

SECONDS_PER_CALL = 5.0
"""An assumption: what a hosted model takes to read 3,000 tokens and write 300."""


def costs_of(runs: int, folder: Path) -> dict[str, float]:
    """What reading, scoring and storing so many trajectories takes; in this process."""
    logs = write_logs(folder / f"logs-{runs}", runs, STEPS)
    store = folder / f"{runs}.db"
    reading, scoring = Spent(), Spent()
    with reading.measured():
        for _ in trajectories_of(logs):
            pass
    with scoring.measured():
        outcome = score(logs, MONITOR, store=store, model=INSTANT)
    if outcome.counts["scored"] != runs:
        raise click.ClickException(f"not every trajectory was scored: {outcome.counts}")
    return {
        "read": reading.seconds,
        "score": scoring.seconds - reading.seconds,
        "bytes": store.stat().st_size,
        "memory": megabytes() * 2**20,
    }


def merging(folder: Path) -> float:
    """CPU seconds a trajectory to merge two shards of it."""
    logs = write_logs(folder / f"logs-{SIZES[1]}", SIZES[1], STEPS)
    shards = [folder / f"shard-{number}.db" for number in (1, 2)]
    for number, shard in enumerate(shards, start=1):
        score(logs, MONITOR, store=shard, model=INSTANT, shard=f"{number}/2")
    spent = Spent()
    with spent.measured():
        merge(shards, folder / "merged.db")
    return spent.seconds / SIZES[1]


def planned(folder: Path, model: str) -> dict[str, float]:
    """Tokens and dollars of one trajectory by a dry run, at the standard price and in batches."""
    logs = write_logs(folder / "planned", PLANNED, STEPS)
    whole, half = (
        plan(logs, MONITOR, store=folder / "none.db", model=model, batch=batch) for batch in (False, True)
    )
    [row] = whole.rows
    return {
        "calls": whole.calls / PLANNED,
        "tokens": (row.input_tokens + row.output_tokens) / PLANNED,
        "usd": (whole.usd or float("nan")) / PLANNED,
        "usd_batch": (half.usd or float("nan")) / PLANNED,
    }


@click.command()
@click.option("--model", default="openai/gpt-4.1-mini", help="Whose prices are used; nobody is asked.")
@click.option("--child", type=(int, click.Path(path_type=Path)), hidden=True)
def main(model: str, child: tuple[int, Path] | None) -> None:
    """Measure what one trajectory more costs, and multiply."""
    if child:
        click.echo(json.dumps(costs_of(*child)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measured = [_in_a_process_of_its_own(size, folder) for size in SIZES]
        slope = _slopes(measured, 0, -1)
        each = {**slope, "merge": merging(folder), **planned(folder, model)}
    click.echo(f"one trajectory of {STEPS} steps, by {MONITOR}, {SIZES[0]} to {SIZES[-1]} of them:")
    click.echo(f"  read     {each['read'] * 1e3:8.2f} ms CPU")
    click.echo(f"  score    {each['score'] * 1e3:8.2f} ms CPU, without the model")
    click.echo(f"  merge    {each['merge'] * 1e3:8.2f} ms CPU")
    click.echo(f"  store    {each['bytes'] / 1e3:8.2f} kB")
    click.echo(f"  memory   {each['memory'] / 1e3:8.2f} kB more at the peak")
    click.echo(f"  tokens   {each['tokens']:8.0f} in {each['calls']:.0f} call, estimated for {model}")
    click.echo(f"  dollars  {each['usd']:8.5f}, {each['usd_batch']:.5f} in batches")
    click.echo("")
    click.echo(
        f"{'trajectories':>12} {'tokens':>9} {'dollars':>11} {'in batches':>11} {'CPU hours':>10} "
        f"{'store GB':>9} {'hours, 20 at a time':>20} {'1,000':>8}"
    )
    for scale in SCALES:
        hours = [scale * each["calls"] * SECONDS_PER_CALL / at_a_time / 3600 for at_a_time in (20, 1000)]
        click.echo(
            f"{scale:>12,} {scale * each['tokens'] / 1e9:>8.3g}G {scale * each['usd']:>11,.0f} "
            f"{scale * each['usd_batch']:>11,.0f} {scale * (each['read'] + each['score']) / 3600:>10.2f} "
            f"{scale * each['bytes'] / 1e9:>9.2f} {hours[0]:>20,.1f} {hours[1]:>8,.1f}"
        )
    early, late = _slopes(measured, 0, 1), _slopes(measured, -2, -1)
    ratios = ", ".join(f"{name} {late[name] / early[name]:.2f} ×" for name in ("read", "score", "bytes"))
    click.echo(
        f"\nrate of the last {SIZES[-1] - SIZES[-2]} against the first {SIZES[1] - SIZES[0]}: {ratios}"
    )


def _slopes(measured: list[dict[str, float]], one: int, other: int) -> dict[str, float]:
    runs = SIZES[other] - SIZES[one]
    return {name: (measured[other][name] - measured[one][name]) / runs for name in measured[0]}


def _in_a_process_of_its_own(runs: int, folder: Path) -> dict[str, float]:
    words = [sys.executable, "-m", "benchmarks.growth", "--child", str(runs), str(folder)]
    said = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(said.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
