"""``molehunt export``: what a store holds, for tools that read tables, Inspect's logs or Scout's results."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from molehunt.terminal import printable
from molehunt.trajectories.problem import Problem

if TYPE_CHECKING:
    from molehunt.adapters.kept import Kept

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

    from molehunt.verdicts.frames import tables
    from molehunt.verdicts.store import Store

    with Store.read(store) as opened:
        out.mkdir(parents=True, exist_ok=True)
        for name, table in tables(opened):
            file = out / f"{name}.{kind}"
            if kind == "parquet":
                table.to_parquet(file, index=False)
            else:
                table.to_csv(file, index=False)
            click.echo(f"{file}  {len(table)} rows")
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
            click.echo(printable(f"{result.file}  {result.scores} scores on {result.samples} samples"))
    return 1 if not written else 3 if unread else 0


def _scout(store: Path, out: Path, logs: tuple[str, ...]) -> int:
    if find_spec("inspect_scout") is None:
        raise Problem("this needs Inspect Scout, which is not installed: pip install 'molehunt[scout]'")

    from molehunt.adapters.kept import Kept
    from molehunt.adapters.scout_results import write_scan

    kept = Kept(store)
    # a transcript database is a folder, and not the files in it
    scan = write_scan(kept, [Path(log) for log in logs] or _logs(kept, ()), out)
    click.echo(printable(f"{scan}  {len(kept.monitors)} scanners"))
    return 0


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
