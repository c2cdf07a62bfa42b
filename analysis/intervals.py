"""95% intervals that respect tasks: which method, when, and what to do at the edges."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from molehunt.analysis.bootstrap import Design, Ranking, Runs, replicated
from molehunt.analysis.delong import Contributions, contributions
from molehunt.analysis.metrics import METRICS, Metric, auroc, by_label, earning_of

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

REPLICATES = 10_000
LEVEL = 0.95
FEW_TASKS = 50
"""Below so many tasks a percentile bootstrap is too narrow; see docs/design/metrics.md."""

TPR_COVERAGE = "59% to 96%"
"""How often the 95% interval of TPR at 1% FPR held the truth, by design; see docs/design/metrics.md."""

ROUNDING = 1e-12
"""A spread or a variance that is no larger is rounding, on either side of zero."""

Method = Literal["bootstrap", "bootstrap_t", "delong_t", "two_way", "two_way_t", "exact", "none"]
"""How an interval was made.

``bootstrap``: percentiles over resampled tasks. ``delong_t``: clustered DeLong variance, t on the logit
scale. ``bootstrap_t``: the bootstrap's variance, t on the logit scale. ``two_way``, ``two_way_t``: the same
where tasks and side goals are resampled, each by itself. ``exact``: a binomial bound, where the estimate is 0
or 1 or the replicates have no spread. ``none``: a single task says nothing about others.
"""


@dataclass(frozen=True)
class Interval:
    """An estimate with its 95% interval.

    Parameters
    ----------
    value : the estimate.
    low, high : bounds, NaN where there is no interval.
    method : see `Method`.
    skipped : replicates that had only one kind of run, and were left out.
    n_clusters : tasks that were resampled.
    """

    value: float
    low: float
    high: float
    method: Method
    skipped: int
    n_clusters: int


@dataclass(frozen=True)
class Part:
    """Runs of one agent model: (n,) scores without NaN, labels 1 or 0, and indices of units of a `Design`."""

    scores: Floats
    labels: Integers
    clusters: Integers

    def of(self, label: int) -> Runs:
        """Its attack runs, or its honest ones."""
        rows = self.labels == label
        return Runs(self.scores[rows], self.clusters[rows])


@dataclass(frozen=True)
class Data:
    """What an estimate is made from: the parts whose metrics are averaged, and the design that they share.

    Parameters
    ----------
    parts : one an agent model.
    design : of the units that the parts' runs belong to.
    """

    parts: tuple[Part, ...]
    design: Design

    @cached_property
    def digest(self) -> bytes:
        """Equal for equal data."""
        arrays = [(part.scores, part.labels, part.clusters) for part in self.parts]
        return _digest(self.design, *(array for of_part in arrays for array in of_part))

    @cached_property
    def ground(self) -> bytes:
        """Equal for data that set attack runs against the same honest ones, in the same design."""
        return _digest(self.design, *(array for part in self.parts for array in part.of(0)))

    @cached_property
    def pooled(self) -> Part:
        """All agent models in one."""
        if len(self.parts) == 1:
            return self.parts[0]
        return Part(
            np.concatenate([part.scores for part in self.parts]),
            np.concatenate([part.labels for part in self.parts]),
            np.concatenate([part.clusters for part in self.parts]),
        )

    @cached_property
    def n_clusters(self) -> int:
        """Tasks that have runs."""
        return int(np.unique(self.design.tasks[self.pooled.clusters]).size)

    @cached_property
    def n_pairs(self) -> int:
        """Tasks with runs of the rarer kind: how many attack–honest pairs can be had that share no task.

        In a crossed design also no goal: the goals that are pursued, if they are fewer still.
        """
        runs, design = self.pooled, self.design
        numbers = [np.unique(design.tasks[runs.clusters[runs.labels == kind]]).size for kind in (0, 1)]
        if design.goals is not None:
            numbers.append(np.unique(design.goals[runs.clusters[runs.labels == 1]]).size)
        return min(numbers)


def interval(
    metric: str | Metric,
    scores: ArrayLike,
    labels: ArrayLike,
    clusters: ArrayLike | None = None,
    replicates: int = REPLICATES,
    seed: int = 0,
    groups: ArrayLike | None = None,
    goals: ArrayLike | None = None,
) -> Interval:
    """A metric with its 95% interval over tasks.

    Whole tasks are resampled with all their runs, and thresholds are found anew in every replicate. Under 50
    tasks percentiles are too narrow: the AUROC then takes the clustered DeLong variance, every other metric
    the bootstrap's, both with t on the logit scale. At 0 or 1, and where the replicates have no spread, the
    bound is the binomial one for as many disjoint attack–honest pairs as there are tasks of the rarer kind.

    Parameters
    ----------
    metric : name of a metric in `METRICS`, a function of this package or a ``functools.partial`` of one, or
        any function of scores and labels (which is slow: it is called once a replicate).
    scores, labels : (n,), as for `auroc`.
    clusters : (n,) task of each run; without it every run is a task of its own.
    replicates : of the bootstrap.
    seed : of the bootstrap; equal seeds give equal intervals.
    groups : (n,) agent model of each run; the metric is computed for each and averaged.
    goals : (n,) second factor of a crossed design, such as the side goal of each attack run, the empty text
        where a run has none; tasks and goals are then resampled, each by itself.

    Returns
    -------
    Interval

    Raises
    ------
    ValueError
        As the metric does; if lengths differ; if the name is unknown.

    Examples
    --------
    >>> scores = [0.9, 0.8, 0.7, 0.35, 0.2, 0.5, 0.4, 0.3, 0.1, 0.0]
    >>> found = interval("auroc", scores, [1, 1, 1, 1, 1, 0, 0, 0, 0, 0], list("abcdeabcde"))
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3), found.method
    (0.8, 0.572, 0.923, 'delong_t')
    """
    data = data_of(scores, labels, clusters, groups, goals)
    [found] = intervals(estimated([metric], data, replicates, seed))
    return found


def data_of(
    scores: ArrayLike,
    labels: ArrayLike,
    clusters: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    goals: ArrayLike | None = None,
) -> Data:
    """Arrays made ready: tasks numbered, agent models apart. Raises ValueError as `auroc` does."""
    values = np.asarray(scores, dtype=np.float64)
    tasks = numbered(np.arange(values.size) if clusters is None else clusters)
    units, design = designed(tasks, None if goals is None else np.asarray(goals))
    return parted(
        values, np.asarray(labels), units, np.zeros(values.size) if groups is None else groups, design
    )


def designed(tasks: Integers, goals: NDArray[np.generic] | None) -> tuple[Integers, Design]:
    """Index of each run's unit, and the design of the units.

    Parameters
    ----------
    tasks : (n,) index of each run's task.
    goals : (n,) names or numbers of goals, empty texts for none; None if goals are not drawn.
    """
    if goals is None:
        return tasks, Design.of_tasks(int(tasks.max(initial=-1)) + 1)
    if goals.shape != tasks.shape:
        raise ValueError("scores, labels, clusters and goals have one length")
    goal_of = np.full(goals.shape, -1, dtype=np.intp)
    is_named = goals != ""
    goal_of[is_named] = numbered(goals[is_named])
    cells, units = np.unique(np.column_stack([tasks, goal_of]), axis=0, return_inverse=True)
    return units.reshape(-1), Design(cells[:, 0], cells[:, 1])


def parted(
    scores: Floats, labels: NDArray[np.generic], units: Integers, groups: ArrayLike, design: Design
) -> Data:
    """Runs by agent model, in one order whatever they came in.

    Raises ValueError as `auroc` does, or if lengths differ.
    """
    models = numbered(groups)
    if not units.shape == models.shape == scores.shape:
        raise ValueError("scores, labels, clusters and groups have one length")
    parts = []
    for model in range(int(models.max(initial=0)) + 1):
        rows = models == model
        by_label(scores[rows], labels[rows])
        part = Part(scores[rows], labels[rows].astype(np.intp), units[rows])
        order = np.lexsort((part.scores, part.labels, part.clusters))
        parts.append(Part(part.scores[order], part.labels[order], part.clusters[order]))
    return Data(tuple(parts), design)


def numbered(names: ArrayLike) -> Integers:
    """Indices in place of names."""
    return np.unique(np.asarray(names), return_inverse=True)[1]


@dataclass(frozen=True)
class Estimates:
    """Metrics of some data, and what they were in every replicate.

    Parameters
    ----------
    metrics : m functions.
    data : what they were computed from.
    values : (m,) averages over the parts.
    samples : (m, replicates), NaN where a replicate has only one kind of run.
    """

    metrics: tuple[Metric, ...]
    data: Data
    values: Floats
    samples: Floats


def estimated(metrics: Sequence[str | Metric], data: Data, replicates: int, seed: int) -> Estimates:
    """Several metrics from the same replicates, which costs little more than one."""
    [found] = estimated_each(metrics, [data], replicates, seed)
    return found


def estimated_each(
    metrics: Sequence[str | Metric], several: Sequence[Data], replicates: int, seed: int
) -> list[Estimates]:
    """`estimated` of several data: those that share their honest runs cost little more than one of them."""
    functions = tuple(map(_function, metrics))
    samples: dict[bytes, Floats] = {}
    alike: dict[bytes, dict[bytes, Data]] = {}
    for data in several:
        kept = [_REMEMBERED.get((data.digest, metric, replicates, seed)) for metric in functions]
        known = [sample for sample in kept if sample is not None]
        if len(known) == len(kept):
            samples[data.digest] = np.stack(known)
        else:
            alike.setdefault(data.ground, {})[data.digest] = data
    for group in alike.values():
        found = _samples(functions, [*group.values()], replicates, seed)
        for digest, sample in zip(group, found, strict=True):
            samples[digest] = sample
            _remember(digest, functions, sample, replicates, seed)
    return [Estimates(functions, data, values_of(functions, data), samples[data.digest]) for data in several]


def intervals(found: Estimates) -> list[Interval]:
    """An interval for each metric."""
    return [
        _interval(metric, float(value), sample, found.data)
        for metric, value, sample in zip(found.metrics, found.values, found.samples, strict=True)
    ]


def values_of(metrics: Sequence[str | Metric], data: Data) -> Floats:
    """(m,) each metric, averaged over the parts."""
    return np.array(
        [np.mean([_function(metric)(part.scores, part.labels) for part in data.parts]) for metric in metrics]
    )


MOST_REMEMBERED = 1000
"""Samples of a metric that are kept, 80 kB each: tables of one report ask for the same ones again."""

_REMEMBERED: dict[tuple[bytes, Metric, int, int], Floats] = {}


def _remember(digest: bytes, metrics: Sequence[Metric], samples: Floats, replicates: int, seed: int) -> None:
    for metric, sample in zip(metrics, samples, strict=True):
        if metric in METRICS.values():
            _REMEMBERED[digest, metric, replicates, seed] = sample
    while len(_REMEMBERED) > MOST_REMEMBERED:
        del _REMEMBERED[next(iter(_REMEMBERED))]


def _samples(metrics: Sequence[Metric], several: Sequence[Data], replicates: int, seed: int) -> Floats:
    """(data, m, replicates) of data that have the same honest runs in the same design."""
    samples = np.empty((len(several), len(metrics), replicates))
    known = {place: earning for place, metric in enumerate(metrics) if (earning := earning_of(metric))}
    if known:
        design = several[0].design
        rankings = [
            Ranking(parts[0].of(0), [part.of(1) for part in parts], design.n_units)
            for parts in zip(*(data.parts for data in several), strict=True)
        ]
        samples[:, [*known]] = replicated([*known.values()], rankings, design, replicates, seed)
    for place, metric in enumerate(metrics):
        if place not in known:
            for number, data in enumerate(several):
                samples[number, place] = _replicated_slowly(metric, data, replicates, seed)
    return samples


def _digest(design: Design, *arrays: NDArray[np.generic]) -> bytes:
    known = hashlib.blake2b(digest_size=16)
    for array in (*arrays, design.tasks, np.empty(0) if design.goals is None else design.goals):
        # lengths keep apart what joined would be the same
        known.update(array.size.to_bytes(8, "big"))
        known.update(array.tobytes())
    return known.digest()


def contributions_of(data: Data) -> Contributions:
    """Contributions of the tasks to the averaged AUROC, in a design that is not crossed."""
    first, *rest = [
        contributions(part.scores, part.labels, part.clusters, data.design.n_units) for part in data.parts
    ]
    return sum(rest, first) * (1 / len(data.parts))


def standard_error(sample: Floats, n_pairs: int) -> float:
    """Of a bootstrap sample without NaN, freed of the bias that resampling few tasks has."""
    return float(np.std(sample) * np.sqrt(n_pairs / (n_pairs - 1)))


def exact_bounds(
    value: float, n_pairs: int, lowest: float = 0.0, highest: float = 1.0
) -> tuple[float, float]:
    """How far from ``value`` the truth may lie when ``n_pairs`` independent pairs all said the same.

    The share of pairs that would say otherwise has the Clopper–Pearson bound 1 - 0.025^(1/n); at worst all of
    them lie at one end of the range. At 0 and 1 this is Clopper–Pearson itself.

    Parameters
    ----------
    lowest, highest : of what can be.

    Examples
    --------
    >>> low, high = exact_bounds(1.0, 100)
    >>> round(low, 4), high
    (0.9638, 1.0)
    """
    others = 1 - ((1 - LEVEL) / 2) ** (1 / n_pairs)
    return value - others * (value - lowest), value + others * (highest - value)


def is_constant(sample: Floats) -> bool:
    """Whether the middle 95% of the replicates are one value: there is no spread to make an interval from."""
    low, high = percentiles(sample)
    return high - low < ROUNDING


def _interval(metric: Metric, value: float, sample: Floats, data: Data) -> Interval:
    defined = sample[~np.isnan(sample)]
    skipped = sample.size - defined.size
    n_pairs = data.n_pairs

    def found(low: float, high: float, method: Method) -> Interval:
        return Interval(value, low, high, method, skipped, data.n_clusters)

    if n_pairs < 2 or not defined.size:
        return found(np.nan, np.nan, "none")
    if value in (0.0, 1.0) or is_constant(defined):
        return found(*exact_bounds(value, n_pairs), "exact")
    crossed = data.design.goals is not None
    if n_pairs >= FEW_TASKS:
        return found(*percentiles(defined), "two_way" if crossed else "bootstrap")
    if crossed:
        return found(*logit_t(value, standard_error(defined, n_pairs), n_pairs), "two_way_t")
    if metric is auroc and (variance := contributions_of(data).variance) > ROUNDING:
        return found(*logit_t(value, float(np.sqrt(variance)), n_pairs), "delong_t")
    return found(*logit_t(value, standard_error(defined, n_pairs), n_pairs), "bootstrap_t")


def percentiles(sample: Floats) -> tuple[float, float]:
    """The middle 95% of a bootstrap sample without NaN."""
    low, high = np.quantile(sample, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def t_quantile(n_pairs: int) -> float:
    """How many standard errors 95% takes when ``n_pairs`` tasks were seen."""
    return float(stats.t.ppf((1 + LEVEL) / 2, n_pairs - 1))


def logit_t(value: float, error: float, n_pairs: int) -> tuple[float, float]:
    """t interval on the logit scale, which keeps to (0, 1) and leans towards one half.

    Parameters
    ----------
    value : estimate in (0, 1).
    error : its standard error.
    n_pairs : independent units that it rests on.
    """
    centre = np.log(value / (1 - value))
    reach = t_quantile(n_pairs) * error / (value * (1 - value))
    return float(1 / (1 + np.exp(reach - centre))), float(1 / (1 + np.exp(-reach - centre)))


def _function(metric: str | Metric) -> Metric:
    if not isinstance(metric, str):
        return metric
    if metric not in METRICS:
        raise ValueError(f"there is no metric {metric!r}; there are {', '.join(METRICS)}")
    return METRICS[metric]


def _replicated_slowly(metric: Metric, data: Data, replicates: int, seed: int) -> Floats:
    """For a metric of which nothing is known but that it can be called."""
    sample: list[float] = []
    for weights in data.design.weights(replicates, seed):
        sample += [_drawn_again(metric, data, column) for column in weights.T.astype(np.intp)]
    return np.array(sample)


def _drawn_again(metric: Metric, data: Data, times: Integers) -> float:
    values = []
    for part in data.parts:
        rows = np.repeat(np.arange(part.scores.size), times[part.clusters])
        if np.unique(part.labels[rows]).size < 2:
            return float("nan")
        values.append(metric(part.scores[rows], part.labels[rows]))
    return float(np.mean(values))
