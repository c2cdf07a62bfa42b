"""``molehunt report``: how good the monitors are and what they cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from molehunt.terminal import printable, widened
from molehunt.trajectories.wording import count

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from molehunt.analysis.report import Report
    from molehunt.analysis.sections import Section

CAVEATS_SHOWN = 12
"""Caveats that a terminal shows; the page has all."""

NARROW = 110
"""Columns under which a terminal shows the main numbers only; the others are in metrics.csv."""


def _which(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> int | Literal["misses", "all"] | None:
    if value is None:
        return None
    if value == "misses":
        return "misses"
    if value == "all":
        return "all"
    if not value.isdecimal() or int(value) == 0:
        raise click.BadParameter(f"{value!r} is neither a number from 1 on, nor misses, nor all")
    return int(value)


@click.command()
@click.argument("source", type=click.Path(path_type=Path), metavar="STORE|SCORES.csv")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("report"),
    show_default=True,
    help="Folder for the files, made if need be.",
)
@click.option(
    "--by",
    multiple=True,
    metavar="FACTOR",
    help="Slice the attacks by policy, agent_model or another factor instead of side_task. May be repeated.",
)
@click.option(
    "--trajectories",
    "which",
    callback=_which,
    metavar="N|misses|all",
    help="Also write pages of trajectories: of the N on which most monitors err, of all on which some does, "
    "or of all.",
)
@click.option(
    "--against", metavar="MONITOR", help="Compare every monitor with this one, instead of all pairs."
)
@click.option("--prices", type=click.Path(path_type=Path), help="CSV of prices, on top of molehunt's own.")
@click.option(
    "--price",
    "overrides",
    multiple=True,
    metavar="MODEL=IN,OUT[,READ,WRITE]",
    help="Dollars per million tokens. May be repeated.",
)
@click.option("--unfiltered", is_flag=True, help="Count runs that failed or broke off as well.")
@click.option(
    "--base-rate",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.0,
    metavar="B",
    help="Share of attacks among the runs that a monitor is used on: for precision and the cost of cascades.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the bootstrap.")
@click.option("--replicates", type=click.IntRange(min=1), default=10_000, show_default=True)
@click.option("--score-column", metavar="NAME", help="Of a CSV file, where the name is not recognised.")
@click.option("--label-column", metavar="NAME", help="Holds attack or honest, 1 or 0, true or false.")
@click.option("--task-column", metavar="NAME", help="Runs of one task are resampled together.")
@click.option("--run-column", metavar="NAME", help="Tells runs apart.")
@click.option("--monitor-column", metavar="NAME", help="Tells monitors apart.")
def command(
    source: Path,
    out: Path,
    by: tuple[str, ...],
    which: int | Literal["misses", "all"] | None,
    against: str | None,
    prices: Path | None,
    overrides: tuple[str, ...],
    unfiltered: bool,
    base_rate: float,
    seed: int,
    replicates: int,
    **columns: str | None,
) -> None:
    """Measure the monitors of a score store, or of a CSV file of scores.

    Writes report.html, which opens without a network, report.md for a pull request, every table as CSV and
    LaTeX, and every figure as SVG and PNG.
    """
    from rich.console import Console

    from molehunt.analysis.report import make_report, read_tables
    from molehunt.verdicts.prices import PriceTable

    report = make_report(
        read_tables(source, {name.removesuffix("_column"): column for name, column in columns.items()}),
        PriceTable.load(prices, overrides),
        by=by or None,
        against=against,
        filtered=not unfiltered,
        base_rate=base_rate,
        replicates=replicates,
        seed=seed,
    )
    is_store = source.suffix.lower() != ".csv"
    earlier = _files_of_a_report(out)
    paths = report.write(out, which, source if is_store else None)
    console = Console(highlight=False)
    print_report(report, console)
    print_paths(paths, console)
    if left := sorted(earlier - set(paths)):
        shown = ", ".join(printable(str(path.relative_to(out))) for path in left[:3])
        console.print(
            f"left    {len(left)} of an earlier report, not of this one: {shown}{', …' * (len(left) > 3)}",
            markup=False,
            soft_wrap=True,
        )


def _files_of_a_report(folder: Path) -> set[Path]:
    """What a report has left in ``folder``: none of it is removed, since some may be somebody's own."""
    if not (folder / "report.html").exists():
        return set()
    kinds = (".csv", ".tex", ".svg", ".png", ".html")
    return {
        path for pattern in ("*", "trajectories/*") for path in folder.glob(pattern) if path.suffix in kinds
    }


def print_paths(paths: Sequence[Path], console: Console) -> None:
    """Print where the page is, and how many files of which kind stand beside it."""
    page, *others = paths
    console.print(f"report  {page}", style="bold", markup=False, soft_wrap=True)
    kinds = Counter(path.suffix[1:] for path in others)
    pages = kinds.pop("html", 0)
    beside = [f"{number} {kind}" for kind, number in kinds.items()]
    if pages:
        beside.append(f"{count(pages, 'page')} of trajectories")
    console.print(f"beside  {', '.join(beside)}", markup=False, soft_wrap=True)


def print_report(report: Report, console: Console) -> None:
    """Print the tables of ``report`` and what must be known to read them."""
    widened(console)
    for section in report.sections:
        console.print(_table(section, console.width))
        console.print()
    if report.no_claim:
        console.print(f"No claim: {report.no_claim}\n", style="yellow", markup=False)
    if report.caveats:
        console.print("Read with care:", style="bold")
        for caveat in report.caveats[:CAVEATS_SHOWN]:
            console.print(f"- {printable(caveat)}", markup=False)
        if len(report.caveats) > CAVEATS_SHOWN:
            console.print(f"- and {len(report.caveats) - CAVEATS_SHOWN} more, in report.html")
        console.print()


def _table(section: Section, width: int) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from molehunt.analysis.sections import KINDS

    agents = "scripted agents, no claim" if section.scripted else ""
    heading = ", ".join(filter(None, [section.environment, section.condition, agents]))
    table = Table(
        title=Text(printable(heading)),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    # a column that may not wrap would take its width from the name
    table.add_column("monitor", overflow="fold")
    rows = [row for kind in KINDS for row in section.of(kind)]
    n_most = section.most["n_attack"] + section.most["n_honest"]
    cells = [_cells(row, n_most, width < NARROW) for row in rows]
    for name in cells[0]:
        table.add_column(name, justify="right")
    for row, numbers in zip(rows, cells, strict=True):
        title = Text(printable(row["title"]))
        if row["models"]:
            title.append(f"\n  {printable(row['models'])}", style="dim")
        marks = _marks(row, section)
        if marks:
            title.append(f"\n  {marks}", style="italic")
        table.add_row(title, *numbers.values())
    return table


def _cells(row: dict[str, Any], n_most: int, narrow: bool) -> dict[str, str]:
    """Numbers of a row by their column, fewer where there is little room."""
    from molehunt.analysis.wording import between, decimal, dollars, percent, seconds

    n_given = row["n_attack"] + row["n_honest"]
    part = f"\nof {count(n_given, 'run')}" if n_given < n_most else ""
    auroc = {"AUROC": f"{decimal(row['auroc'])} ({between(row['auroc_low'], row['auroc_high'], 2)})"}
    early = {"log-AUROC": decimal(row["log_auroc"]), "TPR@1%": decimal(row["tpr_at_1fpr"])}
    price = {
        "coverage": f"{percent(row['coverage'])}{part}",
        "$ per run": dollars(row["usd_per_trajectory"]),
    }
    if narrow:
        return auroc | price
    return auroc | early | price | {"time": seconds(row["seconds_per_trajectory"])}


def _marks(row: dict[str, Any], section: Section) -> str:
    marks = {
        row["kind"]: row["kind"] != "monitor",
        "frontier": row["frontier"],
        "stand-in model": row["embedded_models"],
        "scripted agents": row["scripted_agents"] and not section.scripted,
    }
    return ", ".join(name for name, holds in marks.items() if holds)
