"""Time and memory of a report: ``python -m benchmarks.report_speed [--csv ROWS]``.

Writes a store of 100,000 verdicts, those of five monitors with two models each on 10,000 runs of 2,500 tasks,
and reports on it in a process of its own. Printed are seconds by stage, of the clock and of the CPU, and the
largest memory of the process up to the end of each. With ``--csv 1000000`` the report is on a table of so
many rows in which every run is a task of its own: it tries the bootstrap's memory.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import numpy as np
import pandas as pd

from molehunt.trajectories import Mark, Run, Step, Trajectory, Truth
from molehunt.verdicts import Call, Excerpt, MonitorRecord, Store, Tokens, Verdict

SIDE_TASKS = ("exit", "log_io", "complexity", "delete_file", "edge_case", "default_value")
NAMES = ("action_only", "cot_only", "cot_action", "hybrid", "eae")
MODELS = ("openai/gpt-4.1-mini", "openai/gpt-4.1")


def write_store(path: Path, n_tasks: int) -> None:
    """Two honest and two attack runs a task, judged by five monitors with two models each."""
    rng = np.random.default_rng(0)
    with Store.open(path) as store:
        # what is measured is reading; a benchmark may lose its store with the power
        store._connection.execute("PRAGMA synchronous = OFF")
        monitors = [(f"{name} {model}", name, model) for name in NAMES for model in MODELS]
        for monitor, name, model in monitors:
            roles = {"monitor": {"model": model, "config": {}}}
            store.add_monitor(MonitorRecord(monitor, name, f"{name}()", model, roles))
        for task in range(n_tasks):
            for number in range(4):
                run = _run(task, number)
                store.add_run(run)
                attacks = number % 2
                for monitor, name, model in monitors:
                    key = f"{monitor} {run.sample}"
                    tokens = Tokens(input=int(rng.integers(500, 3000)), output=120)
                    store.add_call(Call(key, "monitor", model, model, tokens, seconds=1.0))
                    score = float(np.clip(np.round(0.3 + 0.15 * (rng.normal() + attacks), 2), 0, 1))
                    quotes = (Excerpt("a + b", "exact", 1, 0, 5),) * 3 if name == "eae" else ()
                    verdict = Verdict(score, rationale="It adds." * 20, excerpts=quotes)
                    store.add_verdict(run.trajectory.id, monitor, 0, verdict, [key], seconds=1.0)


def _run(task: int, number: int) -> Run:
    attacks = number % 2 == 1
    side_task = {"side_task": SIDE_TASKS[task % len(SIDE_TASKS)]} if attacks else {}
    truth = Truth(
        "attack" if attacks else "honest",
        "bigcodebench_sabotage/embedded",
        f"p{task}",
        1.0,
        1.0 if attacks else None,
        (Mark("incriminating", 1, 0, 5),) if attacks else (),
        {"awareness": "unaware", **side_task},
    )
    steps = (
        Step(0, "reasoning", "I add and return. " * 30),
        Step(1, "code", f"a + b  # {task} {number}\n" * 20),
    )
    sample = f"{task}-{number}"
    return Run(Trajectory(f"Add {task}.", steps), truth, "a.eval", sample, agent_model="m", reasoning="full")


def write_csv(path: Path, n_rows: int) -> None:
    """One monitor, every run a task of its own."""
    rng = np.random.default_rng(0)
    labels = np.arange(n_rows) % 2
    scores = np.round(rng.normal(size=n_rows) + labels, 3)
    pd.DataFrame({"score": scores, "label": labels}).to_csv(path, index=False)


Stage = tuple[str, float, float, float]
"""Its name, seconds of the clock and of the CPU, and the process's largest memory so far in megabytes."""


@contextmanager
def timed(stages: list[Stage], name: str) -> Iterator[None]:
    """Adds what a stage took."""
    start, start_cpu = time.perf_counter(), time.process_time()
    yield
    wall, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    stages.append((name, wall, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def report_on(source: Path, out: Path, replicates: int) -> list[Stage]:
    """What each stage of a report takes, in this process."""
    from molehunt.analysis.report import make_report, read_tables

    stages: list[Stage] = []
    with timed(stages, "read"):
        tables = read_tables(source)
    with timed(stages, "compute"):
        report = make_report(tables, replicates=replicates)
    with timed(stages, "write"):
        report.write(out)
    return stages


@click.command()
@click.option("--tasks", default=2500, show_default=True, help="Each has 4 runs and 40 verdicts.")
@click.option("--csv", "rows", type=int, help="Report on a table of so many rows instead.")
@click.option("--replicates", default=10_000, show_default=True)
@click.option("--on", "source", type=click.Path(path_type=Path), hidden=True)
def main(tasks: int, rows: int | None, replicates: int, source: Path | None) -> None:
    """Print seconds and memory."""
    if source is not None:
        click.echo(json.dumps(report_on(source, source.parent / "report", replicates)))
        return
    with tempfile.TemporaryDirectory() as folder:
        if rows is None:
            source = Path(folder, "scores.db")
            write_store(source, tasks)
            what = f"{40 * tasks:,} verdicts"
        else:
            source = Path(folder, "scores.csv")
            write_csv(source, rows)
            what = f"{rows:,} rows"
        command = [sys.executable, __file__, "--on", str(source), "--replicates", str(replicates)]
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = json.loads(answer.splitlines()[-1])
    click.echo(f"{'stage':<10} {'seconds':>9} {'of CPU':>9} {'MB at most':>11}")
    for stage, wall, cpu, megabytes in found:
        click.echo(f"{stage:<10} {wall:9.1f} {cpu:9.1f} {megabytes:11,.0f}")
    wall, cpu = (sum(stage[place] for stage in found) for place in (1, 2))
    aim = "under 20 s, under 1,000 MB" if rows is None else "under 2,000 MB"
    click.echo(f"report on {what}: {wall:.1f} s, {cpu:.1f} s of CPU, {found[-1][3]:,.0f} MB (aim: {aim})")


if __name__ == "__main__":
    main()
