"""``molehunt export``: the tables of a store, for tools that read CSV or Parquet."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import click

from molehunt.trajectories.problem import Problem


@click.command()
@click.argument("store", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Folder for the tables, made if need be."
)
@click.option("--format", "kind", type=click.Choice(["csv", "parquet"]), default="csv", show_default=True)
def command(store: Path, out: Path, kind: Literal["csv", "parquet"]) -> None:
    """Write the tables of STORE to a folder, one file each.

    Runs, monitors, verdicts, calls, which verdict rests on which calls, excerpts, the looks of step-wise
    monitors, and what environments marked. Files of these names are replaced. Transcripts and replies stay in
    the store: see `molehunt show`.
    """
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
