"""``molehunt import``: everyone's transcripts into one file of ours, and a note of what was lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from molehunt.commands.stating import labels_line, stated, stating
from molehunt.terminal import printable
from molehunt.trajectories.problem import Problem
from molehunt.trajectories.wording import count

if TYPE_CHECKING:
    from rich.console import Console

    from molehunt.analysis.hygiene import Hygiene
    from molehunt.trajectories import Run, TruthOptions, Unread
    from molehunt.trajectories.importing import Imported
    from molehunt.trajectories.mapping import MappingNote
    from molehunt.verdicts import Store, StoredRun
    from molehunt.verdicts.others import Judgement, Scale

SHOWN = 10
"""Of a list that may be long; the note beside the file has all of it."""


def _print_schema(context: click.Context, option: click.Parameter, value: bool) -> None:
    if value:
        from molehunt.trajectories.molehunt_jsonl import SCHEMA_FILE

        click.echo(SCHEMA_FILE.read_text(), nl=False)
        context.exit()


@click.command()
@click.argument("sources", nargs=-1, metavar="SOURCE…")
@click.option(
    "--out",
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
    "--scores",
    "store",
    type=click.Path(path_type=Path),
    metavar="STORE",
    help="Store for the suspicion scores that the logs hold already, as verdicts beside ours.",
)
@click.option(
    "--score",
    "scorers",
    multiple=True,
    metavar="NAME[=LOW:HIGH]",
    help="Scorer whose numbers are suspicion, or a monitor's scale: git_diff_monitor=1:10. May be repeated.",
)
@click.option(
    "--table",
    "score_tables",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE.csv",
    help="Scores of runs that are in STORE or in SOURCE. May be repeated.",
)
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
    out: Path | None,
    format_: str | None,
    fields: tuple[str, ...],
    truth: str | None,
    honest: tuple[str, ...],
    attack: tuple[str, ...],
    task: str | None,
    store: Path | None,
    scorers: tuple[str, ...],
    score_tables: tuple[Path, ...],
) -> None:
    """Read the runs in SOURCE…, files, folders or globs of any known format, into one file of JSON lines.

    `molehunt score` reads it like any log, and verdicts on the originals hold for it. What was used, dropped
    and guessed is printed and written beside it, with warnings about what makes results too easy.

    With --scores the runs go into a store, and with them the scores of the monitors that others ran on them.
    """
    from rich.console import Console

    from molehunt.analysis.hygiene import Inspection
    from molehunt.trajectories.importing import Imported, write_runs
    from molehunt.trajectories.labels import contradictions
    from molehunt.trajectories.sources import read_runs
    from molehunt.verdicts.store import Store

    options, scales = stated(truth, honest, attack, task), _scales(scorers)
    _check(sources, out, store, scorers, score_tables)
    console = Console(highlight=False, soft_wrap=True)
    notes: list[MappingNote] = []
    inspection = Inspection()
    overruled = kept = 0
    imported = Imported(None, 0, {})
    with ExitStack() as stack:
        # before a store is made, since it finds at once what is wrong with the sources
        runs = (
            read_runs(sources, options, format=format_, fields=_field_map(fields) or None, notes=notes)
            if sources
            else iter(())
        )
        opened = None if store is None else stack.enter_context(Store.open(store))

        def each(run: Run) -> None:
            nonlocal overruled, kept
            inspection.see(run)
            overruled += options.is_overruled(run)
            if opened is not None:
                kept += not opened.add_run(run, overrule=options.labels is not None)

        if sources:
            imported = write_runs(runs, out, notes=notes, each=each)
            print_notes(notes, console)
            print_unread(imported.unread, console)
        if imported.runs:
            _print_end(imported, inspection.hygiene(), console)
            for line in (*contradictions(imported.runs, overruled, kept), *options.left_over()):
                console.print(_plain(f"note      {line}"))
        lost = 0
        if opened is not None:
            logs = [Path(note.file) for note in notes if note.format == "inspect"]
            lost = _bring_in(opened, logs, score_tables, options, scales, console)
    if sources and not imported.runs:
        raise Problem(f"no run could be read{f', and {out} was not written' if out else ''}")
    if imported.unread or lost:
        raise click.exceptions.Exit(3)


def _check(
    sources: Sequence[str],
    out: Path | None,
    store: Path | None,
    scorers: Sequence[str],
    score_tables: Sequence[Path],
) -> None:
    from molehunt.trajectories.importing import check_out

    if out is not None and not sources:
        raise Problem(f"there are no runs for {out}: name SOURCE…, or leave out --out")
    if not (sources or score_tables):
        raise Problem("nothing to import: name a file, a folder or a pattern such as 'logs/*.eval'")
    if sources and out is None and store is None:
        raise Problem("nowhere to put the runs: give --out FILE.jsonl, or --scores STORE for their scores")
    if store is None and (scorers or score_tables):
        raise Problem("nowhere to put the scores: give --scores STORE")
    if store is not None and not sources and not store.exists():
        raise Problem(f"{store} is not there, so a table has no runs to be about: name them too, SOURCE…")
    if out is not None:
        check_out(out)
        _check_apart(out, [*sources, *score_tables], store)


def _check_apart(out: Path, sources: Sequence[str | Path], store: Path | None) -> None:
    """The file of runs takes the place of another, which may be none that is needed."""
    from molehunt.trajectories.files import log_files
    from molehunt.trajectories.importing import note_file

    needed = {file.resolve() for file in log_files(sources)}
    for file in (out, note_file(out)):
        if file.resolve() in needed:
            raise Problem(f"{file} is to be read and would be replaced; give --out another name or folder")
        if store is not None and file.resolve() == store.resolve():
            raise Problem(f"{file} is to be the store as well; give --out another name")


def _bring_in(
    store: Store,
    logs: Sequence[Path],
    score_tables: Sequence[Path],
    options: TruthOptions,
    scales: Mapping[str, Scale],
    console: Console,
) -> int:
    """Put the scores of logs and tables into the store; how many rows, logs and names gave none."""
    from molehunt.trajectories.unread import Unread
    from molehunt.verdicts.others import logged_scores, store_scores, table_scores

    judged: list[tuple[Run | StoredRun, list[Judgement]]] = []
    lost: list[Unread] = []
    for log in logs:
        for found in logged_scores(log, options, scales):
            if not isinstance(found, Unread):
                judged.append(found)
            elif "scores" in found.reason:  # what else is wrong was told when the runs were read
                lost.append(found)
    for table in score_tables:
        rows, missing = table_scores(table, store.runs(), scales)
        judged += rows
        lost += missing
    print_unread(lost, console)
    monitors = {judgement.monitor for _, judgements in judged for judgement in judgements}
    unknown = scales.keys() - monitors - {monitor.partition("/")[2] for monitor in monitors}
    made = store_scores(store, judged)
    for one in made:
        unscored = f" ({one.unscored:,} without a score)" if one.unscored else ""
        counts = f"{one.new:,} new{unscored}, {one.before:,} in the store before"
        console.print(_plain(f"scores    {one.monitor}: {counts}"))
    for name in sorted(unknown):
        why = "neither a log nor a table has scores of this name for runs of the store"
        console.print(_plain(f"scores    {name}: none; {why}"))
    if not (made or unknown):
        console.print(
            "scores    none: no monitor has left any; name a scorer whose numbers are: --score NAME"
        )
    return len(lost) + len(unknown)


def _scales(texts: Sequence[str]) -> Mapping[str, Scale]:
    from molehunt.verdicts.others import Scale

    scales: dict[str, Scale] = {}
    for text in texts:
        name, _, scale = text.rpartition("=") if "=" in text else (text, "", "0:1")
        try:
            scales[name.strip()] = Scale.parse(scale)
        except ValueError as error:
            raise Problem(f"--score {text!r} has no scale. Write --score {name or 'NAME'}=0:10.") from error
    return scales


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
            _plain(f"{name}: {count(len(group), 'file')}, {count(runs, 'run')}{lost}"), style="bold"
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
    shown = [f"{name} {times:,}" for name, times in counts.most_common(SHOWN)]
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
        console.print(f"unread    for {count(len(reasons) - SHOWN, 'more reason')}")


def print_hygiene(hygiene: Hygiene, console: Console) -> None:
    """Print what makes results too easy."""
    for finding in hygiene.findings:
        console.print(_plain(f"warning   {finding.what}"), style="yellow")
        console.print(_plain(f"          for example {finding.example}"))
        console.print(_plain(f"          {finding.advice}"))
    for reason in hygiene.unchecked:
        console.print(_plain(f"note      {reason}"))


def _print_end(imported: Imported, hygiene: Hygiene, console: Console) -> None:
    from molehunt.trajectories.importing import write_note

    print_hygiene(hygiene, console)
    console.print(labels_line(imported.labels))
    if imported.labels.get("unlabelled"):
        console.print("          label them here (--truth, --honest, --attack), or by a table when scoring")
    if imported.out is not None:
        warnings = [vars(finding) for finding in hygiene.findings]
        note = write_note(imported, warnings=warnings, unchecked=list(hygiene.unchecked))
        console.print(_plain(f"{imported.out}  {count(imported.runs, 'run')}; the note is {note}"))


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(printable(text))
