"""``molehunt import``: everyone's transcripts into one file of ours, and a note of what was lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from molehunt.commands.stating import stated, stating
from molehunt.terminal import printable
from molehunt.trajectories.problem import Problem

if TYPE_CHECKING:
    from rich.console import Console

    from molehunt.analysis.hygiene import Hygiene
    from molehunt.trajectories.importing import Imported
    from molehunt.trajectories.mapping import MappingNote
    from molehunt.trajectories.unread import Unread

SHOWN = 10
"""Of a list that may be long; the note beside the file has all of it."""


def _print_schema(context: click.Context, option: click.Parameter, value: bool) -> None:
    if value:
        from molehunt.trajectories.molehunt_jsonl import SCHEMA_FILE

        click.echo(SCHEMA_FILE.read_text(), nl=False)
        context.exit()


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE.jsonl",
    help="File for the runs, .jsonl or .jsonl.gz; a note goes beside it.",
)
@click.option(
    "--format", "format_", metavar="F", help="Format of all sources; without it each file's is told."
)
@click.option(
    "--map",
    "fields",
    multiple=True,
    metavar="OURS=THEIRS",
    help="Field of a file of no known format: task=prompt. May be repeated.",
)
@stating
@click.option(
    "--schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Print the JSON Schema of a line of FILE.jsonl.",
)
def command(
    sources: tuple[str, ...],
    out: Path,
    format_: str | None,
    fields: tuple[str, ...],
    truth: str | None,
    honest: tuple[str, ...],
    attack: tuple[str, ...],
    task: str | None,
) -> None:
    """Read the runs in SOURCE…, files, folders or globs of any known format, into one file of JSON lines.

    `molehunt score` reads it like any log, and verdicts on the originals hold for it. What was used, dropped
    and guessed is printed and written beside it, with warnings about what makes results too easy.
    """
    from rich.console import Console

    from molehunt.analysis.hygiene import Inspection
    from molehunt.trajectories.importing import check_out, write_note, write_runs
    from molehunt.trajectories.sources import read_runs

    notes: list[MappingNote] = []
    inspection = Inspection()
    check_out(out)
    runs = read_runs(
        sources,
        stated(truth, honest, attack, task),
        format=format_,
        fields=_field_map(fields) or None,
        notes=notes,
    )
    imported = write_runs(runs, out, notes=notes, each=inspection.see)
    hygiene = inspection.hygiene()
    console = Console(highlight=False, soft_wrap=True)
    print_notes(notes, console)
    print_unread(imported.unread, console)
    if imported.runs:
        print_hygiene(hygiene, console)
        note = write_note(
            imported,
            warnings=[vars(finding) for finding in hygiene.findings],
            unchecked=list(hygiene.unchecked),
        )
        _print_end(imported, note, console)
    if imported.exit_status == 1:
        raise Problem(f"no run could be read, and {out} was not written")
    if imported.exit_status:
        raise click.exceptions.Exit(imported.exit_status)


def _field_map(texts: Sequence[str]) -> Mapping[str, str]:
    fields: dict[str, str] = {}
    for text in texts:
        ours, equals, theirs = (part.strip() for part in text.partition("="))
        if not (ours and equals and theirs):
            raise Problem(f"--map {text!r} maps nothing. Write --map task=prompt: our name, then theirs.")
        if ours in fields:
            raise Problem(f"--map names {ours!r} twice. Give it one field.")
        fields[ours] = theirs
    return fields


_FIELDS = {"steps": "steps", "used": "used", "dropped": "dropped", "guessed": "guesses"}


def print_notes(notes: Sequence[MappingNote], console: Console) -> None:
    """Print what became of the files, the files of a format together."""
    for name in dict.fromkeys(note.format for note in notes):
        group = [note for note in notes if note.format == name]
        runs, unread = sum(note.runs for note in group), sum(note.unread for note in group)
        lost = f", {unread:,} not read" if unread else ""
        console.print(
            _plain(f"{name}: {_count(len(group), 'file')}, {_count(runs, 'run')}{lost}"), style="bold"
        )
        for title, field in (
            ("steps", "steps"),
            ("used", "used"),
            ("dropped", "dropped"),
            ("guessed", "guesses"),
        ):
            counts = sum((Counter(getattr(note, field)) for note in group), Counter())
            if counts:
                console.print(_plain(f"  {title:8} {_listed(counts, '; ' if title == 'guessed' else ', ')}"))


def _listed(counts: Counter[str], between: str) -> str:
    shown = [f"{name} {count:,}" for name, count in counts.most_common(SHOWN)]
    more = len(counts) - len(shown)
    return between.join(shown) + (f" and {more} more" if more else "")


def print_unread(unread: Sequence[Unread], console: Console) -> None:
    """Print what could not be read, and why; what has one reason together."""
    reasons: dict[str, list[Unread]] = {}
    for one in unread:
        reasons.setdefault(one.reason, []).append(one)
    for alike in list(reasons.values())[:SHOWN]:
        more = f" (and {len(alike) - 1:,} more of these)" if len(alike) > 1 else ""
        console.print(_plain(f"unread    {alike[0]}{more}"))
    if len(reasons) > SHOWN:
        console.print(f"unread    for {len(reasons) - SHOWN:,} more reasons")


def print_hygiene(hygiene: Hygiene, console: Console) -> None:
    """Print what makes results too easy."""
    for finding in hygiene.findings:
        console.print(_plain(f"warning   {finding.what}"), style="yellow")
        console.print(_plain(f"          for example {finding.example}"))
        console.print(_plain(f"          {finding.advice}"))
    for reason in hygiene.unchecked:
        console.print(_plain(f"note      {reason}"))


def _print_end(imported: Imported, note: Path, console: Console) -> None:
    labels = (f"{imported.labels.get(name, 0):,} {name}" for name in ("attack", "honest", "unlabelled"))
    console.print(f"labels    {', '.join(labels)}")
    if imported.labels.get("unlabelled"):
        console.print(
            "          label runs now (--truth, --honest, --attack), or with a table when they are scored"
        )
    console.print(_plain(f"{imported.out}  {_count(imported.runs, 'run')}; the note is {note}"))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(printable(text))
