"""Monitors at one price: each is given as many draws as the money buys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from molehunt.analysis.intervals import REPLICATES, estimated, intervals
from molehunt.analysis.observations import CONDITION, Observations
from molehunt.analysis.selection import counted, data_from, within
from molehunt.analysis.summary import ENOUGH

MEASURED = ("auroc", "log_auroc", "tpr_at_1fpr")


def equal_budget(
    seen: Observations,
    budgets: Sequence[float] | None = None,
    filtered: bool = True,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> pd.DataFrame:
    """What each monitor makes of the same money, spent on the mean of several draws.

    A monitor is not better for asking a dearer model, or for asking twice, if another does as well with as
    many draws as the same money buys. A monitor of which the store holds fewer draws than that is measured on
    those that there are, and marked.

    Parameters
    ----------
    seen : from `observe`.
    budgets : dollars for each run. By default the price of one draw of the dearest monitor of the condition.
    filtered, replicates, seed : as for `summarise`.

    Returns
    -------
    DataFrame with one row for each condition, budget and monitor that costs something (oracles, floors and
    monitors of unknown price have none), the best AUROC first:
        environment, reasoning, awareness, arm, budget, monitor, models, monitor_id.
        usd_per_draw : mean list price of a draw, of honest runs for a cascade.
        n_affordable, n_held, n_draws : draws that the budget buys, that the store holds, and that were used.
        short : whether the store holds fewer than the budget buys.
        usd_per_trajectory : what was spent.
        auroc, log_auroc, tpr_at_1fpr : of the mean of those draws, each with ``…_low`` and ``…_high``; NaN
        where the budget does not buy one.
        n_runs, n_clusters : scored runs and their tasks.
        scripted_agents, embedded_models : that it rests on them, and carries no claim.
    """
    rows = [
        row
        for _, group in seen.frame.groupby(CONDITION, sort=False)
        for row in _condition(seen, counted(group, filtered), budgets, replicates, seed)
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    order = table.groupby([*CONDITION, "budget"], sort=False).ngroup()
    return (
        table.assign(order=order)
        .sort_values(["order", "auroc"], ascending=[True, False], kind="stable")
        .drop(columns="order")
        .reset_index(drop=True)
    )


def _condition(
    seen: Observations, group: pd.DataFrame, budgets: Sequence[float] | None, replicates: int, seed: int
) -> Iterator[dict[str, Any]]:
    draws = seen.draws[within(seen.draws["trajectory"], group["trajectory"])]
    by_monitor = dict(list(draws.groupby("monitor")))
    runs_of = dict(list(group.groupby("monitor")))
    prices = {
        monitor: price
        for monitor, runs in runs_of.items()
        if seen.monitors.loc[str(monitor), "kind"] == "monitor"
        and (price := _price(seen, str(monitor), runs, by_monitor[monitor])) > 0
    }
    if not prices:
        return
    for budget in budgets or [max(prices.values())]:
        for monitor, price in prices.items():
            runs, drawn, about = runs_of[monitor], by_monitor[monitor], seen.monitors.loc[str(monitor)]
            n_held = int(drawn["draw"].max()) + 1
            # a budget that is a price buys one draw, whatever rounding says
            n_affordable = int(np.floor(budget / price + 1e-9))
            n_draws = min(n_affordable, n_held)
            row = {
                **{name: group[name].iloc[0] for name in CONDITION},
                "budget": budget,
                "monitor": about["spec"],
                "models": about["models"],
                "usd_per_draw": price,
                "n_affordable": n_affordable,
                "n_held": n_held,
                "n_draws": n_draws,
                "short": n_held < n_affordable,
                "usd_per_trajectory": n_draws * price,
                "scripted_agents": bool(runs["scripted"].any()),
                "embedded_models": bool(about["embedded"]),
                "monitor_id": monitor,
            }
            means = drawn[drawn["draw"] < n_draws].groupby("trajectory")["score"].mean()
            scored = runs.assign(score=runs["trajectory"].map(means)).dropna(subset="score")
            data = data_from(scored)
            if data is not None:
                found = intervals(estimated(MEASURED, data, replicates, seed))
                row |= {"n_runs": len(scored), "n_clusters": data.n_clusters}
                for name, interval in zip(MEASURED, found, strict=True):
                    row |= {name: interval.value, f"{name}_low": interval.low, f"{name}_high": interval.high}
            yield row


def _price(seen: Observations, monitor: str, runs: pd.DataFrame, draws: pd.DataFrame) -> float:
    """Mean price of a draw, NaN where it is unknown for more than 5% of them."""
    if seen.monitors.loc[monitor, "branches"]:
        draws = draws[within(draws["trajectory"], runs.loc[runs["label"] == "honest", "trajectory"])]
    return float(draws["usd"].mean()) if draws["usd"].notna().mean() >= ENOUGH else float("nan")


COLUMNS = [
    *(
        *CONDITION,
        "budget",
        "monitor",
        "models",
        "usd_per_draw",
        "n_affordable",
        "n_held",
        "n_draws",
        "short",
    ),
    "usd_per_trajectory",
    *(f"{name}{end}" for name in MEASURED for end in ("", "_low", "_high")),
    *("n_runs", "n_clusters", "scripted_agents", "embedded_models", "monitor_id"),
]
