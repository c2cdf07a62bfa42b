"""The report: tables, figures and a page, from a store or from a table of scores."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from molehunt.analysis.caveats import caveats, no_claim
from molehunt.analysis.comparisons import compare
from molehunt.analysis.exhibits import Exhibit
from molehunt.analysis.headline import headlines
from molehunt.analysis.intervals import REPLICATES
from molehunt.analysis.markdown import markdown
from molehunt.analysis.misses import misses
from molehunt.analysis.observations import Observations, observe
from molehunt.analysis.oracles import with_side_task_words
from molehunt.analysis.page import page
from molehunt.analysis.panels import panels
from molehunt.analysis.sections import Section, sections
from molehunt.analysis.summary import summarise
from molehunt.analysis.trajectory_pages import Which, address, chosen, write_pages
from molehunt.trajectories import Problem
from molehunt.trajectories.wording import count
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
    base_rate: float


@dataclass(frozen=True)
class Report:
    """Everything that the report's files are written from.

    Parameters
    ----------
    name : what was read.
    metrics : see `summarise`; `overall` and `slices` are its two kinds of rows.
    comparisons : see `compare`.
    errors : see `misses`.
    sections : the same by condition, with figures.
    exhibits : further tables, each for a question that these data can answer.
    no_claim : what nobody may conclude, empty where there is no such thing.
    caveats : sentences about these data.
    seen, prices, settings : what it was computed from, and how.
    """

    name: str
    metrics: pd.DataFrame
    comparisons: pd.DataFrame
    errors: pd.DataFrame
    sections: tuple[Section, ...]
    exhibits: tuple[Exhibit, ...]
    no_claim: str
    caveats: tuple[str, ...]
    seen: Observations
    prices: PriceTable
    settings: Settings

    @property
    def overall(self) -> pd.DataFrame:
        """The rows of ``metrics`` over all attacks: one for each condition and monitor."""
        rows = self.metrics[self.metrics["by"] == ""]
        return rows.drop(columns=["by", "slice"]).reset_index(drop=True)

    @property
    def slices(self) -> pd.DataFrame:
        """The rows of ``metrics`` over some attacks: those for which ``by`` has the value ``slice``."""
        return self.metrics[self.metrics["by"] != ""].reset_index(drop=True)

    def write(
        self, out: str | Path, trajectories: Which | None = None, store: str | Path | None = None
    ) -> list[Path]:
        """Write all files into a folder.

        They are ``report.html``, ``report.md``, ``metrics.csv``, ``comparisons.csv``, ``errors.csv``, every
        table as LaTeX (and as CSV where it is none of those), every figure as SVG and PNG, and the pages of
        trajectories.

        Parameters
        ----------
        out : folder, made if need be.
        trajectories : which of them get a page of their own, none by default; see `Which`.
        store : has the steps and verdicts that their pages show.

        Returns
        -------
        Paths, the page first.

        Raises
        ------
        Problem
            If pages are asked for and there is no store.
        """
        folder = Path(out)
        folder.mkdir(parents=True, exist_ok=True)
        pages: list[Path] = []
        shown: list[str] = []
        if trajectories is not None:
            if store is None:
                raise Problem(f"{self.name} has no transcripts to make pages of. Report on a score store.")
            shown = chosen(self.seen, self.errors, trajectories)
            pages = write_pages(store, folder, self.seen, self.errors, shown)
        html, summary = folder / "report.html", folder / "report.md"
        html.write_text(page(self, {name: address(name) for name in shown}), encoding="utf-8")
        summary.write_text(markdown(self), encoding="utf-8")
        tables = []
        for name in ("metrics", "comparisons", "errors"):
            tables.append(folder / f"{name}.csv")
            getattr(self, name).to_csv(tables[-1], index=False)
        for exhibit in headlines(self.sections):
            tables.append(folder / f"{exhibit.key}.tex")
            tables[-1].write_text(exhibit.latex(), encoding="utf-8")
        tables += [path for exhibit in self.exhibits for path in exhibit.save(folder)]
        figures = [
            path for section in self.sections for figure in section.drawings for path in figure.save(folder)
        ]
        return [html, summary, *tables, *figures, *pages]


def read_tables(source: str | Path | pd.DataFrame, columns: Mapping[str, str | None] | None = None) -> Tables:
    """A score store, or a table of scores: a data frame, or a file whose name ends in ``.csv``.

    To a store whose attack runs have side tasks and whose runs show reasoning the oracle floor of
    `side_task_words` is added.

    Parameters
    ----------
    columns : for a table, names of its columns that are not recognised: see `read_scores`.

    Raises
    ------
    Problem
        If the file is missing or neither; if columns are named for a store.
    """
    named = {field: name for field, name in (columns or {}).items() if name is not None}
    if isinstance(source, pd.DataFrame):
        return read_scores(source, **named)
    path = Path(source)
    if path.suffix.lower() == ".csv":
        return read_scores(path, **named)
    if named:
        raise Problem(
            f"{path} is read as a store, whose columns have fixed names. Leave out "
            f"{', '.join(f'--{field}-column' for field in named)}, or give a file that ends in .csv."
        )
    return with_side_task_words(read_store(path), path)


def make_report(
    tables: Tables,
    prices: PriceTable | None = None,
    by: Sequence[str] | None = None,
    against: str | None = None,
    filtered: bool = True,
    replicates: int = REPLICATES,
    seed: int = 0,
    base_rate: float = 0.0,
) -> Report:
    """Compute a report.

    Parameters
    ----------
    tables : from `read_tables`.
    prices : the table that comes with molehunt by default.
    by : factors to slice the attacks by, the side task by default where there are several.
    filtered, replicates, seed, base_rate : see `summarise`.
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
    by = _worth_slicing(seen) if by is None else tuple(by)
    metrics = summarise(seen, by, filtered, replicates, seed, base_rate)
    comparisons = compare(seen, against, filtered, replicates, seed)
    parts = tuple(sections(seen, metrics, comparisons, filtered, against))
    return Report(
        name=tables.name,
        metrics=metrics,
        comparisons=comparisons,
        errors=misses(seen, filtered),
        sections=parts,
        exhibits=tuple(panels(seen, filtered, replicates, seed, base_rate)),
        no_claim=no_claim(metrics),
        caveats=tuple(caveats(parts, seen, prices)),
        seen=seen,
        prices=prices,
        settings=Settings(by, against, filtered, replicates, seed, base_rate),
    )


def _worth_slicing(seen: Observations) -> tuple[str, ...]:
    side_tasks = seen.frame["side_task"].nunique() if "side_task" in seen.factors else 0
    return ("side_task",) if side_tasks > 1 else ()


def _nothing(tables: Tables, seen: Observations) -> str:
    if seen.n_unlabelled:
        return (
            f"{tables.name} has verdicts on {count(seen.n_unlabelled, 'run')}, and nobody has said which are "
            "attacks. Say it with `molehunt score … --honest GLOB --attack GLOB` or `--truth`: "
            "nothing is scored anew."
        )
    return f"{tables.name} has no verdicts. Make some with `molehunt score`."


if __name__ == "__main__":
    # the command's options and errors, without a way up from this room to the command line
    sys.argv[1:1] = ["report"]
    runpy.run_module("molehunt", run_name="__main__")
