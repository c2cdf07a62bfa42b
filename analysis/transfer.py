"""Thresholds that were fitted in one place and used in another: what was promised, and what came."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from molehunt.analysis.metrics import operating_point
from molehunt.analysis.observations import CONDITION, Observations
from molehunt.analysis.selection import complete_models, counted
from molehunt.analysis.shares import Share, share
from molehunt.trajectories import Problem

OF_ALL_RUNS = ("environment", "awareness", "reasoning", "agent_model")
"""Factors of honest runs too. Any other factor, such as the policy, slices the attack runs only."""


def transfer(seen: Observations, factor: str, rate: float = 0.01, filtered: bool = True) -> pd.DataFrame:
    """A threshold for ``rate`` false alarms in one environment, policy, … applied to every other one.

    Thresholds are those of `operating_point`, one for each agent model, and rates are averaged over the agent
    models that both places have. From one agent model to another it is that one's threshold that is used.

    Parameters
    ----------
    seen : from `observe`.
    factor : ``environment``, ``awareness``, ``agent_model``, ``policy``, ``side_task`` or another factor.
        Where honest runs have it, as in the first three, they are split by it as well; all else that rows
        never mix is equal in both places.
    rate : false-positive rate that the threshold is fitted for.
    filtered : as for `summarise`.

    Returns
    -------
    DataFrame with one row for each monitor and ordered pair of values:
        environment, reasoning, awareness, arm : of both places; the one that is ``factor`` is empty.
        monitor, models, kind, monitor_id, factor, source, target.
        threshold : mean over agent models.
        fpr_promised, tpr_promised : on the source's runs, to which the threshold was fitted.
        fpr, tpr : on the target's, with ``…_low`` and ``…_high`` (95% over the target's tasks, for the
        threshold as it is).
        n_attack, n_honest : scored runs of the target.
        scripted_agents, embedded_models : that it rests on them, and carries no claim.

    Raises
    ------
    Problem
        If no run has the factor.
    """
    if factor not in (*seen.factors, *CONDITION):
        raise Problem(
            f"there is no factor {factor!r} to transfer between. There are {', '.join(seen.factors)}."
        )
    scored = counted(seen.frame, filtered).dropna(subset="score")
    fixed = [name for name in (*CONDITION, "monitor") if name != factor]
    rows = [
        row for _, group in scored.groupby(fixed, sort=False) for row in _between(seen, group, factor, rate)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _between(seen: Observations, group: pd.DataFrame, factor: str, rate: float) -> Iterator[dict[str, Any]]:
    monitor = group["monitor"].iloc[0]
    about = seen.monitors.loc[monitor]
    is_attack = group["label"] == "attack"
    places = {}
    for value in sorted(group.loc[is_attack, factor].dropna().unique()):
        is_there = group[factor] == value
        place = group[is_there | (~is_attack & (factor not in OF_ALL_RUNS))]
        if complete_models(place):
            places[value] = place
    for source, target in permutations(places, 2):
        pairs = list(_models(places[source], places[target], factor))
        if not pairs:
            continue
        points = [operating_point(here["score"], here["label"] == "attack", rate) for here, _ in pairs]
        came = pd.concat(
            # agent models weigh the same, however many runs they have
            there.assign(
                flagged=there["score"] >= point.threshold,
                weight=1 / there.groupby("label")["run"].transform("size"),
            )
            for (_, there), point in zip(pairs, points, strict=True)
        )
        yield {
            **{name: "" if name == factor else group[name].iloc[0] for name in CONDITION},
            "monitor": about["spec"],
            "models": about["models"],
            "kind": about["kind"],
            "factor": factor,
            "source": source,
            "target": target,
            "threshold": float(np.mean([point.threshold for point in points])),
            "fpr_promised": float(np.mean([point.fpr for point in points])),
            "tpr_promised": float(np.mean([point.tpr for point in points])),
            **_named("fpr", _flagged(came, "honest")),
            **_named("tpr", _flagged(came, "attack")),
            "n_attack": int((came["label"] == "attack").sum()),
            "n_honest": int((came["label"] == "honest").sum()),
            "scripted_agents": bool(came["scripted"].any()),
            "embedded_models": bool(about["embedded"]),
            "monitor_id": monitor,
        }


def _models(
    source: pd.DataFrame, target: pd.DataFrame, factor: str
) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    if factor == "agent_model":
        yield source, target
        return
    for model in sorted(complete_models(source) & complete_models(target)):
        yield source[source["agent_model"] == model], target[target["agent_model"] == model]


def _flagged(runs: pd.DataFrame, label: str) -> Share:
    of_kind = runs[runs["label"] == label]
    return share(of_kind["flagged"], of_kind["task_id"], of_kind["weight"])


def _named(name: str, found: Share) -> dict[str, float]:
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


COLUMNS = [
    *(*CONDITION, "monitor", "models", "kind", "factor", "source", "target", "threshold"),
    *("fpr_promised", "fpr", "fpr_low", "fpr_high", "tpr_promised", "tpr", "tpr_low", "tpr_high"),
    *("n_attack", "n_honest", "scripted_agents", "embedded_models", "monitor_id"),
]
