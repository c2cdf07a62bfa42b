"""Every monitor against every other, or against one: the table behind ``comparisons.csv``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pandas as pd

from molehunt.analysis.differences import differences, holm
from molehunt.analysis.intervals import REPLICATES, Estimates, estimated
from molehunt.analysis.observations import CONDITION, Observations
from molehunt.analysis.selection import counted, data_from, judging, side_by_side
from molehunt.analysis.wording import listed
from molehunt.trajectories import Problem
from molehunt.trajectories.wording import count

COMPARED = ("auroc", "log_auroc", "tpr_at_1fpr")

MOST_PAIRED = 50
"""Monitors of which all pairs are compared. With more, whose pairs run into the thousands, Holm's adjustment
leaves nothing standing, and each is compared with the floors alone."""


def compare(
    seen: Observations,
    against: str | None = None,
    filtered: bool = True,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> pd.DataFrame:
    """Paired differences between monitors, on the runs that both scored.

    Parameters
    ----------
    seen : from `observe`.
    against : a baseline, by name, readable form or id: every other monitor is compared with it. Without one
        all pairs are compared, but for pairs of floors and for oracles; of more than 50 monitors each
        with the floors alone.
    filtered, replicates, seed : as for `summarise`.

    Returns
    -------
    DataFrame with the columns
        environment, monitor, models, kind, baseline, baseline_models, baseline_kind, reasoning, awareness,
        arm, metric : what is compared; the kinds are monitor, floor or oracle (which has seen labels).
        n_runs, n_clusters : runs that both scored, and their tasks.
        difference, low, high : monitor minus baseline, with its 95% interval.
        p, p_holm : two-sided, by itself and adjusted within environment × metric (Holm).
        method, skipped_replicates : see `Difference`.
        scripted_agents, embedded_models : that the difference rests on them, and carries no claim.
        monitor_id, baseline_id : digests of all that can change the scores.

    Raises
    ------
    Problem
        If ``against`` names no monitor, or several.
    """
    baseline = named(seen.monitors, against) if against else None
    rows = [
        row
        for _, group in seen.frame.groupby(CONDITION, sort=False)
        for row in _condition(seen, counted(group, filtered), baseline, replicates, seed)
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    families = table.groupby(["environment", "metric"])["p"]
    return table.assign(p_holm=families.transform(lambda p: holm(p.astype(float))).astype(float))


def _condition(
    seen: Observations, group: pd.DataFrame, baseline: str | None, replicates: int, seed: int
) -> Iterator[dict[str, Any]]:
    pairs = [*_pairs(judging(group, seen.monitors), baseline)]
    if not pairs:
        return
    runs, scores = side_by_side(group)
    known: dict[tuple[str, bytes], Estimates | None] = {}

    def of(monitor: str, rows: pd.Series) -> Estimates | None:
        # monitors that scored the same runs share what was computed for the first pair
        key = (monitor, rows.to_numpy().tobytes())
        if key not in known:
            data = data_from(runs[rows], scores.loc[rows, monitor])
            known[key] = estimated(COMPARED, data, replicates, seed) if data else None
        return known[key]

    for monitor, other in pairs:
        both = scores[monitor].notna() & scores[other].notna()
        one, against = of(monitor, both), of(other, both)
        if one is None or against is None:
            continue
        for metric, found in zip(COMPARED, differences(one, against), strict=True):
            yield {
                **{name: group[name].iloc[0] for name in CONDITION},
                "monitor": seen.monitors.loc[monitor, "spec"],
                "models": seen.monitors.loc[monitor, "models"],
                "kind": seen.monitors.loc[monitor, "kind"],
                "baseline": seen.monitors.loc[other, "spec"],
                "baseline_models": seen.monitors.loc[other, "models"],
                "baseline_kind": seen.monitors.loc[other, "kind"],
                "metric": metric,
                "n_runs": one.data.pooled.scores.size,
                "n_clusters": found.n_clusters,
                "difference": found.value,
                "low": found.low,
                "high": found.high,
                "p": found.p,
                "method": found.method,
                "skipped_replicates": found.skipped,
                "scripted_agents": bool(runs.loc[both, "scripted"].any()),
                "embedded_models": bool(seen.monitors.loc[[monitor, other], "embedded"].any()),
                "monitor_id": monitor,
                "baseline_id": other,
            }


def left_out(monitors: pd.DataFrame, baseline: str | None = None) -> str:
    """Which pairs are not compared since there are too many, in words; empty if all are.

    Parameters
    ----------
    monitors : rows of `Observations.monitors`, those of one condition.
    baseline : what every monitor is compared with, if one was named.
    """
    ranked = monitors[monitors["kind"] != "oracle"]
    if baseline is not None or len(ranked) <= MOST_PAIRED:
        return ""
    floors = sorted(ranked.loc[ranked["kind"] == "floor", "title"])
    n_pairs = len(ranked) * (len(ranked) - 1) // 2
    instead = (
        f"Each monitor is compared with {listed(floors)} alone, and no two monitors with each other"
        if floors
        else "No two are compared"
    )
    return (
        f"{count(len(ranked), 'monitor')} make {n_pairs:,} pairs, too many for any difference to stand after "
        f"Holm’s adjustment. {instead}: name the one to compare all others with (--against MONITOR)."
    )


def _pairs(monitors: pd.DataFrame, baseline: str | None) -> Iterator[tuple[str, str]]:
    if baseline is not None:
        yield from ((monitor, baseline) for monitor in monitors.index if monitor != baseline)
        return
    is_floor = monitors["kind"] == "floor"
    # a floor is what others are measured against
    ranked = [*monitors.index[monitors["kind"] == "monitor"], *monitors.index[is_floor]]
    pairs = (pair for pair in combinations(ranked, 2) if not is_floor[pair[0]])
    too_many = len(ranked) > MOST_PAIRED
    yield from (pair for pair in pairs if is_floor[pair[1]] or not too_many)


def named(monitors: pd.DataFrame, name: str, option: str = "--against") -> str:
    """Id of the one monitor that ``name`` names, the most particular reading first.

    Parameters
    ----------
    monitors : of `Observations`.
    name : id, readable form with or without models, or name.
    option : that the user gave it by.

    Raises
    ------
    Problem
        If it names none, or several.
    """
    full = (monitors["title"] + " " + monitors["models"]).str.strip()
    typed = (monitors["spec"] + " " + monitors["models"]).str.strip()
    columns = (monitors["title"], monitors["spec"], monitors["name"])
    for column in (monitors.index.to_series(), full, typed, *columns):
        found = monitors.index[column == name]
        if len(found) == 1:
            return str(found[0])
        if len(found) > 1:
            raise Problem(
                f"{option} {name!r} names several. Give one of {', '.join(map(repr, full[found]))}."
            )
    raise Problem(f"{option} {name!r} names no monitor. There are {', '.join(map(repr, full))}.")


COLUMNS = [
    *("environment", "monitor", "models", "kind", "baseline", "baseline_models", "baseline_kind"),
    *("reasoning", "awareness", "arm", "metric"),
    *("n_runs", "n_clusters", "difference", "low", "high", "p", "p_holm", "method", "skipped_replicates"),
    *("scripted_agents", "embedded_models", "monitor_id", "baseline_id"),
]
