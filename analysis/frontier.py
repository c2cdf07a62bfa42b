"""The Pareto frontier: monitors that no other one beats at their price."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


def on_frontier(costs: ArrayLike, values: ArrayLike, eligible: ArrayLike) -> NDArray[np.bool_]:
    """Which points no eligible point beats: none is as cheap and better, or as good and cheaper.

    Parameters
    ----------
    costs : (n,) NaN where unknown; such a point is no part of the frontier and beats nothing.
    values : (n,) higher is better, NaN where there is none.
    eligible : (n,) False for oracles and for monitors that left too many runs unscored.

    Returns
    -------
    (n,) bool.

    Examples
    --------
    >>> on_frontier([0.0, 0.1, 0.2, 0.05], [0.5, 0.8, 0.7, 0.9], [True, True, True, False]).tolist()
    [True, True, False, False]
    """
    cost, value = np.asarray(costs, dtype=np.float64), np.asarray(values, dtype=np.float64)
    counts = np.asarray(eligible, dtype=bool) & ~np.isnan(cost) & ~np.isnan(value)
    # comparisons with NaN are false
    no_worse = (cost[:, None] <= cost) & (value[:, None] >= value)
    better = (cost[:, None] < cost) | (value[:, None] > value)
    beaten = (no_worse & better & counts[:, None]).any(axis=0)
    return np.asarray(counts & ~beaten)


class CostLine(NamedTuple):
    """value = intercept + slope × dollars, fitted to ``n`` monitors; ``r2`` of the variance is explained."""

    intercept: float
    slope: float
    r2: float
    n: int


def cost_line(costs: ArrayLike, values: ArrayLike) -> CostLine:
    """The least-squares line of a metric against dollars per trajectory: what a dollar more goes with.

    The published study has AUROC ≈ 0.708 + 2.348 × dollars (R² 0.389, n = 30) for MLE-Sabotage. The line says
    nothing of what one monitor would gain from spending more.

    Parameters
    ----------
    costs, values : (n,) of one data set; points of which either is NaN are left out.

    Returns
    -------
    CostLine
        NaN but for ``n`` where fewer than three points or a single price are left.

    References
    ----------
    Arike et al. 2026 (arXiv 2601.21112), AUROC against cost.

    Examples
    --------
    >>> cost_line([0.0, 0.25, 0.5], [0.5, 0.625, 0.75])
    CostLine(intercept=0.5, slope=0.5, r2=1.0, n=3)
    """
    cost, value = np.asarray(costs, dtype=np.float64), np.asarray(values, dtype=np.float64)
    known = ~(np.isnan(cost) | np.isnan(value))
    cost, value = cost[known], value[known]
    if cost.size < 3 or np.ptp(cost) == 0:
        return CostLine(float("nan"), float("nan"), float("nan"), int(cost.size))
    spread = cost - cost.mean()
    slope = float(spread @ value / (spread @ spread))
    intercept = float(value.mean() - slope * cost.mean())
    total = float(((value - value.mean()) ** 2).sum())
    left = float(((value - intercept - slope * cost) ** 2).sum())
    r2 = 1 - left / total if total else float("nan")
    return CostLine(intercept, slope, r2, int(cost.size))
