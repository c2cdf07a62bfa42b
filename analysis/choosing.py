"""What the best composite is worth if it is chosen before the runs that it is measured on are seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from molehunt.analysis.composites import (
    Composite,
    Pool,
    averaged,
    candidates,
    combined,
    exceeded,
    fitted,
    mean_cost,
    places_of,
    pool_of,
)
from molehunt.analysis.differences import differences
from molehunt.analysis.intervals import REPLICATES, estimated, intervals
from molehunt.analysis.observations import CONDITION, Observations
from molehunt.analysis.selection import counted, data_from, judging

Floats = NDArray[np.float64]

FOLDS = 5

MOST_COMBINED = 10
"""Monitors that composites are made of in a fold: of more, the best single ones of the other folds."""


def best_composite(
    seen: Observations,
    metric: str = "log_auroc",
    size: int = 2,
    base_rate: float = 0.0,
    filtered: bool = True,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> pd.DataFrame:
    """The composite chosen on some tasks and measured on the others, against the monitor chosen likewise.

    Tasks are dealt into five folds. For each fold the composite, single monitors among them, that does best
    on the runs of the other folds is chosen there, with everything that its rule learns, and scores the runs
    of this one. Of more than ten monitors the ten that do best there by themselves are combined. To be
    comparable across folds, its scores are replaced by the share of the other folds' honest runs that they
    exceed. The same is done with single monitors alone, and the difference of the two says what composing is
    worth. Rules learn no more than the places of honest scores, so that a second split within the other folds
    would choose the same.

    Parameters
    ----------
    seen : from `observe`.
    metric : name of the metric that is chosen by and measured.
    size, base_rate, filtered : as for `composites`.
    replicates, seed : of the bootstrap; the seed also deals the tasks.

    Returns
    -------
    DataFrame with one row for each condition in which two monitors scored runs of five tasks or more:
        environment, reasoning, awareness, arm, metric.
        value, low, high : of the chosen composites, on runs that had no part in choosing, with its interval.
        usd_per_trajectory : what they cost on those runs, a cascade at the base rate.
        chosen : rule and members, with the number of folds that chose it.
        single, single_usd, single_chosen : the same for the best single monitor.
        difference, difference_low, difference_high, p, method : composite minus single, paired.
        n_candidates, n_runs, n_clusters.
        scripted_agents, embedded_models : that it rests on them, and carries no claim.
    """
    rows = []
    for _, group in seen.frame.groupby(CONDITION, sort=False):
        kept = counted(group, filtered)
        if (judging(kept, seen.monitors)["kind"] == "monitor").sum() < 2:
            continue
        pool = pool_of(seen, kept)
        monitors = [*pool.scores.columns]
        if (
            len(monitors) < 2
            or pool.runs["task_id"].nunique() < FOLDS
            or data_from(pool.runs, pool.scores.iloc[:, 0]) is None
        ):
            continue
        folds = _folds(pool.runs["task_id"], seed)
        composed, single = (_held_out(pool, most, folds, metric, base_rate) for most in (size, 1))
        if composed is None or single is None:
            continue
        both = [
            data_from(pool.runs, pd.Series(scores, pool.runs.index)) for scores, _, _ in (composed, single)
        ]
        one, other = (estimated([metric], data, replicates, seed) for data in both if data)
        [interval], [alone], [difference] = intervals(one), intervals(other), differences(one, other)
        rows.append(
            {
                **{name: group[name].iloc[0] for name in CONDITION},
                "metric": metric,
                "value": interval.value,
                "low": interval.low,
                "high": interval.high,
                "usd_per_trajectory": composed[1],
                "chosen": _named(seen, composed[2]),
                "single": alone.value,
                "single_usd": single[1],
                "single_chosen": _named(seen, single[2]),
                "difference": difference.value,
                "difference_low": difference.low,
                "difference_high": difference.high,
                "p": difference.p,
                "method": difference.method,
                "n_candidates": len(monitors) + len([*candidates(monitors[:MOST_COMBINED], size)]),
                "n_runs": len(pool.runs),
                "n_clusters": difference.n_clusters,
                "scripted_agents": bool(pool.runs["scripted"].any()),
                "embedded_models": bool(seen.monitors.loc[monitors, "embedded"].any()),
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def _folds(tasks: pd.Series, seed: int) -> NDArray[np.intp]:
    """(n,) fold of each run; a task is in one fold whole."""
    codes, names = pd.factorize(tasks)
    dealt = np.random.default_rng(seed).permutation(len(names)) % FOLDS
    return np.asarray(dealt[codes])


def _held_out(
    pool: Pool, size: int, folds: NDArray[np.intp], metric: str, base_rate: float
) -> tuple[Floats, float, list[Composite]] | None:
    """(n,) scores of runs that had no part in choosing, what they cost, and what each fold chose."""
    held_out = np.full(len(folds), np.nan)
    asked_costs = np.full(len(folds), np.nan)
    chosen = []
    branches = False
    for fold in range(FOLDS):
        here = folds == fold
        learned = _best(pool, size, ~here, metric)
        if learned is None:
            return None
        members = [*learned.members]
        scores = pool.scores[members].to_numpy()
        combine = fitted(learned, scores[~here], pool.is_honest[~here])
        found, asked = combine(scores)
        honest = np.sort(found[~here & pool.is_honest])
        below = np.searchsorted(honest, found, "left") + np.searchsorted(honest, found, "right")
        # scores beyond all honest ones keep their order, and those that tie stay tied
        beyond = np.unique(found, return_inverse=True)[1] / found.size * 1e-6
        held_out[here] = (below / (2 * honest.size) + beyond)[here]
        asked_costs[here] = pool.cost(members, asked)[here]
        branches |= learned.rule == "cascade"
        chosen.append(learned)
    return held_out, mean_cost(asked_costs, pool.is_honest, base_rate if branches else None), chosen


def _best(pool: Pool, size: int, rows: NDArray[np.bool_], metric: str) -> Composite | None:
    """The composite of up to ``size`` monitors that does best on some runs, which choose its members too."""
    is_honest = pool.is_honest[rows]
    places = places_of(pool.runs["agent_model"][rows], is_honest)
    if not places:
        return None
    place = {name: number for number, name in enumerate(pool.scores.columns)}
    # monitors are picked hundreds of times, which is quick where each one's scores lie together
    scores = np.ascontiguousarray(pool.scores.to_numpy()[rows].T)
    honest = np.sort(scores[:, is_honest], axis=1)
    shares = np.ascontiguousarray(exceeded(honest.T, scores.T).T)

    def worth(composite: Composite) -> float:
        members = [place[name] for name in composite.members]
        found, _ = combined(composite, honest[members].T, scores[members].T, lambda: shares[members].T)
        return averaged(metric, found, places)

    singles = [Composite("single", (name,)) for name in pool.scores.columns]
    alone = [worth(single) for single in singles]
    chosen = np.sort(np.argsort(-np.array(alone), kind="stable")[:MOST_COMBINED])
    composed = [*candidates([*pool.scores.columns[chosen]], size)] if size > 1 else []
    values = [*alone, *map(worth, composed)]
    # of equals the first is taken, and single monitors come first
    return [*singles, *composed][int(np.argmax(values))]


def _named(seen: Observations, chosen: Sequence[Composite]) -> str:
    names = pd.Series(
        [
            f"{'' if composite.rule == 'single' else composite.rule + ' of '}"
            + " + ".join(seen.monitors.loc[[*composite.members], "title"])
            for composite in chosen
        ]
    )
    return "; ".join(f"{name} ({times})" for name, times in names.value_counts().items())


COLUMNS = [
    *(*CONDITION, "metric", "value", "low", "high", "usd_per_trajectory", "chosen"),
    *(
        "single",
        "single_usd",
        "single_chosen",
        "difference",
        "difference_low",
        "difference_high",
        "p",
        "method",
    ),
    *("n_candidates", "n_runs", "n_clusters", "scripted_agents", "embedded_models"),
]
