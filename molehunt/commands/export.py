"""``molehunt export``: what a store holds, for tools that read tables, Inspect's logs or Scout's results."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from molehunt.terminal import printable
from molehunt.trajectories.problem import Problem
from molehunt.trajectories.wording import count

if TYPE_CHECKING:
    from molehunt.adapters.kept import Kept
    from molehunt.trajectories.unread import Unread

KINDS = ("csv", "parquet", "inspect", "scout")


@click.command()
@click.argument("store", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder for what is written, made if need be.")
@click.option("--format", "kind", type=click.Choice(KINDS), default="csv", show_default=True)
@click.option(
    "--logs",
    multiple=True,
    metavar="SOURCE",
    help="Logs for inspect and scout, if they are not where they were scored. May be repeated.",
)
@click.option(
    "--in-place", is_flag=True, help="Write into the logs themselves, for inspect, in place of --out."
)
def command(store: Path, out: Path | None, kind: str, logs: tuple[str, ...], in_place: bool) -> None:
    """Write what STORE holds to a folder.

    \b
    csv, parquet  the tables, one file each: runs, monitors, verdicts, calls,
                  which verdict rests on which calls, excerpts, the looks of
                  step-wise monitors, and what environments marked
    inspect       copies of the Inspect logs with a score for each monitor,
                  for `inspect view`
    scout         a scan with a scanner for each monitor, for `scout view`

    Files of the same names are replaced. Transcripts and replies stay in the store: see `molehunt show`.
    """
    if in_place and (kind != "inspect" or out is not None):
        raise Problem("--in-place is for --format inspect without --out")
    if logs and kind not in ("inspect", "scout"):
        raise Problem("--logs is for --format inspect and scout: tables need no logs")
    if out is None and not in_place:
        raise Problem("nowhere to write: give --out FOLDER")
    if out is not None and out.exists() and not out.is_dir():
        raise Problem(f"{out} is a file; give --out a folder")
    if kind == "inspect":
        status = _inspect(store, out, logs)
    elif kind == "scout":
        status = _scout(store, Path(out or "."), logs)
    else:
        status = _tables(store, Path(out or "."), kind)
    if status:
        raise click.exceptions.Exit(status)


def _tables(store: Path, out: Path, kind: str) -> int:
    if kind == "parquet" and find_spec("pyarrow") is None:
        raise Problem(
            "Parquet needs pyarrow, which is not installed: pip install 'molehunt[parquet]', or use CSV."
        )

    from molehunt.trajectories.whole import whole
    from molehunt.verdicts.frames import tables
    from molehunt.verdicts.store import Store

    with Store.read(store) as opened:
        for name, table in tables(opened):
            file = out / f"{name}.{kind}"
            with whole(file) as part:
                if kind == "parquet":
                    table.to_parquet(part, index=False)
                else:
                    table.to_csv(part, index=False)
            click.echo(printable(f"{file}  {count(len(table), 'row')}"))
    return 0


def _inspect(store: Path, out: Path | None, logs: tuple[str, ...]) -> int:
    from molehunt.adapters.inspect_logs import check_names, write_logs
    from molehunt.adapters.kept import Kept
    from molehunt.trajectories.unread import Unread

    kept = Kept(store)
    files = _logs(kept, logs)
    if out is not None:
        check_names(files, out)
    written = unread = 0
    for result in write_logs(kept, files, out):
        if isinstance(result, Unread):
            unread += 1
            click.echo(printable(f"left out  {result}"))
        else:
            written += 1
            scores, samples = count(result.scores, "score"), count(result.samples, "sample")
            click.echo(printable(f"{result.file}  {scores} on {samples}"))
    return 1 if not written else 3 if unread else 0


def _scout(store: Path, out: Path, logs: tuple[str, ...]) -> int:
    if find_spec("inspect_scout") is None:
        raise Problem("this needs Inspect Scout, which is not installed: pip install 'molehunt[scout]'")

    from molehunt.adapters.kept import Kept
    from molehunt.adapters.scout_results import write_scan

    kept = Kept(store)
    transcripts, left_out = _readable(_transcripts(logs) if logs else _logs(kept, ()))
    for unread in left_out:
        click.echo(printable(f"left out  {unread}"))
    if not transcripts:
        return 1
    scan = write_scan(kept, transcripts, out)
    click.echo(printable(f"{scan}  {count(len(kept.monitors), 'scanner')}"))
    return 3 if left_out else 0


def _transcripts(logs: tuple[str, ...]) -> list[Path]:
    """The files that are named, but databases of Scout's as the folders that they are."""
    from molehunt.trajectories.sources import log_files

    found = {log: log_files([log]) for log in logs}
    return [
        path
        for log, files in found.items()
        for path in ([Path(log)] if any(file.suffix == ".parquet" for file in files) else files)
    ]


def _readable(transcripts: list[Path]) -> tuple[list[Path], list[Unread]]:
    """Those that Scout can read, which stops at the first log that is damaged, and why not the others."""
    from molehunt.trajectories.archives import Damaged
    from molehunt.trajectories.inspect_files import open_log
    from molehunt.trajectories.unread import Unread

    readable, left_out = [], []
    for path in transcripts:
        try:
            if path.suffix == ".eval" and not path.is_dir():
                open_log(path)
            readable.append(path)
        except Damaged as reason:
            left_out.append(Unread(str(path), None, str(reason)))
        except OSError as error:
            left_out.append(Unread(str(path), None, f"cannot be read: {error.strerror or error}"))
    return readable, left_out


def _logs(kept: Kept, logs: tuple[str, ...]) -> list[Path]:
    from molehunt.trajectories.sources import log_files

    if logs:
        return log_files(logs)
    if not kept.logs:
        raise Problem("the store has no runs from Inspect's logs; name logs with --logs")
    gone = [log for log in kept.logs if not Path(log).exists()]
    if gone:
        raise Problem(f"{gone[0]} is not there any more; say where the logs are: --logs FOLDER")
    return [Path(log) for log in kept.logs]
