"""``molehunt merge``: put the stores of several runs of scoring together."""

from __future__ import annotations

from pathlib import Path

import click

from molehunt.terminal import printable
from molehunt.trajectories.wording import count


@click.command()
@click.argument("stores", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="STORE…")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Store that takes them in.")
def command(stores: tuple[Path, ...], out: Path) -> None:
    """Add all that the stores STORE… hold to the store --out, such as the shards of one run.

    What is there already is not added again, so the same command may be repeated, after a kill too. The
    stores themselves stay as they are.
    """
    from molehunt.verdicts.merging import merge

    merged = merge(stores, out)
    for note in merged.notes:
        click.echo(printable(f"note      {note}"))
    click.echo(f"added     {count(merged.runs, 'run')}, {count(merged.trajectories, 'different trajectory')}")
    click.echo(f"          {count(merged.verdicts, 'verdict')}, {count(merged.calls, 'call')}")
    click.echo(printable(f"store     {merged.store}"))
