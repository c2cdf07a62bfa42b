"""Cells of a table of scores by what they mean, and complaints that name the row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from molehunt.trajectories import Label, Problem

NAMES: Mapping[str, tuple[str, ...]] = {
    "score": ("score", "suspicion", "suspicion_score", "monitor_score"),
    "label": ("label", "truth", "arm", "is_attack", "attack", "run"),
    "task": ("task_id", "problem_id", "task", "problem"),
    "run": ("run_id", "custom_id", "sample_id", "trajectory_id", "uuid", "sample", "id"),
    "monitor": ("monitor", "monitor_name"),
    "draw": ("draw",),
    "model": ("model", "monitor_model"),
    "environment": ("environment", "dataset"),
    "agent_model": ("agent_model", "agent"),
    "main_score": ("main_score",),
    "side_score": ("side_score",),
    "side_task": ("side_task",),
    "policy": ("policy",),
    "awareness": ("awareness",),
    "seconds": ("seconds",),
    "input": ("input_tokens", "n_input_tokens", "prompt_tokens", "n_prompt_tokens"),
    "cache_read": ("cache_read_tokens", "cache_read_input_tokens", "input_tokens_cache_read"),
    "cache_write": ("cache_write_tokens", "cache_creation_input_tokens", "input_tokens_cache_write"),
    "output": ("output_tokens", "n_output_tokens", "completion_tokens", "n_completion_tokens"),
    "reasoning": ("reasoning_tokens", "n_reasoning_tokens"),
}
"""What is recognised, in columns of which names, whatever their case; the first that a table has counts."""

LABELS: Mapping[str, Label] = {
    **dict.fromkeys(("attack", "1", "1.0", "true"), "attack"),
    **dict.fromkeys(("honest", "0", "0.0", "false"), "honest"),
}


class Sheet:
    """A table, its columns by what they mean (`NAMES`), its rows counted as in a spreadsheet.

    Parameters
    ----------
    source : CSV file with the names of its columns in the first row, or a data frame.
    named : names of columns that are not among those recognised, by what they mean.
    needed : what it must have a column for.

    Attributes
    ----------
    file : what it was read from, for people.
    rows : the numbers of the rows that hold something, the first row is 1 and names the columns.

    Raises
    ------
    Problem
        Any method, with file and row.
    """

    def __init__(
        self,
        source: Path | pd.DataFrame,
        named: Mapping[str, str],
        needed: Sequence[str] = ("score", "label"),
    ) -> None:
        self.file = file = Path("scores") if isinstance(source, pd.DataFrame) else source
        cells = _cells_of(source) if isinstance(source, pd.DataFrame) else _cells(source)
        columns = {name.strip().lower(): position for position, name in enumerate(cells.iloc[0])}
        for name in named.values():
            if name.strip().lower() not in columns:
                raise Problem(f"{file} has no column {name!r}. Its columns are {', '.join(cells.iloc[0])}.")
        wanted = {**NAMES, **{field: (name.strip().lower(),) for field, name in named.items()}}
        found = {
            field: next(columns[name] for name in names if name in columns)
            for field, names in wanted.items()
            if not columns.keys().isdisjoint(names)
        }
        if "run" in columns and found.get("label") != columns["run"]:
            found.setdefault("run", columns["run"])  # it may be either: a label, or what tells runs apart
        for field in needed:
            if field not in found:
                raise Problem(
                    f"{file} has no column called like a {field} ({', '.join(NAMES[field])}). "
                    f"Rename the column that it is, or name it (a report takes --{field}-column NAME): "
                    f"{', '.join(cells.iloc[0])}."
                )
        body = cells.iloc[1:]
        self._columns = {field: body[position].str.strip() for field, position in found.items()}
        self.rows = body.index
        if body.empty:
            raise Problem(f"{file} has names of columns and nothing below them.")

    def has(self, field: str) -> bool:
        """Whether the file has such a column."""
        return field in self._columns

    def insist(self, is_right: pd.Series, complaint: str) -> None:
        """Raise a problem about the first row that is not right."""
        if not is_right.all():
            raise Problem(f"{self.file}, row {is_right.index[~is_right][0]}: {complaint}.")

    def texts(self, field: str, default: pd.Series | None = None) -> pd.Series:
        """Cells as they are; where they are empty the default, else missing."""
        if field not in self._columns:
            return pd.Series(None, self.rows, dtype=object) if default is None else default
        cells = self._columns[field]
        return cells.where(cells != "", default)

    def labels(self) -> pd.Series:
        """``attack`` or ``honest``."""
        cells = self._columns["label"].str.lower()
        labels = cells.map(LABELS)
        self.insist(labels.notna(), "the label is none of attack, honest, 1, 0, true and false")
        return labels

    def numbers(self, field: str) -> pd.Series:
        """Finite numbers, NaN where a cell is empty or there is no such column."""
        if field not in self._columns:
            return pd.Series(np.nan, self.rows)
        cells = self._columns[field]
        numbers = pd.to_numeric(cells, errors="coerce").astype("float64")
        self.insist(
            (numbers.abs() < np.inf) | (cells == ""),
            f"the {field} is not a finite number. Leave it empty where there is none",
        )
        return numbers

    def counts(self, field: str) -> pd.Series:
        """Whole numbers from 0, NaN where a cell is empty or there is no such column."""
        numbers = self.numbers(field)
        self.insist(
            numbers.isna() | ((numbers >= 0) & (numbers < 2**53) & (numbers % 1 == 0)),
            f"the {field} is not a whole number from 0",
        )
        return numbers


def _cells_of(frame: pd.DataFrame) -> pd.DataFrame:
    """The cells of a data frame as those of a file would be; what is missing is empty."""
    cells = frame.astype("object").where(frame.notna(), "").astype(str)
    cells.columns = pd.RangeIndex(len(frame.columns))
    names = pd.DataFrame([[str(name) for name in frame.columns]])
    cells = pd.concat([names, cells], ignore_index=True)
    cells.index = cells.index + 1
    return cells


def _cells(file: Path) -> pd.DataFrame:
    """All cells as texts, by row from 1; the names of columns are row 1, and blank rows are left out."""
    try:
        # no header: pandas would take the first column for row names if rows are longer than it
        cells = pd.read_csv(
            file,
            header=None,
            dtype=str,
            keep_default_na=False,
            skip_blank_lines=False,
            compression=None,
        ).fillna("")
    except OSError as error:
        raise Problem(f"cannot read {file}: {error.strerror}.") from error
    except pd.errors.EmptyDataError as error:
        raise Problem(f"{file} is empty.") from error
    except (UnicodeDecodeError, pd.errors.ParserError) as error:
        reason = str(error).strip().removeprefix("Error tokenizing data. C error: ")
        raise Problem(f"{file} is not a table of scores in CSV and UTF-8: {reason}.") from error
    cells.index = cells.index + 1
    is_blank = (cells == "").all(axis="columns")
    if is_blank.all():
        raise Problem(f"{file} is empty.")
    return cells[~is_blank]
