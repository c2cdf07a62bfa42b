"""``molehunt monitors``: what there is to score with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from molehunt.terminal import printable
from molehunt.trajectories.problem import Problem

if TYPE_CHECKING:
    from rich.console import Console

    from molehunt.monitors.registry import Description

ORACLE = "it has seen truth: shown beside the others, never on the frontier and never best"

PAGE_OPENING = """\
# The monitors

This page is made from the code, by `molehunt monitors --page > docs/monitors.md`. \
A monitor is written as `name(parameter=value, …)`, as in `--monitor 'eae(min_excerpts=8)'`. \
Those of other packages are not listed here; `molehunt monitors` lists all that are installed.
"""

_SECTION = re.compile(r"^(Parameters|Raises|Returns|References|Examples)\n-+$", re.MULTILINE)
_PARAMETER = re.compile(r"(?P<names>\w+(?:, \w+)*) : (?P<meaning>.*)")


@click.command()
@click.argument("name", required=False)
@click.option(
    "--page", is_flag=True, help="Print the page of the documentation on all monitors, as Markdown."
)
def command(name: str | None, page: bool) -> None:
    """List the monitors, or describe the one called NAME.

    NAME may also be one in a file: mine.py@keyword.
    """
    from rich.console import Console

    from molehunt.monitors.registry import describe

    if page and name is not None:
        raise click.UsageError("the page is about all monitors: leave out NAME")
    console = Console()
    if page:
        click.echo("\n".join(_page()))
    elif name is None:
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

    about, meanings = taken_apart(monitor.text)
    console.print(_plain(about), highlight=False)
    facts = Table(box=None, pad_edge=False, show_header=False)
    facts.add_column(style="bold")
    facts.add_column(overflow="fold")
    for title, text in _facts(monitor):
        facts.add_row(title, _plain(text))
    console.print()
    console.print(facts)
    if monitor.parameters:
        parameters = Table(box=None, pad_edge=False, header_style="bold")
        for title in ("parameter", "takes", "default", "what it is"):
            parameters.add_column(title, overflow="fold")
        for name, takes, default in monitor.parameters:
            row = (name, takes, "none, give it" if default is None else default, meanings.get(name, ""))
            parameters.add_row(*map(_plain, row))
        console.print()
        console.print(parameters)


def _facts(monitor: Description) -> Iterator[tuple[str, str]]:
    yield "roles", ", ".join(monitor.roles) or "none: it asks no model"
    yield "calls", f"{monitor.calls} for each {monitor.each}"
    yield "source", monitor.source or "not stated"
    if monitor.oracle:
        yield "oracle", ORACLE
    yield "from", monitor.home


def _page() -> Iterator[str]:
    from molehunt.monitors.registry import describe, own_names

    ours = [describe(name) for name in own_names()]
    yield PAGE_OPENING
    yield "| monitor | roles | calls | what it does |"
    yield "|---|---|---|---|"
    for monitor in ours:
        roles = ", ".join(monitor.roles) or "none"
        calls = f"{monitor.calls} a {monitor.each}" if monitor.roles else "0"
        row = (f"[`{monitor.name}`](#{monitor.name})", roles, calls, monitor.summary)
        yield f"| {' | '.join(map(_cell, row))} |"
    for monitor in ours:
        about, meanings = taken_apart(monitor.text)
        yield f"\n## {monitor.name}\n\n{about}\n"
        yield "\n".join(f"- {title}: {text}" for title, text in _facts(monitor) if title != "from")
        if monitor.parameters:
            yield "\n| parameter | takes | default | what it is |\n|---|---|---|---|"
            for name, takes, default in monitor.parameters:
                value = "none, give it" if default is None else f"`{default}`"
                yield f"| `{name}` | {_cell(takes)} | {_cell(value)} | {_cell(meanings.get(name, ''))} |"


def taken_apart(text: str) -> tuple[str, dict[str, str]]:
    """What a docstring says before its sections, a line a paragraph, and what it says of each parameter.

    Examples
    --------
    >>> taken_apart("Counts.\\n\\nMore\\nwords.\\n\\nParameters\\n---\\nhalf : a number,\\n    or not.")
    ('Counts.\\n\\nMore words.', {'half': 'a number, or not.'})
    """
    about, *sections = _SECTION.split(text)
    meanings: dict[str, str] = {}
    for title, section in zip(sections[::2], sections[1::2], strict=True):
        names: list[str] = []
        for line in section.splitlines() if title == "Parameters" else ():
            if found := _PARAMETER.fullmatch(line):
                names = found["names"].split(", ")
                meanings |= dict.fromkeys(names, found["meaning"])
            elif line.startswith(" "):
                meanings |= {name: f"{meanings[name]} {line.strip()}" for name in names}
            else:
                names = []
    paragraphs = [" ".join(paragraph.split()) for paragraph in about.strip().split("\n\n")]
    return "\n\n".join(paragraphs), meanings


def _cell(text: str) -> str:
    """``text`` as a cell of a table in Markdown."""
    return text.replace("|", "\\|").replace("\n", " ")


def _plain(text: str) -> str:
    """Text of others without markup of rich's and without control characters."""
    from rich.markup import escape

    return escape(printable(text, keep="\n"))
