"""A share of runs, quotes or alarms with its interval, where those of one task go together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from molehunt.analysis.intervals import ROUNDING, exact_bounds, logit_t


class Share(NamedTuple):
    """A share with its 95% interval, NaN where there is nothing to count or a single task."""

    value: float
    low: float
    high: float


NOTHING = Share(float("nan"), float("nan"), float("nan"))


def share(hits: ArrayLike, clusters: ArrayLike, weights: ArrayLike | None = None) -> Share:
    """Weighted share of ``hits``, with an interval over tasks.

    The variance is that of a ratio of sums over tasks, with t on the logit scale; at 0 and 1 the bound is the
    binomial one for as many observations as there are tasks.

    Parameters
    ----------
    hits : (n,) true or false, or numbers in [0, 1].
    clusters : (n,) task of each.
    weights : (n,) positive; equal by default.

    References
    ----------
    Cochran 1977, Sampling Techniques, chapter 9A (ratio estimates of clusters).

    Examples
    --------
    >>> found = share([1, 1, 0, 1, 0, 0], list("aabbcc"))
    >>> round(found.value, 2), round(found.low, 2), round(found.high, 2)
    (0.5, 0.01, 0.99)
    >>> share([1, 1], ["a", "b"]).high
    1.0
    """
    values = np.asarray(hits, dtype=np.float64)
    if not values.size:
        return NOTHING
    weight = np.ones(values.size) if weights is None else np.asarray(weights, dtype=np.float64)
    tasks, names = pd.factorize(np.asarray(clusters))
    n_tasks = len(names)
    total = weight.sum()
    # a sum of fractions may miss 1 by a rounding
    value = float(np.clip(weight @ values / total, 0.0, 1.0))
    if n_tasks < 2:
        return Share(value, float("nan"), float("nan"))
    residuals = np.bincount(tasks, weight * (values - value), n_tasks)
    error = float(np.sqrt(n_tasks / (n_tasks - 1) * (residuals @ residuals)) / total)
    # so is the error of a share of 0 or 1
    if error < ROUNDING:
        return Share(value, *exact_bounds(value, n_tasks))
    return Share(value, *logit_t(value, error, n_tasks))
