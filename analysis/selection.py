"""Which rows of the observations an estimate is made from, as arrays."""

from __future__ import annotations

import numpy as np
import pandas as pd

from molehunt.analysis.intervals import Data, designed, parted

CODED = ("label", "agent_model", "task_id", "side_goal")
"""Columns of few values, which estimates compare and number again and again."""


def counted(frame: pd.DataFrame, filtered: bool = True) -> pd.DataFrame:
    """The rows that pass the filters, or all."""
    return where(frame, frame["excluded"] == "") if filtered else frame


def where(frame: pd.DataFrame, is_wanted: pd.Series) -> pd.DataFrame:
    """The rows that are wanted; the frame itself, which takes no copying, where all are."""
    return frame if is_wanted.all() else frame[is_wanted]


def within(texts: pd.Series, wanted: pd.Series) -> pd.Series:
    """Which of ``texts`` are among those of ``wanted``, which may be many.

    Examples
    --------
    >>> within(pd.Series(["a", "b"]), pd.Series(["b", "c"])).tolist()
    [False, True]
    """
    # pandas turns its own texts into scalars one by one, and finds objects twenty times as fast
    return texts.astype("object").isin(wanted.astype("object"))


def complete_models(frame: pd.DataFrame) -> set[str]:
    """Agent models that have attack runs and honest ones."""
    is_attack = frame["label"] == "attack"
    return set(frame["agent_model"][is_attack].unique()) & set(frame["agent_model"][~is_attack].unique())


def side_by_side(group: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Runs of one condition, and what each monitor scored them.

    Parameters
    ----------
    group : rows of observations of one condition.

    Returns
    -------
    (runs, scores), both by run: the first with all that is known of a run but the scores, the second with a
    column a monitor, NaN where it is unscored or was not run.
    """
    scores = by_monitor(group, "score")
    places, names = pd.factorize(group["run"], sort=True)
    first = np.empty(len(names), dtype=np.intp)
    first[places[::-1]] = np.arange(len(group))[::-1]
    runs = group.iloc[first].set_index("run")
    return runs.astype(dict.fromkeys(CODED, "category")), scores


def by_monitor(group: pd.DataFrame, column: str) -> pd.DataFrame:
    """A column of numbers of one condition by run, with a column a monitor, NaN where there is none."""
    (rows, runs), (columns, monitors) = (pd.factorize(group[name], sort=True) for name in ("run", "monitor"))
    values = np.full((len(runs), len(monitors)), np.nan)
    values[rows, columns] = group[column]
    return pd.DataFrame(values, pd.Index(runs, name="run"), pd.Index(monitors, name="monitor"))


def judging(group: pd.DataFrame, monitors: pd.DataFrame) -> pd.DataFrame:
    """The rows of ``monitors`` that judged runs of a condition, in the order of `side_by_side`."""
    return monitors.loc[sorted(group["monitor"].unique())]


def data_from(
    frame: pd.DataFrame, scores: pd.Series | None = None, among: pd.DataFrame | None = None
) -> Data | None:
    """Scores by agent model, of those that have both kinds of run; None where none has.

    Parameters
    ----------
    frame : rows of observations of one condition and one monitor, all scored.
    scores : on the same index, instead of the frame's own.
    among : rows that include those of ``frame``. Data that were selected from among the same rows share their
        design, so that equal seeds draw equal tasks for all of them, whatever runs they lack.
    """
    values = frame["score"] if scores is None else scores
    among = frame if among is None else among
    models, names = pd.factorize(frame["agent_model"])
    is_attack = (frame["label"] == "attack").to_numpy()
    attacks, honest = (np.bincount(models[kind], minlength=len(names)) for kind in (is_attack, ~is_attack))
    is_kept = ((attacks > 0) & (honest > 0))[models]
    if not is_kept.any():
        return None
    # tasks are numbered by name, so that the order of rows changes no replicate
    tasks, _ = pd.factorize(among["task_id"], sort=True)
    crossed = (among["side_goal"] != "").any()
    indices, design = designed(tasks, among["side_goal"].to_numpy(dtype=object) if crossed else None)
    # to look rows up by their names takes longer than all the rest
    units = indices if frame is among else indices[among.index.get_indexer(frame.index)]
    return parted(
        values.to_numpy(dtype="float64")[is_kept],
        is_attack.astype(np.intp)[is_kept],
        units[is_kept],
        models[is_kept],
        design,
    )
