"""The report: tables, figures and a page, from a store or from a table of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from molehunt.analysis.caveats import caveats, no_claim
from molehunt.analysis.comparisons import compare
from molehunt.analysis.intervals import REPLICATES
from molehunt.analysis.observations import Observations, observe
from molehunt.analysis.page import page
from molehunt.analysis.sections import Section, sections
from molehunt.analysis.summary import summarise
from molehunt.trajectories import Problem
from molehunt.verdicts.frames import Tables, read_store
from molehunt.verdicts.prices import PriceTable
from molehunt.verdicts.scores import read_scores


@dataclass(frozen=True)
class Settings:
    """How a report was made, for its provenance; see `make_report`."""

    by: tuple[str, ...]
    against: str | None
    filtered: bool
    replicates: int
    seed: int


@dataclass(frozen=True)
class Report:
    """Everything that the report's files are written from.

    Parameters
    ----------
    name : what was read.
    metrics : see `summarise`.
    comparisons : see `compare`.
    sections : the same by condition, with figures.
    no_claim : what nobody may conclude, empty where there is no such thing.
    caveats : sentences about these data.
    seen, prices, settings : what it was computed from, and how.
    """

    name: str
    metrics: pd.DataFrame
    comparisons: pd.DataFrame
    sections: tuple[Section, ...]
    no_claim: str
    caveats: tuple[str, ...]
    seen: Observations
    prices: PriceTable
    settings: Settings

    def write(self, out: str | Path) -> list[Path]:
        """Write ``report.html``, ``metrics.csv``, ``comparisons.csv`` and the figures into a folder.

        Returns the paths, the page first.
        """
        folder = Path(out)
        folder.mkdir(parents=True, exist_ok=True)
        html = folder / "report.html"
        html.write_text(page(self), encoding="utf-8")
        tables = []
        for name, table in (("metrics", self.metrics), ("comparisons", self.comparisons)):
            tables.append(folder / f"{name}.csv")
            table.to_csv(tables[-1], index=False)
        figures = [
            path for section in self.sections for figure in section.figures for path in figure.save(folder)
        ]
        return [html, *tables, *figures]


def read_tables(source: str | Path, columns: Mapping[str, str | None] | None = None) -> Tables:
    """A score store, or a table of scores if the file's name ends in ``.csv``.

    Parameters
    ----------
    columns : for a table, names of its columns that are not recognised: see `read_scores`.

    Raises
    ------
    Problem
        If the file is missing or neither; if columns are named for a store.
    """
    path = Path(source)
    named = {field: name for field, name in (columns or {}).items() if name is not None}
    if path.suffix.lower() == ".csv":
        return read_scores(path, **named)
    if named:
        raise Problem(
            f"{path} is read as a store, whose columns have fixed names. Leave out "
            f"{', '.join(f'--{field}-column' for field in named)}, or give a file that ends in .csv."
        )
    return read_store(path)


def make_report(
    tables: Tables,
    prices: PriceTable | None = None,
    by: Sequence[str] = (),
    against: str | None = None,
    filtered: bool = True,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> Report:
    """Compute a report.

    Parameters
    ----------
    tables : from `read_tables`.
    prices : the table that comes with molehunt by default.
    by, filtered, replicates, seed : see `summarise`.
    against : see `compare`.

    Raises
    ------
    Problem
        If there is nothing to report on; if a factor or a baseline is not there.
    """
    prices = prices or PriceTable.load()
    seen = observe(tables, prices)
    if seen.frame.empty:
        raise Problem(_nothing(tables, seen))
    metrics = summarise(seen, by, filtered, replicates, seed)
    comparisons = compare(seen, against, filtered, replicates, seed)
    parts = tuple(sections(seen, metrics, comparisons, filtered))
    return Report(
        name=tables.name,
        metrics=metrics,
        comparisons=comparisons,
        sections=parts,
        no_claim=no_claim(metrics),
        caveats=tuple(caveats(parts, seen, prices)),
        seen=seen,
        prices=prices,
        settings=Settings(tuple(by), against, filtered, replicates, seed),
    )


def _nothing(tables: Tables, seen: Observations) -> str:
    if seen.n_unlabelled:
        return (
            f"{tables.name} has verdicts on {seen.n_unlabelled} runs, and nobody has said which are attacks. "
            "Say it with `molehunt score … --honest GLOB --attack GLOB` or `--truth`: nothing is scored anew."
        )
    return f"{tables.name} has no verdicts. Make some with `molehunt score`."
