"""How many tasks an experiment needs, in closed form.

An AUROC is a mean over tasks, near enough, so that its variance is v/n for n tasks: v is read off a pilot
experiment or follows from the binormal model. There, with scores N(δ, 1) for attacks and N(0, 1) for honest
runs, every term of v is the probability that two correlated normal variables both stay below a bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from molehunt.analysis.comparisons import named
from molehunt.analysis.intervals import (
    REPLICATES,
    ROUNDING,
    Data,
    contributions_of,
    estimated,
    standard_error,
    t_quantile,
)
from molehunt.analysis.metrics import auroc
from molehunt.analysis.observations import CONDITION, UNKNOWN, Observations
from molehunt.analysis.selection import counted, data_from, side_by_side
from molehunt.verdicts.success import SABOTAGE

MOST = 10_000_000
"""Tasks beyond which nobody will go on."""


@dataclass(frozen=True)
class Variance:
    """What one task adds to the variance of an estimate: for n tasks it is ``per_task`` / n.

    Parameters
    ----------
    value : the estimate, a metric or a difference of two.
    per_task : variance times tasks.
    n_tasks : of the pilot that it comes from, None if it comes from a model.
    method : how it was found.
    """

    value: float
    per_task: float
    n_tasks: int | None
    method: Literal["binormal", "delong", "bootstrap"]

    @property
    def has_spread(self) -> bool:
        """False for a pilot whose estimate would be the same whichever of its tasks were drawn."""
        return self.per_task > ROUNDING


def assumed(
    auroc: float,
    baseline: float | None = None,
    within_task: float = 0.5,
    between_monitors: float = 0.5,
) -> Variance:
    """Variance of an AUROC, or of the difference of two, for one honest and one attack run a task.

    Parameters
    ----------
    auroc : of the monitor, in (0, 1).
    baseline : of the monitor that it is compared with on the same runs; None if it stands alone.
    within_task : correlation of the scores of a task's two runs: of hard tasks both look suspicious.
    between_monitors : correlation of the two monitors' scores of one run.

    Raises
    ------
    ValueError
        If an AUROC lies outside (0, 1) or a correlation outside (-1, 1).

    Examples
    --------
    >>> round(assumed(0.8, within_task=0.0).per_task, 4), round(assumed(0.8, within_task=0.5).per_task, 4)
    (0.0943, 0.0586)
    """
    areas = [auroc] if baseline is None else [auroc, baseline]
    if not all(0 < area < 1 for area in areas):
        raise ValueError(f"an AUROC lies in (0, 1), not at {areas}")
    if not (-1 < within_task < 1 and -1 < between_monitors < 1):
        raise ValueError("correlations lie in (-1, 1)")
    variance = sum(_covariance(area, area, 1.0, within_task) for area in areas)
    if baseline is not None:
        variance -= 2 * _covariance(auroc, baseline, between_monitors, within_task * between_monitors)
    return Variance(auroc - (baseline or 0.0), float(variance), None, "binormal")


def _covariance(one: float, other: float, same_run: float, same_task: float) -> float:
    """Of what one task adds to two AUROCs, by the correlations of one run's scores and of two runs'."""
    # δ/√2, at which the area is Φ(δ/√2)
    bounds = stats.norm.ppf([one, other])

    def both(correlation: float) -> float:
        shape = [[1.0, correlation], [correlation, 1.0]]
        return float(stats.multivariate_normal.cdf(bounds, mean=[0.0, 0.0], cov=shape)) - one * other

    # attack with attack and honest with honest go the same way; an honest run that looks suspicious with an
    # attack that does go opposite ways
    return 2 * both(same_run / 2) + 2 * both(-same_task / 2)


def of_pilot(data: Data, baseline: Data | None = None, metric: str = "auroc", seed: int = 0) -> Variance:
    """Variance of a metric, or of a paired difference, in runs that are there already.

    Parameters
    ----------
    data, baseline : of one monitor and of the other, on the same runs and tasks.
    metric : for the AUROC the clustered DeLong variance is taken, for another one that of 10,000 replicates.
    seed : of the bootstrap.

    Raises
    ------
    ValueError
        If there are fewer than two tasks with runs of either kind.
    """
    n_tasks = data.n_pairs
    if n_tasks < 2:
        raise ValueError("a pilot needs two tasks with attack runs and two with honest ones")
    one = estimated([metric], data, REPLICATES, seed)
    other = estimated([metric], baseline, REPLICATES, seed) if baseline else None
    value = float(one.values[0]) - (float(other.values[0]) if other else 0.0)
    if one.metrics[0] is auroc and data.design.goals is None:
        apart = contributions_of(data)
        if baseline:
            apart = apart + contributions_of(baseline) * -1.0
        return Variance(value, apart.variance * n_tasks, n_tasks, "delong")
    sample = one.samples[0] - (other.samples[0] if other else 0.0)
    error = standard_error(sample[~np.isnan(sample)], n_tasks)
    return Variance(value, error**2 * n_tasks, n_tasks, "bootstrap")


@dataclass(frozen=True)
class Pilot:
    """What runs that are there say of one condition.

    Parameters
    ----------
    condition : data set, and what else rows never mix, in words.
    n_runs : runs that the monitors scored.
    variance : of the metric, or of the difference.
    """

    condition: str
    n_runs: int
    variance: Variance


def pilots(
    seen: Observations, monitor: str, against: str | None = None, metric: str = "auroc", filtered: bool = True
) -> list[Pilot]:
    """A pilot for every condition in which the monitors scored runs of both kinds in two tasks or more.

    Parameters
    ----------
    seen : from `observe`.
    monitor, against : by name, readable form or id; without the second the first stands alone.
    metric : see `METRICS`.
    filtered : as for `summarise`.

    Raises
    ------
    Problem
        If a name names no monitor, or several.
    """
    names = [named(seen.monitors, monitor, "--monitor")]
    names += [named(seen.monitors, against, "--against")] if against else []
    found = []
    for condition, group in counted(seen.frame, filtered).groupby(CONDITION, sort=False):
        runs, scores = side_by_side(group)
        if not set(names) <= set(scores.columns):
            continue
        both = scores[names].dropna()
        data = [data_from(runs.loc[both.index], both[name]) for name in names]
        if data[0] is None or data[0].n_pairs < 2:
            continue
        words = ", ".join(str(part) for part in condition if part not in (UNKNOWN, SABOTAGE))
        found.append(Pilot(words, len(both), of_pilot(data[0], data[1] if against else None, metric)))
    return found


def tasks_for_width(variance: Variance, width: float) -> int | None:
    """Fewest tasks for which a 95% interval of a metric is no wider than ``width``.

    The interval is t on the logit scale, as reports make it under 50 tasks; with more it agrees with
    percentiles. None if ten million tasks do not suffice.

    Examples
    --------
    >>> tasks_for_width(assumed(0.8, within_task=0.0), 0.1)
    148
    """
    if width <= 0:
        raise ValueError(f"a width is above 0, not {width}")
    _check_spread(variance)
    return _fewest(lambda n: _width(variance, n) <= width)


def tasks_for_difference(variance: Variance, difference: float, power: float = 0.8) -> int | None:
    """Fewest tasks with which a true difference is found, at p < 0.05 two-sided, with probability ``power``.

    Parameters
    ----------
    variance : of a difference.
    difference : that is to be found, not 0.
    power : in (0, 1).

    Examples
    --------
    >>> tasks_for_difference(assumed(0.85, 0.8), 0.05)
    203
    """
    if not difference:
        raise ValueError("a difference of 0 cannot be found")
    if not 0 < power < 1:
        raise ValueError(f"power lies in (0, 1), not at {power}")
    _check_spread(variance)
    return _fewest(lambda n: power_with(variance, difference, n) >= power)


def pilot_range(n_tasks: int) -> tuple[float, float]:
    """How far the number of tasks that a pilot gives may be off, by the pilot's size alone.

    Parameters
    ----------
    n_tasks : of the pilot, two or more.

    Returns
    -------
    Factors of the variance it found, and so of a number of tasks: the 95% interval of a variance that was
    estimated from so many independent normal values (chi-square). Tasks are not normal, so it is a guide.

    Examples
    --------
    >>> [round(factor, 2) for factor in pilot_range(4)], [round(factor, 2) for factor in pilot_range(100)]
    ([0.32, 13.9], [0.77, 1.35])
    """
    freedom = n_tasks - 1
    low, high = freedom / stats.chi2.ppf([0.975, 0.025], freedom)
    return float(low), float(high)


def _check_spread(variance: Variance) -> None:
    # a pilot in which nothing went wrong does not say how often something will
    if not variance.has_spread:
        raise ValueError("an estimate without spread says nothing of how many tasks are enough")


def power_with(variance: Variance, difference: float, n_tasks: int) -> float:
    """Probability that ``n_tasks`` tasks show a true difference at p < 0.05: of the non-central t."""
    shift = abs(difference) / np.sqrt(variance.per_task / n_tasks)
    reach = t_quantile(n_tasks)
    return float(stats.nct.sf(reach, n_tasks - 1, shift) + stats.nct.cdf(-reach, n_tasks - 1, shift))


def _width(variance: Variance, n_tasks: int) -> float:
    error = np.sqrt(variance.per_task / n_tasks)
    inside = variance.value * (1 - variance.value)
    if not 0 < variance.value < 1:
        return float("inf")
    centre = np.log(variance.value / (1 - variance.value))
    low, high = (1 / (1 + np.exp(-centre + side * t_quantile(n_tasks) * error / inside)) for side in (1, -1))
    return float(high - low)


def _fewest(suffices: Callable[[int], bool]) -> int | None:
    low, high = 1, 2
    while not suffices(high):
        low, high = high, 2 * high
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high
