"""Broken transcripts for every reader: ``python -m benchmarks.fuzz_readers --seconds 3600``.

Small valid files are changed, in what they say or in their bytes, and read between two good files. Readers
may give runs and say what they could not read, and what was asked for may be a `Problem`; nothing else may be
raised, and the good files' runs must be there. What breaks this is kept, with its traceback.
"""

from __future__ import annotations

import copy
import gzip
import json
import random
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import zstandard

from benchmarks.transcripts import Seed, seeds
from molehunt.trajectories import EVERYTHING, Problem, Run, Unread, read_runs, render
from molehunt.trajectories.formats import FORMATS
from molehunt.trajectories.mapping import MappingNote

SLOWEST = 20.0
"""Seconds of CPU that no small file may take."""

_ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        0,
        -1,
        2**80,
        1e308,
        float("nan"),
        "",
        " ",
        "\0",
        "\ud800",
        "é" * 50,
        "```",
        "<think>",
        "{}",
    ),
    *(
        [],
        {},
        [[]],
        {"": ""},
        {"type": "text"},
        {"type": None},
        {"role": "assistant"},
        [None],
        {"type": "x" * 99},
    ),
    *(
        "attack",
        "honest",
        "tool_use",
        "tool_result",
        "reasoning",
        "2026-01-01T00:00:00Z",
        "9999-99-99",
        "c1",
        "t1",
    ),
)
_TOKENS = (
    *(
        b"\0",
        b"\n",
        b'"',
        b"\\",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\\ud800",
        b"\\udc00",
    ),
    *(
        b"[" * 2000,
        b'{"a":' * 2000,
        b"9" * 5000,
        b"NaN",
        b"-Infinity",
        b"1e999",
        b"null",
        b"PK\x03\x04",
        b"\r\n",
    ),
)
_NAMES = (
    *(
        "role",
        "content",
        "type",
        "text",
        "id",
        "label",
        "messages",
        "events",
        "arguments",
        "function",
        "epoch",
    ),
    *(
        "metadata",
        "task_id",
        "sample",
        "input",
        "output",
        "tool_calls",
        "uuid",
        "choices",
        "summary",
        "factors",
    ),
)
_FIELDS = {"task": "prompt", "completion": "completion", "label": "label", "factors.x": "passed"}


@dataclass(frozen=True)
class Finding:
    """A file that a reader did not bear, and what happened."""

    seed: Seed
    content: bytes
    what: str


class Fuzzer:
    """Changes files and reads them.

    Parameters
    ----------
    folder : empty, to work in.
    number : of the sequence of changes; equal numbers, equal changes.
    """

    def __init__(self, folder: Path, number: int) -> None:
        self._folder, self._dice = folder, random.Random(number)
        self._seeds = seeds()
        self._good = [self._written("good-1.jsonl", _GOOD), self._written("good-2.jsonl", _GOOD_TOO)]
        self._expected = [run.id for run in read_runs(self._good) if isinstance(run, Run)]
        self.counts: Counter[str] = Counter()
        assert len(self._expected) == len(self._good)

    def once(self) -> Finding | None:
        """Change one file and read it; what was wrong with that, None if nothing was."""
        seed = self._dice.choice(self._seeds)
        content = self._changed(seed)
        path = self._written(self._name(seed), content)
        start = time.process_time()
        try:
            self._read(path, seed)
        except Exception:  # noqa: BLE001  whatever it is, it is what is looked for
            return Finding(seed, content, traceback.format_exc())
        finally:
            path.unlink()
        spent = time.process_time() - start
        return Finding(seed, content, f"took {spent:.0f} s of CPU") if spent > SLOWEST else None

    def _read(self, path: Path, seed: Seed) -> None:
        insisted = self._dice.choice(list(FORMATS)) if self._dice.random() < 0.15 else None
        fields = _FIELDS if insisted is None and self._dice.random() < 0.1 else None
        notes: list[MappingNote] = []
        try:
            results = list(
                read_runs([self._good[0], path, self._good[1]], format=insisted, fields=fields, notes=notes)
            )
        except Problem:
            return
        for result in results:
            _check(result)
        runs = [run for run in results if isinstance(run, Run)]
        assert len(notes) == 3
        assert sum(note.runs for note in notes) == len(runs)
        if insisted is None and fields is None:
            assert runs[0].id == self._expected[0], "the good file before was lost"
            assert runs[-1].id == self._expected[1], "the good file behind was lost"
        note = notes[1]
        assert note.runs or note.unread or note.guesses, "nothing was said of the file"
        self.counts[f"{seed.format}, {'runs' if note.runs else 'unread'}"] += 1

    def _changed(self, seed: Seed) -> bytes:
        value = copy.deepcopy(seed.value)
        dice = self._dice
        if dice.random() < 0.7:
            for _ in range(dice.choice((1, 1, 1, 2, 5))):
                value = self._otherwise(value)
        try:
            content = seed.content(value)
        except (ValueError, TypeError, RecursionError):  # what cannot be written need not be read
            content = seed.content()
        if dice.random() < 0.4:
            for _ in range(dice.choice((1, 1, 2, 8))):
                content = self._bytes(content)
        if seed.layout in ("lines", "table", "document") and dice.random() < 0.1:
            content = gzip.compress(content) if dice.random() < 0.5 else zstandard.compress(content)
            content = self._bytes(content) if dice.random() < 0.5 else content
        return content

    def _otherwise(self, value: Any, depth: int = 0) -> Any:
        """``value`` with something in it that is not as it was."""
        dice = self._dice
        if isinstance(value, str) and value[:1] in ("[", "{") and dice.random() < 0.8:
            try:  # JSON within JSON
                return json.dumps(self._otherwise(json.loads(value), depth + 1))
            except ValueError:
                return dice.choice(_ODD)
        if not isinstance(value, dict | list) or not value or dice.random() < 0.08:
            return dice.choice((dice.choice(_ODD), [value], {"content": value}, str(value)))
        places = list(value) if isinstance(value, dict) else list(range(len(value)))
        place = dice.choice(places)
        match dice.random():
            case chance if chance < 0.65:
                value[place] = self._otherwise(value[place], depth + 1)
            case chance if chance < 0.75:
                del value[place]
            case chance if chance < 0.85 and isinstance(value, list):
                value.insert(place, copy.deepcopy(dice.choice(value)))
            case chance if chance < 0.9:
                value[place] = _nested(dice.choice((3, 150, 400)))
            case _ if isinstance(value, dict):
                value[dice.choice(_NAMES)] = dice.choice((dice.choice(_ODD), value[place]))
            case _:
                dice.shuffle(value)
        return value

    def _bytes(self, content: bytes) -> bytes:
        dice = self._dice
        start, end = sorted(dice.randrange(len(content) + 1) for _ in range(2))
        end = min(end, start + dice.choice((1, 4, 64, 4096)))
        match dice.randrange(5):
            case 0:
                return content[:start] + dice.choice(_TOKENS) + content[start:]
            case 1:
                return content[:start] + content[end:]
            case 2:
                return content[:end] + content[start:end] * dice.choice((1, 3)) + content[end:]
            case 3:
                return content[:start]
        return content[:start] + bytes(dice.randrange(256) for _ in range(end - start)) + content[end:]

    def _name(self, seed: Seed) -> str:
        return (
            seed.name
            if self._dice.random() < 0.9
            else self._dice.choice(("x", "agent-1.jsonl", "a.gz", "ü.csv"))
        )

    def _written(self, name: str, content: bytes) -> Path:
        path = self._folder / name
        path.write_bytes(content)
        return path


def _check(result: Run | Unread) -> None:
    """Whether a result is one that the rest of the program can live with."""
    assert isinstance(result, Run | Unread)
    if isinstance(result, Unread):
        assert "\n" not in str(result)
        return
    assert len(result.id) == len(result.trajectory.id) == 32
    result.sample.encode()
    render(result.trajectory, EVERYTHING).text.encode()
    for step in result.trajectory.steps:
        assert step.answers is None or step.answers < step.index
        (step.tool or "").encode()
        (step.agent or "").encode()
        json.dumps(dict(step.arguments or {}), ensure_ascii=False).encode()
    if result.truth:
        json.dumps(dict(result.truth.factors), ensure_ascii=False).encode()
        f"{result.truth.environment}{result.truth.task_id}".encode()


def _nested(depth: int) -> Any:
    value: Any = "deep"
    for _ in range(depth):
        value = [value]
    return value


def _good(answer: str) -> bytes:
    messages = [{"role": "user", "content": "Count."}, {"role": "assistant", "content": answer}]
    return f"{json.dumps({'messages': messages})}\n".encode()


_GOOD, _GOOD_TOO = _good("One."), _good("Two.")


@click.command()
@click.option("--seconds", default=60.0, show_default=True, help="How long to go on.")
@click.option("--seed", "number", default=0, show_default=True, help="Of the sequence of changes.")
@click.option("--keep", type=click.Path(path_type=Path), help="Folder for files that readers do not bear.")
def main(seconds: float, number: int, keep: Path | None) -> None:
    """Read broken transcripts until the time is over; exit with 1 if a reader broke."""
    keep = keep or Path(tempfile.mkdtemp(prefix="fuzz-readers-"))
    keep.mkdir(parents=True, exist_ok=True)
    findings: dict[str, Finding] = {}
    end, count = time.monotonic() + seconds, 0
    with tempfile.TemporaryDirectory() as folder:
        fuzzer = Fuzzer(Path(folder), number)
        while time.monotonic() < end:
            count += 1
            if (finding := fuzzer.once()) is None:
                continue
            key = "\n".join(finding.what.splitlines()[-4:])
            if key not in findings:
                findings[key] = finding
                (keep / f"{len(findings)}-{finding.seed.name}").write_bytes(finding.content)
                click.echo(f"{finding.seed.format}: {finding.what}")
    click.echo(f"{count:,} files read in {seconds:.0f} s, {len(findings)} kinds of fault")
    for what, how_often in sorted(fuzzer.counts.items()):
        click.echo(f"  {what}: {how_often:,}")
    if findings:
        raise SystemExit(f"the files are in {keep}")


if __name__ == "__main__":
    main()
