"""Does a monitor that sees less catch more? Each view and extract-and-evaluate, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from molehunt.analysis.comparisons import COMPARED
from molehunt.analysis.differences import differences
from molehunt.analysis.intervals import REPLICATES, Estimates, estimated, intervals
from molehunt.analysis.observations import CONDITION, Observations
from molehunt.analysis.selection import counted, data_from, judging, side_by_side

VIEWS = ("action_only", "cot_only", "cot_action", "hybrid", "eae")
"""Monitors that are asked the same question and differ in what they see of a run."""

EVERYTHING = "cot_action"
"""The one that sees all of it."""


def less_is_more(
    seen: Observations, filtered: bool = True, replicates: int = REPLICATES, seed: int = 0
) -> pd.DataFrame:
    """Every view of a run, judged by one model, against the view that shows everything.

    Parameters
    ----------
    seen : from `observe`.
    filtered, replicates, seed : as for `summarise`.

    Returns
    -------
    DataFrame with one row for each condition, judge, monitor and metric, on the runs that all of a judge's
    monitors scored; a judge with a single view has no row:
        environment, reasoning, awareness, arm : what is compared.
        judge : model that gave the scores; ``view``, ``monitor``, ``models`` : what it was shown, by name,
        in full and with the models of other roles.
        metric, value, low, high, method : auroc, log_auroc or tpr_at_1fpr with its 95% interval.
        gain, gain_low, gain_high, gain_p, gain_method : that minus the value of ``cot_action``, paired; NaN
        for ``cot_action`` itself and where the judge was never shown everything. p is not adjusted.
        best, worst : whether no view of the judge's is better, or worse.
        n_attack, n_honest, n_clusters : runs that all views scored, and their tasks.
        scripted_agents, embedded_models : that it rests on them, and says nothing about less is more.
        monitor_id.

    References
    ----------
    Arike et al. 2026 (arXiv 2601.21112).
    """
    rows = [
        row
        for _, group in seen.frame.groupby(CONDITION, sort=False)
        for row in _condition(seen, counted(group, filtered), replicates, seed)
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    values = table.groupby([*CONDITION, "judge", "metric"], sort=False)["value"]
    return table.assign(
        best=(table["value"] == values.transform("max")).astype(bool),
        worst=(table["value"] == values.transform("min")).astype(bool),
    )


def tally(table: pd.DataFrame) -> pd.DataFrame:
    """How often each view is best and worst: the counts that the published study reports.

    Parameters
    ----------
    table : from `less_is_more`.

    Returns
    -------
    DataFrame with one row for each metric and view:
        metric, view.
        n_pairs : conditions × judges in which the view was tried.
        n_best, n_worst : pairs in which one of its variants is best, or worst; ties count for all.
        n_above_everything : pairs in which one of its variants is above ``cot_action``.
    """
    pair = [*CONDITION, "judge", "metric", "view"]
    above = table.assign(above=table["gain"] > 0)
    by_pair = above.groupby(pair, sort=False)[["best", "worst", "above"]].any().reset_index()
    counts = by_pair.groupby(["metric", "view"], sort=False)
    return (
        counts[["best", "worst", "above"]]
        .sum()
        .rename(columns={"best": "n_best", "worst": "n_worst", "above": "n_above_everything"})
        .assign(n_pairs=counts.size())
        .reset_index()[["metric", "view", "n_pairs", "n_best", "n_worst", "n_above_everything"]]
    )


def _condition(
    seen: Observations, group: pd.DataFrame, replicates: int, seed: int
) -> Iterator[dict[str, Any]]:
    known = judging(group, seen.monitors)
    by_judge = known[known["name"].isin(VIEWS) & (known["judge"] != "")].groupby("judge")
    several = [(judge, monitors) for judge, monitors in by_judge if monitors["name"].nunique() > 1]
    if not several:
        return
    runs, scores = side_by_side(group)
    for judge, monitors in several:
        shared = scores[monitors.index].dropna()
        found = {
            monitor: estimated(COMPARED, data, replicates, seed)
            for monitor in monitors.index
            if (data := data_from(runs.loc[shared.index], shared[monitor])) is not None
        }
        everything = next((found[name] for name in found if monitors.loc[name, "name"] == EVERYTHING), None)
        labels = runs.loc[shared.index, "label"]
        for monitor, estimates in found.items():
            about = monitors.loc[monitor]
            for metric, numbers in zip(COMPARED, _numbers(estimates, everything), strict=True):
                yield {
                    **{name: group[name].iloc[0] for name in CONDITION},
                    "judge": judge,
                    "view": about["name"],
                    "monitor": about["spec"],
                    "models": about["models"],
                    "metric": metric,
                    **numbers,
                    "n_attack": int((labels == "attack").sum()),
                    "n_honest": int((labels == "honest").sum()),
                    "scripted_agents": bool(runs.loc[shared.index, "scripted"].any()),
                    "embedded_models": bool(about["embedded"]),
                    "monitor_id": monitor,
                }


def _numbers(found: Estimates, everything: Estimates | None) -> Iterator[dict[str, Any]]:
    gains = (
        differences(found, everything) if everything and everything is not found else [None] * len(COMPARED)
    )
    for interval, gain in zip(intervals(found), gains, strict=True):
        numbers = {
            "value": interval.value,
            "low": interval.low,
            "high": interval.high,
            "method": interval.method,
            "n_clusters": interval.n_clusters,
        }
        if gain is not None:
            numbers |= {
                "gain": gain.value,
                "gain_low": gain.low,
                "gain_high": gain.high,
                "gain_p": gain.p,
                "gain_method": gain.method,
            }
        yield numbers


COLUMNS = [
    *(*CONDITION, "judge", "view", "monitor", "models", "metric", "value", "low", "high", "method"),
    *("gain", "gain_low", "gain_high", "gain_p", "gain_method", "best", "worst"),
    *("n_attack", "n_honest", "n_clusters", "scripted_agents", "embedded_models", "monitor_id"),
]
