"""The Pareto frontier: monitors that no other one beats at their price."""

from __future__ import annotations

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
