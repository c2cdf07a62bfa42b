"""How much a monitor gains on the best of several, where the best is chosen anew in every subgroup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from molehunt.analysis.comparisons import COMPARED
from molehunt.analysis.differences import from_replicates
from molehunt.analysis.intervals import REPLICATES, Data, Estimates, estimated_each
from molehunt.analysis.observations import CONDITION, Observations
from molehunt.analysis.selection import counted, data_from, judging, side_by_side
from molehunt.trajectories import Problem

Floats = NDArray[np.float64]

BASELINES = ("action_only", "cot_only", "cot_action", "hybrid")
"""The four monitors that the published study sets extract-and-evaluate against."""


def gain_over_best(
    seen: Observations,
    monitor: str = "eae",
    baselines: Sequence[str] = BASELINES,
    by: str = "side_task",
    filtered: bool = True,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> pd.DataFrame:
    """Mean over subgroups of a monitor's metric minus that of the best baseline of each subgroup.

    The best of several estimates is partly the luckiest, so the baseline is chosen anew in every subgroup of
    every replicate. That makes the interval that of the procedure, choice included. A baseline that is
    declared beforehand is the plain alternative (``against`` of `compare`).

    Parameters
    ----------
    seen : from `observe`.
    monitor, baselines : names of monitors, such as ``eae``. A variant of the monitor is held against the
        baselines whose scores come from the same model as its own.
    by : factor whose values make the subgroups of attack runs; each stands against all honest runs.
    filtered, replicates, seed : as for `summarise`.

    Returns
    -------
    DataFrame with one row for each condition, variant and metric, on the runs that the variant and all its
    baselines scored:
        environment, reasoning, awareness, arm, monitor, models, judge, by, metric : what is compared.
        n_baselines, n_subgroups, n_runs, n_clusters : of what and over what.
        gain, low, high, p : mean gain with its 95% interval, and the p-value of none.
        method, skipped_replicates : see `Difference`; a replicate without a run of some subgroups averages
        over the others.
        best : the baselines that were best, each with the number of subgroups.
        scripted_agents, embedded_models : that it rests on them, and carries no claim.
        monitor_id.

    Raises
    ------
    Problem
        If no run has the factor.

    References
    ----------
    Arike et al. 2026 (arXiv 2601.21112): the gain in TPR at 1% FPR of the abstract.
    """
    if by not in seen.factors:
        raise Problem(f"there is no factor {by!r} to make subgroups of. There are {', '.join(seen.factors)}.")
    rows = [
        row
        for _, group in seen.frame.groupby(CONDITION, sort=False)
        for row in _condition(seen, counted(group, filtered), monitor, baselines, by, replicates, seed)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _condition(
    seen: Observations,
    group: pd.DataFrame,
    monitor: str,
    baselines: Sequence[str],
    by: str,
    replicates: int,
    seed: int,
) -> Iterator[dict[str, Any]]:
    known = judging(group, seen.monitors)
    variants = known.index[known["name"] == monitor]
    if not len(variants):
        return
    runs, scores = side_by_side(group)
    for variant in variants:
        judge = known.loc[variant, "judge"]
        rivals = known.index[known["name"].isin(baselines) & (known["judge"] == judge)]
        if not len(rivals):
            continue
        both = scores[[variant, *rivals]].dropna()
        among = runs.loc[both.index]
        parts = [among.loc[rows] for rows in _subgroups(among, by)]
        found = [
            _estimates(
                [data_from(part, both.loc[part.index, name], among) for part in parts],
                replicates,
                seed,
            )
            for name in (variant, *rivals)
        ]
        overall = data_from(among, both[variant])
        complete = [place for place, one in enumerate(found[0]) if one is not None]
        if overall is None or not complete:
            continue
        own, *others = (np.stack([_all(row[place]) for place in complete]) for row in found)
        for place, metric in enumerate(COMPARED):
            best = np.stack([other[:, place] for other in others])
            # the first column is what was found, the others are its replicates
            gains = _mean_of_known(own[:, place] - best.max(axis=0))
            chosen = known.loc[rivals[best[:, :, 0].argmax(axis=0)], "spec"].value_counts()
            difference = from_replicates(float(gains[0]), gains[1:], overall)
            yield {
                **{name: group[name].iloc[0] for name in CONDITION},
                "monitor": known.loc[variant, "spec"],
                "models": known.loc[variant, "models"],
                "judge": judge,
                "by": by,
                "metric": metric,
                "n_baselines": len(rivals),
                "n_subgroups": len(complete),
                "n_runs": len(both),
                "n_clusters": difference.n_clusters,
                "gain": difference.value,
                "low": difference.low,
                "high": difference.high,
                "p": difference.p,
                "method": difference.method,
                "skipped_replicates": difference.skipped,
                "best": ", ".join(f"{name} {times}" for name, times in chosen.items()),
                "scripted_agents": bool(among["scripted"].any()),
                "embedded_models": bool(known.loc[[variant, *rivals], "embedded"].any()),
                "monitor_id": variant,
            }


def _subgroups(runs: pd.DataFrame, by: str) -> Iterator[pd.Index[str]]:
    is_attack = runs["label"] == "attack"
    for value in sorted(runs.loc[is_attack, by].dropna().unique()):
        honest = runs[by] == value if by == "agent_model" else True
        yield runs.index[(is_attack & (runs[by] == value)) | (~is_attack & honest)]


def _estimates(subgroups: Sequence[Data | None], replicates: int, seed: int) -> list[Estimates | None]:
    found = iter(estimated_each(COMPARED, [data for data in subgroups if data], replicates, seed))
    return [next(found) if data else None for data in subgroups]


def _all(found: Estimates | None) -> Floats:
    assert found is not None
    return np.column_stack([found.values, found.samples])


def _mean_of_known(gains: Floats) -> Floats:
    """(replicates,) mean over the subgroups that a replicate has runs of."""
    known = ~np.isnan(gains)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, gains, 0.0).sum(axis=0) / known.sum(axis=0))


COLUMNS = [
    *(*CONDITION, "monitor", "models", "judge", "by", "metric"),
    *("n_baselines", "n_subgroups", "n_runs", "n_clusters", "gain", "low", "high", "p", "method"),
    *("skipped_replicates", "best", "scripted_agents", "embedded_models", "monitor_id"),
]
