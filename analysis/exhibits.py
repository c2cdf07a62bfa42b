"""A table as it is shown: which columns, in which words, on a page, in LaTeX and in Markdown alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pandas as pd

from molehunt.analysis.drawing import Picture
from molehunt.analysis.wording import DASH, between, between_percents, decimal, percent


class Cell(NamedTuple):
    """What stands in a cell: its words, smaller words beside them, and what it is sorted by."""

    text: str
    small: str
    sort: str


@dataclass(frozen=True)
class Column:
    """A column of a table that is shown.

    Parameters
    ----------
    name : of the frame's column.
    heading : above it.
    show : puts a value into words; NaN and None are a dash before they get here.
    about : what it is, in a sentence, where the heading does not say it all.
    bounds : columns with the ends of an interval, written beside the value.
    under : a column whose text is written below the value, or empty.
    kind : names and prose, which is long, stand left and numbers right.
    """

    name: str
    heading: str
    show: Callable[[Any], str] = decimal
    about: str = ""
    bounds: tuple[str, str] | None = None
    under: str = ""
    kind: Literal["name", "prose", "number"] = "number"

    def cell(self, row: dict[str, Any]) -> Cell:
        """The cell of a row."""
        value = row[self.name]
        if value is None or value != value:
            return Cell(DASH, "", "")
        low, high = (row[name] for name in self.bounds) if self.bounds else (float("nan"),) * 2
        small = self._interval(low, high) if low == low else str(row[self.under]) if self.under else ""
        return Cell(self.show(value), small, str(value))

    def _interval(self, low: float, high: float) -> str:
        # in the unit of the value that it stands beside
        return between_percents(low, high) if self.show is percent else between(low, high, 2)


def named(name: str, heading: str, under: str = "") -> Column:
    """A column of names, with those of the column ``under`` below them.

    Examples
    --------
    >>> named("monitor", "Monitor").cell({"monitor": "eae"})
    Cell(text='eae', small='', sort='eae')
    """
    return Column(name, heading, str, under=under, kind="name")


def estimated(name: str, heading: str, show: Callable[[Any], str] = decimal, about: str = "") -> Column:
    """A column of estimates with intervals, whose ends are called like it with ``_low`` and ``_high``."""
    return Column(name, heading, show, about, (f"{name}_low", f"{name}_high"))


@dataclass(frozen=True)
class Exhibit:
    """A table with its title, and perhaps a figure of it.

    Parameters
    ----------
    key : stem of its files' names.
    title, caption : what it shows, in a word and in sentences.
    columns : in order; the first one names the row.
    grouped : names of columns that come first and, on the page, stand as headings over the rows that share
        them.
    frame : the data behind it; all of it goes into the CSV file, whatever is shown.
    picture : figures of the same, or None.
    """

    key: str
    title: str
    caption: str
    columns: Sequence[Column]
    frame: pd.DataFrame
    picture: Picture | None = None
    grouped: Sequence[str] = ()

    @property
    def own_columns(self) -> list[Column]:
        """The columns that do not stand as headings."""
        return [column for column in self.columns if column.name not in self.grouped]

    def groups(self) -> Iterator[tuple[str, list[list[Cell]]]]:
        """Rows of the cells of `own_columns`, under headings; one without heading if nothing is grouped."""
        n_headings = len(self.columns) - len(self.own_columns)
        together = groupby(self.rows(), key=lambda cells: [cell.text for cell in cells[:n_headings]])
        for heading, rows in together:
            yield " · ".join(filter(None, heading)), [cells[n_headings:] for cells in rows]

    def rows(self) -> Iterator[list[Cell]]:
        """Rows of cells."""
        names = list(self.frame.columns)
        for values in self.frame.itertuples(index=False, name=None):
            row = dict(zip(names, values, strict=True))
            yield [column.cell(row) for column in self.columns]

    def latex(self) -> str:
        """As a LaTeX table for the package ``booktabs``."""
        heads = " & ".join(latex_text(column.heading) for column in self.columns)
        body = "\n".join(
            " & ".join(latex_text(f"{cell.text} ({cell.small})" if cell.small else cell.text) for cell in row)
            + r" \\"
            for row in self.rows()
        )
        sides = "".join("r" if column.kind == "number" else "l" for column in self.columns)
        return (
            "% needs \\usepackage{booktabs}\n\\begin{table}\n\\centering\n"
            f"\\caption{{{latex_text(self.title)}. {latex_text(self.caption)}}}\n\\label{{tab:{self.key}}}\n"
            f"\\begin{{tabular}}{{{sides}}}\n\\toprule\n"
            f"{heads} \\\\\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n"
        )

    def markdown(self) -> str:
        """As a table of Markdown as GitHub reads it."""
        lines = [
            [markdown_text(column.heading) for column in self.columns],
            ["--:" if column.kind == "number" else "---" for column in self.columns],
        ]
        for row in self.rows():
            lines.append(
                [markdown_text(f"{cell.text} ({cell.small})" if cell.small else cell.text) for cell in row]
            )
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def save(self, folder: Path) -> list[Path]:
        """Write it as CSV and LaTeX, and its figure if there is one; returns the paths."""
        csv, tex = (folder / f"{self.key}.{ending}" for ending in ("csv", "tex"))
        self.frame.to_csv(csv, index=False)
        tex.write_text(self.latex(), encoding="utf-8")
        drawings = self.picture.drawings if self.picture else ()
        return [csv, tex, *(path for drawing in drawings for path in drawing.save(folder))]


def latex_text(text: str) -> str:
    r"""``text`` for LaTeX, on one line and without commands.

    Examples
    --------
    >>> print(latex_text("50% of cot_only, −0.1, a\\b"))
    50\% of cot\_only, $-$0.1, a\textbackslash{}b
    """
    return "".join(_IN_LATEX.get(character, character) for character in _on_a_line(text))


def markdown_text(text: str) -> str:
    r"""``text`` for a cell of a Markdown table: no markup, no link, and nobody is called by an @.

    Examples
    --------
    >>> markdown_text("a|b <i> @team #1 cot_only")
    'a\\|b \\<i\\> &#64;team \\#1 cot\\_only'
    """
    escaped = re.sub(r"([\\`*_{}\[\]<>#|~!$])", r"\\\1", _on_a_line(text))
    # neither a person nor an address becomes a link
    return escaped.replace("@", "&#64;").replace("://", "&#58;//")


def _on_a_line(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)


_IN_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "−": "$-$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
}
