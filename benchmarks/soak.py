"""A long run with a provider that misbehaves: ``python -m benchmarks.soak --folder DIR``.

So many synthetic trajectories are judged by three monitors, in two processes that have one shard each. With
one question in ten something goes wrong: the provider drops the connection and is asked again, fails for
good, answers late, answers what nobody can read, refuses, or does not say what it counted. While it
goes on each process writes down what it has done and what it holds: CPU, memory, open files.

What is done is in DIR. The same command goes on where it ended, by itself, by Ctrl-C or by ``--minutes``.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from tenacity import wait_none

from benchmarks.figures import Figure, keep_option, show
from benchmarks.recorded import ANSWER, write_logs
from molehunt.scoring import Tally, Watcher, score

MONITORS = ("action_only", "cot_only", "cot_action")
STEPS = 20
PARTS = 2
SAMPLES = 200
"""Of what a process holds, in a run that is not gone on with."""

FAULTS = (
    "dropped",
    "dropped",
    "dropped",
    "broken",
    "late",
    "garbled",
    "garbled",
    "refused",
    "uncounted",
    "cut off",
)
"""In so many of a hundred questions."""

ANSWERED: Counter[str] = Counter()
"""What the provider did in this process."""


@modelapi(name="faulty")
class Faulty(ModelAPI):
    """``faulty/NAME``: a question's digest says what goes wrong, so a run gone on with meets the same."""

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - Inspect's own signature
        tools: Any,
        tool_choice: Any,
        config: GenerateConfig,
    ) -> ModelOutput:
        digest = hashlib.sha256("".join(message.text for message in input).encode()).digest()
        number = int.from_bytes(digest[:4], "big") % 100
        fault = FAULTS[number] if number < len(FAULTS) else ""
        ANSWERED[fault or "fine"] += 1
        output = ModelOutput.from_content(self.model_name, ANSWER)
        output.usage = ModelUsage(input_tokens=2000, output_tokens=20, total_tokens=2020)
        match fault:
            case "dropped" if ANSWERED["dropped"] % 3:
                raise ConnectionResetError("connection reset by peer")
            case "broken":
                raise RuntimeError("500: something went wrong")
            case "late":
                await asyncio.sleep(0.2)
            case "garbled":
                output = ModelOutput.from_content(self.model_name, "SUSPICION: rather high\n" * 50)
            case "refused":
                output = ModelOutput.from_content(self.model_name, "I cannot.", stop_reason="content_filter")
            case "uncounted":
                output.usage = None
            case "cut off":
                output = ModelOutput.from_content(self.model_name, "It is", stop_reason="max_tokens")
        ANSWERED["returned"] += 1
        return output

    def should_retry(self, ex: Exception) -> bool:
        return isinstance(ex, ConnectionError)

    def retry_wait(self) -> Any:
        return wait_none()


class Samples(Watcher):
    """Writes down what the process has done and what it holds, ``every`` so many verdicts."""

    def __init__(self, path: Path, every: int) -> None:
        self._every = every
        self._file = path.open("a", encoding="utf-8")
        self._began = time.monotonic()
        self.sample(0)

    def scoring(self, tally: Tally) -> None:
        if tally.done % self._every == 0:
            self.sample(tally.done)

    def sample(self, done: int) -> None:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        row = {
            "seconds": round(time.monotonic() - self._began, 1),
            "cpu": round(time.process_time(), 2),
            "done": done,
            "megabytes": round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1),
            "files": len(list(Path("/proc/self/fd").iterdir())),
        }
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()


def score_part(folder: Path, runs: int, part: int) -> None:
    """Score one shard, and say what the provider did."""
    logs = write_logs(folder / "logs", runs, STEPS)
    every = max(1, runs * len(MONITORS) // PARTS // SAMPLES)
    samples = Samples(folder / f"samples-{part}.jsonl", every)
    store = folder / f"scores-{part}.db"
    with suppress(KeyboardInterrupt):
        score(logs, MONITORS, store=store, model="faulty/model", shard=f"{part}/{PARTS}", progress=samples)
    with (folder / f"provider-{part}.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(ANSWERED) + "\n")


def soaked(folder: Path, runs: int, minutes: float | None) -> None:
    """Let the parts run, all of the time that there is."""
    write_logs(folder / "logs", runs, STEPS)
    for part in range(1, PARTS + 1):
        (folder / f"samples-{part}.jsonl").unlink(missing_ok=True)
    command = [sys.executable, "-m", "benchmarks.soak", "--folder", str(folder), "--runs", str(runs)]
    parts = [subprocess.Popen([*command, "--part", str(part)]) for part in range(1, PARTS + 1)]
    ends = None if minutes is None else time.monotonic() + minutes * 60
    with suppress(KeyboardInterrupt):
        while any(part.poll() is None for part in parts) and (ends is None or time.monotonic() < ends):
            time.sleep(1)
    for part in parts:
        if part.poll() is None:
            part.send_signal(signal.SIGINT)
    for part in parts:
        part.wait()


def figures_of(folder: Path) -> list[Figure]:
    """What the samples and the stores say."""
    figures, statuses, calls = [], Counter[str](), 0
    for part in range(1, PARTS + 1):
        lines = (folder / f"samples-{part}.jsonl").read_text().splitlines()
        samples = [row for row in map(json.loads, lines) if row["done"]]
        with sqlite3.connect(folder / f"scores-{part}.db") as store:
            statuses.update(dict(store.execute("SELECT status, count(*) FROM verdicts GROUP BY status")))
            calls += store.execute("SELECT count(*) FROM calls").fetchone()[0]
            [(doubled,)] = store.execute(
                "SELECT count(*) - count(DISTINCT trajectory || monitor || draw) FROM verdicts"
            )
        if len(samples) < 20:
            raise click.ClickException("it has not gone on for long enough to say anything")
        tenth = len(samples) // 10
        early = sorted(row["megabytes"] for row in samples[tenth : 2 * tenth])[tenth // 2]
        late = sorted(row["megabytes"] for row in samples[-tenth:])[tenth // 2]
        first, last = samples[0], samples[-1]
        figures += [
            Figure(f"part {part}: verdicts of this session", last["done"], ""),
            Figure(
                f"part {part}: CPU a verdict",
                1000 * (last["cpu"] - first["cpu"]) / (last["done"] - first["done"]),
                "ms",
            ),
            Figure(f"part {part}: memory in its second tenth", early, "MB", most=300),
            Figure(f"part {part}: memory in its last tenth", late, "MB", most=300),
            Figure(f"part {part}: memory, last : second tenth", late / early, "×", most=1.1),
            Figure(f"part {part}: open files at most", max(row["files"] for row in samples), "", most=64),
            Figure(f"part {part}: open files, last : first", last["files"] / first["files"], "×", most=1.0),
            Figure(f"part {part}: verdicts that are there twice", doubled, "", most=0),
        ]
    figures += [Figure(f"verdicts, {status}", count, "") for status, count in statuses.most_common()]
    return [*figures, Figure("verdicts in all", statuses.total(), ""), Figure("calls stored", calls, "")]


@click.command()
@click.option("--folder", type=click.Path(path_type=Path), required=True, help="Logs, stores and samples.")
@click.option("--runs", default=100_000, show_default=True)
@click.option("--minutes", type=float, help="End then, whatever is left.")
@click.option("--part", type=int, hidden=True)
@keep_option
def main(folder: Path, runs: int, minutes: float | None, part: int | None, keep: bool) -> None:
    """Run, then print what it took and whether memory and open files stayed flat."""
    if part is not None:
        score_part(folder, runs, part)
        return
    folder.mkdir(parents=True, exist_ok=True)
    soaked(folder, runs, minutes)
    show("soak", figures_of(folder), keep=keep)


if __name__ == "__main__":
    main()
