"""Suspicion scores in a table, joined to the runs that a store knows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from molehunt.trajectories import Problem, Unread
from molehunt.verdicts.others.judgements import Judgement, Scale, Spent, scale_of
from molehunt.verdicts.records import StoredRun
from molehunt.verdicts.sheets import Sheet
from molehunt.verdicts.verdict import Tokens

TOKENS = ("input", "cache_read", "cache_write", "output", "reasoning")


def table_scores(
    file: Path, runs: Iterable[StoredRun], scales: Mapping[str, Scale] | None = None
) -> tuple[list[tuple[StoredRun, list[Judgement]]], list[Unread]]:
    """Read a table of scores, one row for each time that a monitor judged a run.

    Parameters
    ----------
    file : CSV in UTF-8 with a column for scores and one for runs, under the names of
        `molehunt.verdicts.sheets.NAMES`. A run goes by its id, its trajectory's, its sample's or its task's,
        the last with a label where a task has several runs. Monitor, model, draw, tokens and seconds are
        taken where there are columns for them; a monitor without a name is called like the file.
    runs : that the store knows.
    scales : of monitors, by name.

    Returns
    -------
    list of (StoredRun, list of Judgement), and list of Unread
        An `Unread` for each row whose run is not known or not told.

    Raises
    ------
    Problem
        If the table cannot be read or has no such columns.
    """
    sheet = Sheet(file, {}, needed=("score",))
    if not (sheet.has("run") or sheet.has("task")):
        raise Problem(f"{file} has no column for runs; name one sample, run_id, trajectory_id or task_id.")
    index = _index(runs)
    cells = _cells(sheet)
    judged: list[tuple[StoredRun, list[Judgement]]] = []
    unread: list[Unread] = []
    for place, *values in cells.itertuples():
        row = {"row": place, **dict(zip(cells.columns, values, strict=True))}
        found = index.get(str(row["run"]), [])
        if row["label"] is not None:
            found = [run for run in found if run.truth is None or run.truth.label == row["label"]]
        if len({run.trajectory for run in found}) != 1:
            why = "no run of the store" if not found else f"any of {len(found)} runs"
            unread.append(Unread(str(file), f"row {row['row']}", f"names {row['run']!r}, which is {why}"))
            continue
        judged.append((found[0], [_judgement(row, file.stem, scales or {})]))
    return judged, unread


def _index(runs: Iterable[StoredRun]) -> Mapping[str, Sequence[StoredRun]]:
    by_name: dict[str, list[StoredRun]] = defaultdict(list)
    for run in runs:
        names = {run.id, run.trajectory, run.sample, *([run.truth.task_id] if run.truth else [])}
        for name in names:
            by_name[name].append(run)
    return by_name


def _cells(sheet: Sheet) -> pd.DataFrame:
    tokens = {name: sheet.counts(name) for name in TOKENS}
    columns = {
        "run": sheet.texts("run" if sheet.has("run") else "task"),
        "label": sheet.labels() if sheet.has("label") else pd.Series(None, sheet.rows, dtype=object),
        "monitor": sheet.texts("monitor"),
        "model": sheet.texts("model"),
        "draw": sheet.counts("draw").fillna(0),
        "score": sheet.numbers("score"),
        "seconds": sheet.numbers("seconds"),
        **tokens,
    }
    frame = pd.DataFrame(columns).astype(object)
    return frame.where(frame.notna(), None)


def _judgement(row: Mapping[str, Any], stem: str, scales: Mapping[str, Scale]) -> Judgement:
    name = f"{stem}/{row['monitor']}" if row["monitor"] else stem
    metered = row["input"] is not None and row["output"] is not None
    tokens = Tokens(*(int(row[field] or 0) for field in TOKENS)) if metered else None
    return Judgement(
        name,
        row["score"],
        scale_of(name, scales, Scale()),
        "" if row["score"] is not None else "the table has no score",
        spent=(Spent(row["model"], tokens, row["seconds"]),),
        draw=int(row["draw"]),
    )
