"""Two monitors on the same runs: the difference of a metric, its interval, and how surprising it is."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from molehunt.analysis.intervals import (
    FEW_TASKS,
    REPLICATES,
    ROUNDING,
    Data,
    Estimates,
    Method,
    contributions_of,
    data_of,
    estimated,
    exact_bounds,
    is_constant,
    percentiles,
    standard_error,
    t_quantile,
)
from molehunt.analysis.metrics import Metric, auroc

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """A metric of one monitor minus that of another, on the runs that both scored.

    Parameters
    ----------
    value : the difference.
    low, high : 95% interval, NaN where there is none.
    p : two-sided p-value of no difference, not adjusted for other comparisons; NaN where there is none.
    method : as for an `Interval`; ``exact`` where the replicates have no spread.
    skipped : replicates that had only one kind of run.
    n_clusters : tasks that were resampled.
    """

    value: float
    low: float
    high: float
    p: float
    method: Method
    skipped: int
    n_clusters: int


def difference(
    metric: str | Metric,
    scores: ArrayLike,
    baseline: ArrayLike,
    labels: ArrayLike,
    clusters: ArrayLike | None = None,
    replicates: int = REPLICATES,
    seed: int = 0,
    groups: ArrayLike | None = None,
    goals: ArrayLike | None = None,
) -> Difference:
    """How much better ``scores`` are than ``baseline``, paired by run and resampled by task.

    Parameters
    ----------
    scores, baseline : (n,) of two monitors on the same runs, in the same order.
    metric, labels, clusters, replicates, seed, groups, goals : as for `interval`.

    Raises
    ------
    ValueError
        As `interval` does.

    Examples
    --------
    >>> better, worse = [0.9, 0.2, 0.8, 0.4, 0.3, 0.1], [0.9, 0.2, 0.3, 0.4, 0.8, 0.1]
    >>> found = difference("auroc", better, worse, [1, 1, 1, 0, 0, 0], list("abcabc"))
    >>> round(found.value, 3), found.method
    (0.222, 'delong_t')
    """
    one, other = (
        estimated([metric], data_of(values, labels, clusters, groups, goals), replicates, seed)
        for values in (scores, baseline)
    )
    [found] = differences(one, other)
    return found


def differences(one: Estimates, other: Estimates) -> list[Difference]:
    """Differences of the metrics of two monitors on the same runs and tasks.

    Both must come from equal seeds: then equal tasks were drawn, and their replicates are pairs.
    """
    return [
        _difference(metric, float(value), sample, one.data, other.data)
        for metric, value, sample in zip(
            one.metrics, one.values - other.values, one.samples - other.samples, strict=True
        )
    ]


def holm(p_values: ArrayLike) -> Floats:
    """Holm's adjustment for several comparisons; NaN stays NaN and is not counted.

    References
    ----------
    Holm 1979, "A simple sequentially rejective multiple test procedure", Scand. J. Stat. 6.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    given = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(given.shape, np.nan)
    order = np.argsort(given)[: int((~np.isnan(given)).sum())]
    steps = given[order] * np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def _difference(metric: Metric, value: float, sample: Floats, one: Data, other: Data) -> Difference:
    found = from_replicates(value, sample, one)
    if metric is not auroc or found.method != "bootstrap_t":
        return found
    apart = contributions_of(one) + contributions_of(other) * -1.0
    if apart.variance <= ROUNDING:
        return found
    low, high, p = _t_test(value, float(np.sqrt(apart.variance)), one.n_pairs)
    return replace(found, low=low, high=high, p=p, method="delong_t")


def from_replicates(value: float, sample: Floats, data: Data) -> Difference:
    """A difference, or a mean of differences, with the interval and p-value that its replicates give.

    Parameters
    ----------
    value : what was found.
    sample : (replicates,) the same in every replicate, NaN where it was not defined.
    data : whose tasks were drawn.
    """
    defined = sample[~np.isnan(sample)]
    skipped = sample.size - defined.size
    n_pairs = data.n_pairs

    def found(low: float, high: float, p: float, method: Method) -> Difference:
        return Difference(value, low, high, p, method, skipped, data.n_clusters)

    if n_pairs < 2 or not defined.size:
        return found(np.nan, np.nan, np.nan, "none")
    if is_constant(defined):
        return found(*exact_bounds(value, n_pairs, lowest=-1.0), _exact_p(value, n_pairs), "exact")
    crossed = data.design.goals is not None
    if n_pairs >= FEW_TASKS:
        return found(*percentiles(defined), _bootstrap_p(defined), "two_way" if crossed else "bootstrap")
    error = standard_error(defined, n_pairs)
    return found(*_t_test(value, error, n_pairs), "two_way_t" if crossed else "bootstrap_t")


def _bootstrap_p(sample: Floats) -> float:
    """Twice the rarer tail beyond zero, never less than the number of replicates can show."""
    beyond = min(int((sample <= 0).sum()), int((sample >= 0).sum()))
    return min(1.0, 2 * (beyond + 1) / (sample.size + 1))


def _exact_p(value: float, n_pairs: int) -> float:
    """Level at which `exact_bounds` come to exclude zero; at a difference of ±1 it is the sign test's p."""
    return min(1.0, max(2.0 * math.pow(1 + abs(value), -n_pairs), sys.float_info.min))


def _t_test(value: float, error: float, n_pairs: int) -> tuple[float, float, float]:
    reach = t_quantile(n_pairs) * error
    p = 2 * float(stats.t.sf(abs(value) / error, n_pairs - 1))
    return max(value - reach, -1.0), min(value + reach, 1.0), p
