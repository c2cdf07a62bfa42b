"""``molehunt monitors``: what there is to score with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from molehunt.terminal import printable
from molehunt.trajectories.problem import Problem

if TYPE_CHECKING:
    from rich.console import Console

    from molehunt.monitors.registry import Description


ORACLE = "it has seen truth: shown beside the others, never on the frontier and never best"


@click.command()
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the monitors, or describe the one called NAME.

    NAME may also be one in a file: mine.py@keyword.
    """
    from rich.console import Console

    from molehunt.monitors.registry import describe

    console = Console()
    if name is None:
        _list(console)
    else:
        _describe(describe(name), console)


def _list(console: Console) -> None:
    from rich.table import Table

    from molehunt.monitors.registry import describe, names

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("monitor", no_wrap=True)
    table.add_column("roles", overflow="fold")
    table.add_column("what it does", overflow="fold")
    for name in names():
        try:
            monitor = describe(name)
        except Problem as problem:
            # one installed monitor that cannot be loaded does not hide the others
            table.add_row(_plain(name), "", _plain(str(problem)))
        else:
            summary = f"(oracle) {monitor.summary}" if monitor.oracle else monitor.summary
            table.add_row(*map(_plain, (name, ", ".join(monitor.roles) or "none", summary)))
    console.print(table)
    console.print("\nParameters, source and calls of one: molehunt monitors NAME", highlight=False)


def _describe(monitor: Description, console: Console) -> None:
    from rich.table import Table

    console.print(_plain(monitor.text), highlight=False)
    facts = Table(box=None, pad_edge=False, show_header=False)
    facts.add_column(style="bold")
    facts.add_column(overflow="fold")
    for title, text in (
        ("roles", ", ".join(monitor.roles) or "none: it asks no model"),
        ("calls", f"{monitor.calls} for each {monitor.each}"),
        ("source", monitor.source or "not stated"),
        *([("oracle", ORACLE)] if monitor.oracle else []),
        ("from", monitor.home),
    ):
        facts.add_row(title, _plain(text))
    console.print()
    console.print(facts)
    if monitor.parameters:
        parameters = Table(box=None, pad_edge=False, header_style="bold")
        for title in ("parameter", "takes", "default"):
            parameters.add_column(title, overflow="fold")
        for name, takes, default in monitor.parameters:
            parameters.add_row(*map(_plain, (name, takes, "none, give it" if default is None else default)))
        console.print()
        console.print(parameters)


def _plain(text: str) -> str:
    """Text of others without markup of rich's and without control characters."""
    from rich.markup import escape

    return escape(printable(text, keep="\n"))
