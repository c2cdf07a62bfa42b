"""What becomes of other people's files: a table of every file of a folder, and whether counts agree.

    python benchmarks/real_data.py ../shared/data

Each file is read as a user's would be, without options. Where a folder has a ``manifest.json`` that counts
the samples, tool calls and reasoning blocks in the messages of Inspect's logs, the steps must be as many.
Messages lose what an agent's loop throws away, so a log may have more: these are found in its events and
named. Any other difference is an error, and the exit status is 1.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from molehunt.terminal import printable
from molehunt.trajectories import Problem, Run, read_runs
from molehunt.trajectories.inspect_files import open_log
from molehunt.trajectories.inspect_history import history
from molehunt.trajectories.mapping import MappingNote
from molehunt.verdicts.scores import read_scores

COUNTED = {"samples": "n", "tool calls": "tool_calls", "reasoning blocks": "reasoning"}
"""What is held against the manifest, and what it is called there."""

SHOWN = 5
"""Of the fields that a file lost."""


@dataclass(frozen=True)
class Came:
    """What came of a file: its note, runs by label, what could not be read, scores, the manifest's word."""

    file: Path
    note: MappingNote
    labels: Mapping[str, int]
    unread: tuple[str, ...]
    scores: str
    agreement: str

    @property
    def is_wrong(self) -> bool:
        return self.agreement.startswith("DIFFERS")


def came_of(file: Path, expected: Mapping[str, Any] | None) -> Came:
    """Read a file, and hold what came of it against the manifest's row about it."""
    notes: list[MappingNote] = []
    labels: Counter[str] = Counter()
    unread: list[str] = []
    for result in read_runs([file], notes=notes):
        if isinstance(result, Run):
            labels[result.truth.label if result.truth else "no label"] += 1
        else:
            unread.append(result.reason)
    [note] = notes
    agreement = "" if expected is None else _agreement(file, note, expected)
    return Came(file, note, dict(labels), tuple(unread), _scores(file, note), agreement)


def _scores(file: Path, note: MappingNote) -> str:
    """Of a table that is no transcripts but scores, how many it holds."""
    if note.runs or file.suffix != ".csv":
        return ""
    try:
        tables = read_scores(file)
    except Problem:
        return ""
    scored = int((tables.verdicts["status"] == "scored").sum())
    return f"a table of scores, for molehunt report: {scored} scored, {len(tables.verdicts) - scored} not"


def _agreement(file: Path, note: MappingNote, expected: Mapping[str, Any]) -> str:
    got = {
        "samples": note.runs,
        "tool calls": note.steps.get("tool_call", 0),
        "reasoning blocks": note.steps.get("reasoning", 0),
    }
    if expected.get("n") is None:
        return "a pointer, on purpose" if not note.runs else "DIFFERS: no counts to hold it against"
    off = {
        name: got[name] - expected[column]
        for name, column in COUNTED.items()
        if got[name] != expected[column]
    }
    if not off:
        return "agrees"
    only = _only_in_events(file)
    if off == {name: count for name, count in only.items() if count}:
        found = " and ".join(f"{count} {name}" for name, count in off.items())
        return f"agrees, and {found} stand in events only: the agent's loop took them out of its messages"
    return f"DIFFERS: {off} more than counted, of which the events explain {only}"


def _only_in_events(file: Path) -> dict[str, int]:
    """Tool calls and reasoning blocks that a sample's final messages lack, message by message."""
    counts = dict.fromkeys(("tool calls", "reasoning blocks"), 0)
    for raw in open_log(file).samples:
        record = raw.record()
        kept = {message.id: message for message in record.messages}
        for entry in history(record):
            if entry.role != "assistant":
                continue
            message = kept.get(entry.message)
            blocks = message.content if message and isinstance(message.content, list) else []
            thoughts = sum(isinstance(block, dict) and block.get("type") == "reasoning" for block in blocks)
            kinds = Counter(draft.kind for draft in entry.drafts)
            counts["tool calls"] += kinds["tool_call"] - len(message.calls if message else [])
            counts["reasoning blocks"] += kinds["reasoning"] - thoughts
    return counts


def each_file(folder: Path) -> Iterator[Came]:
    """What came of every file below a folder, in the order of their names."""
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        manifest = file.with_name("manifest.json")
        rows = json.loads(manifest.read_text()) if manifest.exists() else []
        expected = next((row for row in rows if row.get("file") == file.name), None)
        yield came_of(file, expected)


def row(came: Came, folder: Path) -> str:
    """A line of the table."""
    note = came.note
    steps = ", ".join(f"{kind} {count:,}" for kind, count in note.steps.items())
    truth = ", ".join(f"{label} {count:,}" for label, count in came.labels.items())
    lost = sorted(note.dropped, key=lambda name: -note.dropped[name])
    more = f" and {len(lost) - SHOWN} more" if len(lost) > SHOWN else ""
    reasons = Counter(came.unread) if not came.scores else {came.scores: 1}
    unread = "; ".join(f"{count} × {reason}" if count > 1 else reason for reason, count in reasons.items())
    cells = (
        came.file.relative_to(folder),
        note.format,
        f"{note.runs:,}",
        steps,
        truth,
        ", ".join(lost[:SHOWN]) + more,
        came.agreement or unread[:160],
    )
    return f"| {' | '.join(printable(str(cell)).replace('|', '/') for cell in cells)} |"


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(folder: Path) -> None:
    """Print a table of every file in FOLDER and what came of it."""
    click.echo("| file | format | runs | steps | truth | lost | against the manifest, or why not read |")
    click.echo("|---|---|---|---|---|---|---|")
    all_of_them: list[Came] = []
    for came in each_file(folder):
        all_of_them.append(came)
        click.echo(row(came, folder))
    read = [came for came in all_of_them if came.note.runs]
    held = [came for came in all_of_them if came.agreement]
    wrong = [came for came in held if came.is_wrong]
    click.echo(
        f"\n{len(all_of_them)} files, {len(read)} with runs, {sum(came.note.runs for came in read):,} runs; "
        f"{len(held)} held against a manifest, {len(wrong)} differ"
    )
    if wrong:
        raise click.exceptions.Exit(1)


if __name__ == "__main__":
    main()
