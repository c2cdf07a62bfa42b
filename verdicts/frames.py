"""The store's tables as data frames, with columns that stay the same."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from molehunt.trajectories import Mark
from molehunt.verdicts.rows import UNKNOWN_SECONDS
from molehunt.verdicts.store import Store
from molehunt.verdicts.verdict import Excerpt, Look

RUN_COLUMNS = {
    "run": "str",
    "trajectory": "str",
    "log": "str",
    "sample": "str",
    "epoch": "int64",
    "attempt": "int64",
    "source": "str",
    "agent_model": "str",
    "reasoning": "str",
    "ending": "str",
    "task_verified": "bool",
    "label": "str",
    "environment": "str",
    "task_id": "str",
    "main_score": "float64",
    "side_score": "float64",
}
VERDICT_COLUMNS = {
    "trajectory": "str",
    "monitor": "str",
    "draw": "int64",
    "score": "float64",
    "status": "str",
    "rationale": "str",
    "seconds": "float64",
    "n_calls": "int64",
    "n_excerpts": "int64",
    "n_not_found": "int64",
}
MONITOR_COLUMNS = {
    "monitor": "str",
    "name": "str",
    "spec": "str",
    "models": "str",
    "roles": "str",
    "answer": "str",
    "source": "str",
    "oracle": "bool",
    "params": "str",
}
TOKEN_COLUMNS = ("input", "cache_read", "cache_write", "output", "reasoning")
CALL_COLUMNS = {
    "key": "str",
    "role": "str",
    "asked": "str",
    "answered": "str",
    **dict.fromkeys(TOKEN_COLUMNS, "float64"),
    "seconds": "float64",
    "retries": "int64",
}
VERDICT_KEY = ["trajectory", "monitor", "draw"]
VERDICT_CALL_COLUMNS = {"trajectory": "str", "monitor": "str", "draw": "int64", "call": "str"}
EXCERPT_COLUMNS = {
    "trajectory": "str",
    "monitor": "str",
    "draw": "int64",
    "excerpt": "int64",
    "quote": "str",
    "match": "str",
    "step": "Int64",
    "start": "Int64",
    "end": "Int64",
    "effect": "float64",
}
LOOK_COLUMNS = {
    "trajectory": "str",
    "monitor": "str",
    "draw": "int64",
    "step": "int64",
    "score": "float64",
    "status": "str",
}
MARK_COLUMNS = {"run": "str", "kind": "str", "step": "int64", "start": "int64", "end": "int64"}


@dataclass(frozen=True)
class Tables:
    """What analysis reads: the frames of a score store, or the same made from somebody else's scores.

    Parameters
    ----------
    name : what they were read from, for people.
    runs, monitors, verdicts, calls, verdict_calls, excerpts, looks, marks : see the functions below.
    """

    name: str
    runs: pd.DataFrame
    monitors: pd.DataFrame
    verdicts: pd.DataFrame
    calls: pd.DataFrame
    verdict_calls: pd.DataFrame
    excerpts: pd.DataFrame = field(default_factory=lambda: _frame([], EXCERPT_COLUMNS))
    looks: pd.DataFrame = field(default_factory=lambda: _frame([], LOOK_COLUMNS))
    marks: pd.DataFrame = field(default_factory=lambda: _frame([], MARK_COLUMNS))


def read_store(path: str | Path) -> Tables:
    """The frames of a store at one moment, also while another process writes to it.

    Raises
    ------
    Problem
        If it is missing, or no store that this version can read.
    """
    with Store.read(path) as store:
        # to read these takes longer than anything else, and several frames are made of them
        runs, verdicts, links = _run_cells(store), _verdict_cells(store), verdict_calls_frame(store)
        return Tables(
            name=Path(path).name,
            runs=runs_frame(store, runs),
            monitors=monitors_frame(store),
            verdicts=verdicts_frame(store, verdicts, links),
            calls=calls_frame(store),
            verdict_calls=links,
            excerpts=excerpts_frame(store, verdicts),
            looks=looks_frame(store, verdicts),
            marks=marks_frame(store, runs),
        )


def runs_frame(store: Store, runs: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row a run: where it came from and, where it is known, the truth about it.

    Parameters
    ----------
    runs : what the store has of them, if it has been read already.

    Returns
    -------
    DataFrame with the columns
        run, trajectory : ids; several runs may share a trajectory.
        log, sample, epoch, attempt, source : where it was read.
        agent_model : missing where the log does not say.
        reasoning : full, summary, hidden or none.
        ending : finished, limit, error or cancelled.
        task_verified : whether the main task is known rather than guessed.
        label : attack or honest; missing, with all that follows, where nobody has said what the run is.
        environment, task_id : data set, and cluster within it.
        main_score, side_score : NaN where unknown or where there is none.
        side_task, policy, awareness, … : a column for every factor that some run has, missing where a run
        has none. A factor that is called like a column above is named ``factor_…``.
    """
    cells = _run_cells(store) if runs is None else runs
    names = sorted({name for factors in cells["factors"] for name in factors})
    columns = {_safe(name): [factors.get(name) for factors in cells["factors"]] for name in names}
    return _typed(cells.assign(**columns), {**RUN_COLUMNS, **dict.fromkeys(sorted(columns), "str")})


def _run_cells(store: Store) -> pd.DataFrame:
    """Runs with their marks and factors, of which those without a truth have none."""
    stored = ["id" if name == "run" else name for name in RUN_COLUMNS]
    cells = _cells(store, "runs", [*stored, "marks", "factors"]).rename(columns={"id": "run"})
    return cells.assign(marks=_parsed(cells["marks"], "[]"), factors=_parsed(cells["factors"], "{}"))


def verdicts_frame(
    store: Store, verdicts: pd.DataFrame | None = None, links: pd.DataFrame | None = None
) -> pd.DataFrame:
    """One row a verdict: a draw of a monitor on a trajectory.

    Parameters
    ----------
    verdicts, links : what the store has of them, if it has been read already.

    Returns
    -------
    DataFrame with the columns
        trajectory, monitor, draw : its key; draws count from 0.
        score : in [0, 1], NaN if unscored.
        status : scored, or why not; see `Status`.
        rationale : the monitor's reasons.
        seconds : from the monitor's start to its verdict, NaN if nobody took the time.
        n_calls : how many calls it rests on, replayed ones included.
        n_excerpts, n_not_found : quotes that the monitor gave, and how many are not in the transcript.
    """
    cells = _verdict_cells(store) if verdicts is None else verdicts
    calls = (verdict_calls_frame(store) if links is None else links).groupby(VERDICT_KEY).size()
    found = cells.join(calls.rename("n_calls"), on=VERDICT_KEY).fillna({"n_calls": 0})
    found["n_excerpts"] = [len(quoted) for quoted in cells["excerpts"]]
    found["n_not_found"] = [
        sum(match == "not_found" for _, match, *_ in quoted) if quoted else 0 for quoted in cells["excerpts"]
    ]
    return _typed(found, VERDICT_COLUMNS)


def _verdict_cells(store: Store) -> pd.DataFrame:
    """Verdicts with their excerpts and looks, of which most have none."""
    columns = [*VERDICT_KEY, "score", "status", "rationale", "seconds", "excerpts", "trace"]
    cells = _cells(store, "verdicts", columns)
    return cells.assign(excerpts=_parsed(cells["excerpts"], "[]"), trace=_parsed(cells["trace"], "[]"))


def monitors_frame(store: Store) -> pd.DataFrame:
    """One row a monitor.

    Returns
    -------
    DataFrame with the columns
        monitor : id.
        name, spec, models, answer, source, oracle : see `MonitorRecord`.
        roles, params : as JSON.
    """
    rows = (
        {
            **vars(record),
            "monitor": record.id,
            "roles": json.dumps(record.roles, default=dict),
            "params": json.dumps(record.params, default=dict),
        }
        for record in store.monitors()
    )
    return _frame(rows, MONITOR_COLUMNS)


def calls_frame(store: Store) -> pd.DataFrame:
    """One row a call to a model, without its reply.

    Returns
    -------
    DataFrame with the columns
        key : id.
        role : what the model was asked to be.
        asked, answered : model that was asked for, and model that the provider says answered.
        input, cache_read, cache_write, output, reasoning : tokens, all NaN where the provider reported none;
        output includes reasoning, input excludes the cache.
        seconds, retries : waits included, NaN if nobody took the time; how often it was sent again.
    """
    return _typed(_cells(store, "calls", [*CALL_COLUMNS]), CALL_COLUMNS)


def verdict_calls_frame(store: Store) -> pd.DataFrame:
    """One row for each call that a verdict rests on: ``trajectory, monitor, draw``, and ``call``, its key.

    A verdict costs all its calls. A call occurs in several rows where verdicts share it; a bill has it once.
    """
    return _typed(_cells(store, "verdict_calls", [*VERDICT_CALL_COLUMNS]), VERDICT_CALL_COLUMNS)


def excerpts_frame(store: Store, verdicts: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row an excerpt: ``trajectory, monitor, draw``, ``excerpt`` from 0, and the fields of `Excerpt`."""
    cells = _verdict_cells(store) if verdicts is None else verdicts
    rows = _listed(cells, VERDICT_KEY, "excerpts", [field.name for field in fields(Excerpt)])
    return _typed(rows.rename(columns={"number": "excerpt"}), EXCERPT_COLUMNS)


def looks_frame(store: Store, verdicts: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row a look of a step-wise monitor: ``trajectory, monitor, draw``, and the fields of `Look`."""
    cells = _verdict_cells(store) if verdicts is None else verdicts
    names = [field.name for field in fields(Look)]
    return _typed(_listed(cells, VERDICT_KEY, "trace", names), LOOK_COLUMNS)


def marks_frame(store: Store, runs: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row for each stretch that an environment marked: ``run``, and the fields of `Mark`."""
    cells = _run_cells(store) if runs is None else runs
    return _typed(_listed(cells, ["run"], "marks", [field.name for field in fields(Mark)]), MARK_COLUMNS)


def _listed(cells: pd.DataFrame, key: list[str], column: str, names: list[str]) -> pd.DataFrame:
    """One row for each item of a column of lists: the key, its ``number`` from 0, its fields or None."""
    lengths = cells[column].map(len).to_numpy(dtype="int64")
    rows = cells[key].loc[cells.index.repeat(lengths)].reset_index(drop=True)
    items = [item for found in cells[column] for item in found]
    said: dict[str, list[Any]] = {
        name: [item[place] if place < len(item) else None for item in items]
        for place, name in enumerate(names)
    }
    number = np.arange(len(items)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return rows.assign(number=number, **said)


def tables(store: Store) -> Iterator[tuple[str, pd.DataFrame]]:
    """Every table of the store with its name, one after the other; transcripts and replies stay behind."""
    yield "runs", runs_frame(store)
    yield "monitors", monitors_frame(store)
    yield "verdicts", verdicts_frame(store)
    # whole numbers, unless some are missing, are floats in pandas and would be written as such
    yield "calls", calls_frame(store).astype(dict.fromkeys(TOKEN_COLUMNS, "Int64"))
    yield "verdict_calls", verdict_calls_frame(store)
    yield "excerpts", excerpts_frame(store)
    yield "looks", looks_frame(store)
    yield "marks", marks_frame(store)


def _safe(factor: str) -> str:
    return f"factor_{factor}" if factor in RUN_COLUMNS else factor


def _cells(store: Store, table: str, columns: list[str]) -> pd.DataFrame:
    cells = pd.DataFrame(store.cells(table, columns), columns=columns)
    if "seconds" in columns:
        cells["seconds"] = cells["seconds"].mask(cells["seconds"] == UNKNOWN_SECONDS)
    return cells


def _parsed(texts: pd.Series, empty: str) -> pd.Series:
    """JSON as values; most is ``empty`` or missing, and is parsed once for all."""
    is_there = texts.notna() & (texts != empty)
    # one long text is parsed several times as fast as many short ones
    found = iter(json.loads(f"[{','.join(texts[is_there])}]"))
    nothing = json.loads(empty)
    values = [next(found) if there else nothing for there in is_there]
    return pd.Series(values, texts.index, dtype="object")


def _frame(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> pd.DataFrame:
    """Rows as a data frame with exactly these columns; what a row does not say is missing."""
    cells = [[row.get(name) for name in columns] for row in rows]
    return _typed(pd.DataFrame(cells, columns=[*columns]), columns)


def _typed(frame: pd.DataFrame, columns: Mapping[str, str]) -> pd.DataFrame:
    # pandas finds texts by itself; told to, before version 3, it would turn a missing one into "None"
    types = {name: kind for name, kind in columns.items() if kind != "str"}
    return frame[[*columns]].astype(types)
