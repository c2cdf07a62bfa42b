"""The cluster bootstrap: whole tasks are drawn again, with all their runs, and the metric computed anew.

A replicate is a weight for every task, the number of times it was drawn. Scores are sorted once; after that a
replicate needs sums of weights only, so that hundreds of replicates are computed side by side. In a crossed
design, where every side goal is pursued in many tasks, tasks and goals are drawn apart and an attack run's
weight is the product of both.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from molehunt.analysis.earnings import Earning

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

CHUNK = 256
"""Replicates that are computed side by side at most: what they need fits a processor's cache."""

EXACT = 1_000_000
"""Runs or tasks under which sums of weights are exact in 32 bits, with room for a run that is drawn often."""

CELLS = 2**22
"""Weights that are held at a time: where there are many tasks, fewer replicates are computed side by side."""

KEPT = 200_000_000
"""Bytes of weights that are kept for the next monitor."""


class Runs(NamedTuple):
    """Runs of one kind: (n,) scores without NaN, and what each is drawn with, its task or its cell."""

    scores: Floats
    clusters: Integers


class Ranking:
    """Where attack runs stand among honest ones, ready for weights.

    Several sets of attack runs may stand among the same honest runs, such as those of each side task: what
    the honest runs of a replicate pay for a place among them is then computed once. Attack runs that no
    honest run separates are one row. Rows run from the highest score to the lowest.

    Parameters
    ----------
    honest : runs that every set of attacks stands among.
    attacks : sets of attack runs, which may overlap.
    n_clusters : number of tasks or cells, with such as have no run here.
    """

    def __init__(self, honest: Runs, attacks: Sequence[Runs], n_clusters: int) -> None:
        levels = np.unique(np.concatenate([runs.scores for runs in attacks]))
        n_runs = honest.scores.size + sum(runs.scores.size for runs in attacks)
        # an honest run lies ahead of the first level below it, and of all that follow
        ahead = levels.size - np.searchsorted(levels, honest.scores, side="left")
        is_tied = np.isin(honest.scores, levels)
        tied = levels.size - 1 - np.searchsorted(levels, honest.scores[is_tied])

        # a level continues the row above it if no honest run lies between the two or at either
        breaks = np.zeros(levels.size + 1, dtype=bool)
        breaks[0] = True
        breaks[ahead] = True
        breaks[tied] = True
        row_of = np.cumsum(breaks) - 1
        n_rows = int(row_of[levels.size - 1]) + 1 if levels.size else 0

        def table(rows: Integers, columns: Integers, height: int) -> csr_array:
            # sums of whole numbers are exact in 32 bits up to 16 million runs, and take half the time
            ones = np.ones(rows.size, dtype=np.float32 if n_runs < EXACT else np.float64)
            return csr_array((ones, (rows, columns)), shape=(height, n_clusters))

        self._tied_rows = np.unique(row_of[tied])
        self._free_rows = np.setdiff1d(np.arange(n_rows), self._tied_rows)
        # a run that ties lies ahead of the next row, and one below all levels of the row after the last
        tables = [
            table(row_of[ahead[~is_tied]], honest.clusters[~is_tied], n_rows + 1),
            table(
                np.searchsorted(self._tied_rows, row_of[tied]), honest.clusters[is_tied], self._tied_rows.size
            ),
        ]
        # rows that tie come after those that do not, which is how earnings are put together
        place = np.empty(n_rows, dtype=np.intp)
        place[np.concatenate([self._free_rows, self._tied_rows])] = np.arange(n_rows)
        self._rows = []
        for runs in attacks:
            # the highest level comes first: rows count from the top
            rows = place[row_of[levels.size - 1 - np.searchsorted(levels, runs.scores)]]
            kept, among = np.unique(rows, return_inverse=True)
            # to pass over a row that no run of the set stands in takes less than to copy those of the others
            if 2 * kept.size > n_rows:
                kept, among = np.arange(n_rows), rows
            self._rows.append(kept)
            tables.append(table(among, runs.clusters, kept.size))
        # one product with the weights, whose sums are then taken apart
        self._tables = vstack(tables, format="csr")
        self._ends = np.cumsum([part.shape[0] for part in tables])[:-1]

    def means(self, earnings: Sequence[Earning], weights: Floats) -> Floats:
        """Each earning's mean over each set of attack runs, for every column of ``weights``.

        Parameters
        ----------
        earnings : m of them.
        weights : (n_clusters, r) how often each task, or cell, counts in each replicate.

        Returns
        -------
        (sets, m, r), NaN where a replicate has only one kind of run.
        """
        sums = (self._tables @ weights).astype(np.float64, copy=False)
        ahead, tied, *drawn_of = np.split(sums, self._ends)
        ahead[self._tied_rows + 1] += tied
        ahead = np.cumsum(ahead, axis=0)
        honest = ahead[-1]
        attacks = [*zip(self._rows, drawn_of, strict=True)]
        means = np.empty((len(attacks), len(earnings), weights.shape[1]))
        with np.errstate(divide="ignore", invalid="ignore"):
            free = ahead[self._free_rows] / honest
            lower = ahead[self._tied_rows] / honest
            upper = (ahead[self._tied_rows] + tied) / honest
            for number, earning in enumerate(earnings):
                paid = np.concatenate([earning(free, free), earning(lower, upper)])
                for place, (rows, drawn) in enumerate(attacks):
                    of_these = paid if rows.size == len(paid) else paid[rows]
                    means[place, number] = np.einsum("kr,kr->r", drawn, of_these)
            for place, (_, drawn) in enumerate(attacks):
                means[place] /= drawn.sum(axis=0)
        means[:, :, honest == 0] = np.nan
        return means


@dataclass(frozen=True)
class Design:
    """What is drawn again in a replicate: tasks or, in a crossed design, tasks and side goals.

    Runs are drawn in units, which are tasks in the one case and pairs of task and goal in the other. Honest
    runs pursue no goal, so those of a task are a unit that has none.

    Parameters
    ----------
    tasks : (u,) index of each unit's task.
    goals : (u,) index of each unit's goal, -1 where it has none; None if goals are not drawn.

    References
    ----------
    Owen 2007, "The pigeonhole bootstrap", Annals of Applied Statistics 1.

    Examples
    --------
    >>> two_tasks_times_two_goals = Design(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    >>> [weights] = two_tasks_times_two_goals.weights(replicates=3, seed=0)
    >>> weights.sum(axis=0).tolist()  # two tasks and two goals are drawn each time
    [4.0, 4.0, 4.0]
    """

    tasks: Integers
    goals: Integers | None = None

    @classmethod
    def of_tasks(cls, n_tasks: int) -> Design:
        """Every task is a unit."""
        return cls(np.arange(n_tasks))

    @property
    def n_units(self) -> int:
        return int(self.tasks.size)

    @property
    def n_tasks(self) -> int:
        return int(self.tasks.max(initial=-1)) + 1

    @property
    def n_goals(self) -> int:
        """0 if goals are not drawn."""
        return 0 if self.goals is None else int(self.goals.max(initial=-1)) + 1

    def weights(self, replicates: int, seed: int) -> Iterator[Floats]:
        """How often each unit counts in each replicate: (n_units, a few) at a time."""
        width = max(1, min(CHUNK, CELLS // max(1, self.n_units)))
        if self.goals is None:
            yield from resampled(self.n_tasks, replicates, seed, width)
            return
        tasks = resampled(self.n_tasks, replicates, seed, width)
        goals = resampled(self.n_goals, replicates, seed + 1, width)
        for of_tasks, of_goals in zip(tasks, goals, strict=True):
            # the last row is that of units without a goal, which -1 picks
            of_goals = np.vstack([of_goals, np.ones_like(of_goals[:1])])
            yield of_tasks[self.tasks] * of_goals[self.goals]


def resampled(n_drawn: int, replicates: int, seed: int, width: int = CHUNK) -> Iterator[Floats]:
    """Weights of what is drawn with replacement, as many as there are: (n_drawn, at most width) at a time.

    Equal arguments give equal weights, which is what makes two monitors' replicates comparable.
    """
    draw = _kept if n_drawn * replicates <= KEPT else _drawn
    for counts in draw(n_drawn, replicates, seed, width):
        yield counts.astype(np.float32 if n_drawn < EXACT else np.float64)


@lru_cache(maxsize=2)
def _kept(n_drawn: int, replicates: int, seed: int, width: int) -> list[NDArray[np.uint8]]:
    # a report asks for the same weights once a monitor, and drawing them takes longer than using them
    return list(_drawn(n_drawn, replicates, seed, width))


def _drawn(n_drawn: int, replicates: int, seed: int, width: int) -> Iterator[NDArray[np.uint8]]:
    rng = np.random.default_rng(seed)
    for start in range(0, replicates, width):
        side_by_side = min(width, replicates - start)
        drawn = rng.integers(n_drawn, size=(n_drawn, side_by_side))
        drawn *= side_by_side
        drawn += np.arange(side_by_side)
        counts = np.bincount(drawn.ravel(), minlength=n_drawn * side_by_side)
        # a byte is enough: a task is drawn 256 times with a probability below 1 / factorial(256), or 1e-506
        yield counts.astype(np.uint8).reshape(n_drawn, side_by_side)


def replicated(
    earnings: Sequence[Earning], rankings: Sequence[Ranking], design: Design, replicates: int, seed: int
) -> Floats:
    """Replicates of each earning's mean, averaged over ``rankings``, which share their design.

    Returns
    -------
    (sets, m, replicates), NaN where a ranking lost one kind of run.
    """

    def means(weights: Floats) -> Floats:
        return np.asarray(np.mean([ranking.means(earnings, weights) for ranking in rankings], axis=0))

    return np.concatenate([*_on_every_core(means, design.weights(replicates, seed))], axis=2)


def _on_every_core(compute: Callable[[Floats], Floats], several: Iterator[Floats]) -> Iterator[Floats]:
    """What is computed from each, in their order; numpy lets go of the interpreter while it counts."""
    # more threads would wait for memory, and each holds weights
    n_threads = min(4, os.cpu_count() or 1)
    with ThreadPoolExecutor(n_threads) as pool:
        while batch := [*islice(several, n_threads)]:
            yield from pool.map(compute, batch)
