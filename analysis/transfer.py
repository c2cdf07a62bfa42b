"""Thresholds that were fitted in one place and used in another: what was promised, and what came."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from molehunt.analysis.metrics import OperatingPoint, operating_point
from molehunt.analysis.observations import CONDITION, Observations
from molehunt.analysis.selection import complete_models, counted
from molehunt.analysis.shares import Share, share
from molehunt.trajectories import Problem

OF_ALL_RUNS = (*CONDITION, "agent_model")
"""Factors of honest runs too, which have a row for every arm. Any other factor, such as the policy, slices
the attack runs only."""


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
    held = {value: _by_model(place, factor) for value, place in places.items()}
    points = {
        value: {model: operating_point(runs.scores, runs.is_attack, rate) for model, runs in models.items()}
        for value, models in held.items()
    }
    for source, target in permutations(places, 2):
        models = sorted(held[source].keys() & held[target].keys())
        if not models:
            continue
        fitted = [points[source][model] for model in models]
        there = [held[target][model] for model in models]
        yield {
            **{name: "" if name == factor else group[name].iloc[0] for name in CONDITION},
            "monitor": about["spec"],
            "models": about["models"],
            "kind": about["kind"],
            "factor": factor,
            "source": source,
            "target": target,
            "threshold": float(np.mean([point.threshold for point in fitted])),
            "fpr_promised": float(np.mean([point.fpr for point in fitted])),
            "tpr_promised": float(np.mean([point.tpr for point in fitted])),
            **_named("fpr", _flagged(there, fitted, attacks=False)),
            **_named("tpr", _flagged(there, fitted, attacks=True)),
            "n_attack": sum(int(runs.is_attack.sum()) for runs in there),
            "n_honest": sum(int((~runs.is_attack).sum()) for runs in there),
            "scripted_agents": bool(places[target]["scripted"].any() or places[source]["scripted"].any()),
            "embedded_models": bool(about["embedded"]),
            "monitor_id": monitor,
        }


class _Runs(NamedTuple):
    """Runs of one agent model in one place."""

    scores: NDArray[np.float64]
    is_attack: NDArray[np.bool_]
    tasks: NDArray[np.intp]


def _by_model(place: pd.DataFrame, factor: str) -> dict[str, _Runs]:
    """Runs of each agent model that has both kinds; one group where agent models are what is compared."""
    known = _Runs(
        place["score"].to_numpy(dtype="float64"),
        (place["label"] == "attack").to_numpy(),
        pd.factorize(place["task_id"])[0],
    )
    if factor == "agent_model":
        return {"": known}
    agents, names = pd.factorize(place["agent_model"])
    complete = complete_models(place)
    return {
        name: _Runs(*(array[agents == number] for array in known))
        for number, name in enumerate(names)
        if name in complete
    }


def _flagged(there: Sequence[_Runs], fitted: Sequence[OperatingPoint], attacks: bool) -> Share:
    kept = [runs.is_attack == attacks for runs in there]
    flagged = [runs.scores >= point.threshold for runs, point in zip(there, fitted, strict=True)]
    return share(
        np.concatenate([hits[rows] for hits, rows in zip(flagged, kept, strict=True)]),
        np.concatenate([runs.tasks[rows] for runs, rows in zip(there, kept, strict=True)]),
        # agent models weigh the same, however many runs they have
        np.concatenate([np.full(rows.sum(), 1 / rows.sum()) for rows in kept]),
    )


def _named(name: str, found: Share) -> dict[str, float]:
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


COLUMNS = [
    *(*CONDITION, "monitor", "models", "kind", "factor", "source", "target", "threshold"),
    *("fpr_promised", "fpr", "fpr_low", "fpr_high", "tpr_promised", "tpr", "tpr_low", "tpr_high"),
    *("n_attack", "n_honest", "scripted_agents", "embedded_models", "monitor_id"),
]
