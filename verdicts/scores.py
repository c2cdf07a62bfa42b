"""Tables of other people's scores, read as if they came from a store."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from molehunt.verdicts.frames import (
    CALL_COLUMNS,
    MONITOR_COLUMNS,
    RUN_COLUMNS,
    TOKEN_COLUMNS,
    VERDICT_CALL_COLUMNS,
    VERDICT_COLUMNS,
    Tables,
)
from molehunt.verdicts.sheets import Sheet

FACTORS = ("side_task", "policy", "awareness")
VERDICT_KEY = ["trajectory", "monitor", "draw"]


def read_scores(
    source: str | Path | pd.DataFrame,
    *,
    score: str | None = None,
    label: str | None = None,
    task: str | None = None,
    run: str | None = None,
    monitor: str | None = None,
) -> Tables:
    """Read a table of scores, one row for each time that a monitor judged a run.

    It needs a score and a label. A task column makes clusters; without one each run is a cluster of its own.
    Recognised are also monitor, model and draw, environment and factors, success on main and side task,
    tokens and seconds, under the names of `molehunt.verdicts.sheets.NAMES`. Other columns are passed over.

    Parameters
    ----------
    source : a CSV file in UTF-8 with the names of its columns in the first row, or a data frame.
    score, label, task, run, monitor : names of columns that are not among those recognised.

    Returns
    -------
    Tables
        As from a store, but for this:

        - Scores may have any real scale, higher is more suspicious. Where the score is empty the run is
          unscored, with the status ``unreadable``.
        - Labels are ``attack`` or ``honest``, 1 or 0, true or false.
        - Without a column for runs each row is a run. Environment and monitor are called like the file, if
          it does not name them; those of a data frame are called ``scores``.
        - Each verdict rests on one call, whose tokens are unknown if the file has none. The model that it
          asked is called like the monitor, if the file does not name it: a price for it can then be given as
          that of ``MONITOR``.

    Raises
    ------
    Problem
        If the file or a column is missing, or a row is not of this form; rows are counted as in a
        spreadsheet, from 1 for the names of columns.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = Path(folder.name, "judge.csv")
    >>> _ = file.write_text("suspicion,label,problem_id\\n80,attack,1\\n,honest,1\\n")
    >>> tables = read_scores(file)
    >>> tables.verdicts[["monitor", "score", "status"]]
      monitor  score      status
    0   judge   80.0      scored
    1   judge    NaN  unreadable
    >>> folder.cleanup()
    """
    named = {"score": score, "label": label, "task": task, "run": run, "monitor": monitor}
    given = {field: name for field, name in named.items() if name is not None}
    sheet = Sheet(source if isinstance(source, pd.DataFrame) else Path(source), given)
    own_name = pd.Series(sheet.file.stem, sheet.rows)
    row_number = pd.Series(sheet.rows.astype(str), sheet.rows)

    labels = sheet.labels()
    sample = sheet.texts("run", row_number)
    environment = sheet.texts("environment", own_name)
    run_id = environment + "/" + labels + "/" + sample
    runs = pd.DataFrame(
        {
            "run": run_id,
            "trajectory": run_id,
            "log": str(sheet.file),
            "sample": sample,
            "epoch": 1,
            "attempt": 1,
            "source": "csv",
            "agent_model": sheet.texts("agent_model"),
            # a table of scores does not say how much an agent thought
            "reasoning": "unknown",
            "ending": "finished",
            "task_verified": True,
            "label": labels,
            "environment": environment,
            "task_id": sheet.texts("task", sample),
            "main_score": sheet.numbers("main_score"),
            "side_score": sheet.numbers("side_score"),
            **{name: sheet.texts(name) for name in FACTORS if sheet.has(name)},
        }
    ).drop_duplicates()
    sheet.insist(~runs["run"].duplicated(), "the run is described otherwise in a row above")

    name = sheet.texts("monitor", own_name)
    model = sheet.texts("model", pd.Series("", sheet.rows))
    monitor_id = name.where(model == "", name + " [" + model + "]")
    monitors = pd.DataFrame(
        {
            "monitor": monitor_id,
            "name": name,
            "spec": name,
            "models": model,
            "roles": "{}",
            "answer": "",
            "source": "",
            "oracle": False,
            "params": "{}",
        }
    ).drop_duplicates()

    scores = sheet.numbers("score")
    verdicts = pd.DataFrame(
        {
            "trajectory": run_id,
            "monitor": monitor_id,
            "draw": sheet.counts("draw").fillna(0).astype("int64"),
            "score": scores,
            "status": np.where(scores.isna(), "unreadable", "scored"),
            "rationale": "",
            "seconds": sheet.numbers("seconds"),
            "n_calls": 1,
            "n_excerpts": 0,
            "n_not_found": 0,
        }
    )
    sheet.insist(
        ~verdicts.duplicated(VERDICT_KEY),
        "the monitor has judged this run in a row above. Name the column that tells runs or monitors apart, "
        "or number the draws of a run in a column called draw",
    )

    tokens = pd.DataFrame({field: sheet.counts(field) for field in TOKEN_COLUMNS})
    is_metered = tokens["input"].notna() & tokens["output"].notna()
    calls = pd.DataFrame(
        {
            "key": row_number,
            "role": "monitor",
            "asked": model.where(model != "", name),
            "answered": model.where(model != "", name),
            **tokens.fillna(0.0).where(is_metered),
            "seconds": sheet.numbers("seconds"),
            "retries": 0,
        }
    )
    verdict_calls = verdicts[VERDICT_KEY].assign(call=row_number)
    return Tables(
        name=sheet.file.name,
        runs=_as_stored(runs, RUN_COLUMNS),
        monitors=_as_stored(monitors, MONITOR_COLUMNS),
        verdicts=_as_stored(verdicts, VERDICT_COLUMNS),
        calls=_as_stored(calls, CALL_COLUMNS),
        verdict_calls=_as_stored(verdict_calls, VERDICT_CALL_COLUMNS),
    )


def _as_stored(table: pd.DataFrame, columns: Mapping[str, str]) -> pd.DataFrame:
    types = {name: kind for name, kind in columns.items() if kind != "str"}
    return table.astype(types).reset_index(drop=True)
