"""The cluster bootstrap: whole tasks are drawn again, with all their runs, and the metric computed anew.

A replicate is a weight for every task, the number of times it was drawn. Scores are sorted once; after that a
replicate needs sums of weights only, so that hundreds of replicates are computed side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from molehunt.analysis.earnings import Earning

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

CHUNK = 256
"""Replicates that are computed side by side: what they need fits a processor's cache."""

KEPT = 200_000_000
"""Bytes of weights that are kept for the next monitor."""


class Ranking:
    """Where the attack runs stand among the honest ones, ready for weights.

    Attack runs that no honest run separates are one row. Rows run from the highest score to the lowest.

    Parameters
    ----------
    scores : (n,) without NaN.
    labels : (n,) 1 for attack, 0 for honest.
    clusters : (n,) index of each run's task.
    n_clusters : number of tasks, with those that have no run here.
    """

    def __init__(self, scores: Floats, labels: Integers, clusters: Integers, n_clusters: int) -> None:
        attack, honest = scores[labels == 1], scores[labels == 0]
        levels = np.unique(attack)
        # the highest level comes first: rows count from the top
        position = levels.size - 1 - np.searchsorted(levels, attack)
        # an honest run lies ahead of the first level below it, and of all that follow
        ahead = levels.size - np.searchsorted(levels, honest, side="left")
        is_tied = np.isin(honest, levels)
        tied = levels.size - 1 - np.searchsorted(levels, honest[is_tied])

        # a level continues the row above it if no honest run lies between the two or at either
        breaks = np.zeros(levels.size + 1, dtype=bool)
        breaks[0] = True
        breaks[ahead] = True
        breaks[tied] = True
        row_of = np.cumsum(breaks) - 1
        n_rows = int(row_of[levels.size - 1]) + 1 if levels.size else 0
        honest_clusters = clusters[labels == 0]
        below_all = ahead == levels.size

        def table(rows: Integers, columns: Integers, height: int) -> csr_array:
            ones = np.ones(rows.size)
            return csr_array((ones, (rows, columns)), shape=(height, n_clusters))

        tied_levels, tied_rows = np.unique(row_of[tied], return_inverse=True)
        self._attacks = table(row_of[position], clusters[labels == 1], n_rows)
        self._ahead = table(row_of[ahead[~below_all]], honest_clusters[~below_all], n_rows)
        self._tied = table(tied_rows, honest_clusters[is_tied], tied_levels.size)
        self._tied_rows = tied_levels
        self._free_rows = np.setdiff1d(np.arange(n_rows), tied_levels)
        self._honest = np.bincount(honest_clusters, minlength=n_clusters).astype(np.float64)

    def means(self, earnings: Sequence[Earning], weights: Floats) -> Floats:
        """Each earning's mean over the attack runs, for every column of ``weights``.

        Parameters
        ----------
        earnings : m of them.
        weights : (n_clusters, r) how often each task counts in each replicate.

        Returns
        -------
        (m, r), NaN where a replicate has only one kind of run.
        """
        attacks = self._attacks @ weights
        ahead = np.cumsum(self._ahead @ weights, axis=0)
        honest = self._honest @ weights
        n_attacks = attacks.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            free = ahead[self._free_rows] / honest
            lower = ahead[self._tied_rows] / honest
            upper = (ahead[self._tied_rows] + self._tied @ weights) / honest
            earned = [
                np.einsum("kr,kr->r", attacks[self._free_rows], earning(free, free))
                + np.einsum("kr,kr->r", attacks[self._tied_rows], earning(lower, upper))
                for earning in earnings
            ]
            return np.where(honest > 0, np.stack(earned) / n_attacks, np.nan)


def resampled(n_clusters: int, replicates: int, seed: int) -> Iterator[Floats]:
    """Weights of tasks drawn with replacement, as many as there are: (n_clusters, at most CHUNK) at a time.

    Equal arguments give equal weights, which is what makes two monitors' replicates comparable.
    """
    draw = _kept if n_clusters * replicates <= KEPT else _drawn
    for counts in draw(n_clusters, replicates, seed):
        yield counts.astype(np.float64)


@lru_cache(maxsize=1)
def _kept(n_clusters: int, replicates: int, seed: int) -> list[NDArray[np.uint8]]:
    # a report asks for the same weights once a monitor, and drawing them takes longer than using them
    return list(_drawn(n_clusters, replicates, seed))


def _drawn(n_clusters: int, replicates: int, seed: int) -> Iterator[NDArray[np.uint8]]:
    rng = np.random.default_rng(seed)
    for start in range(0, replicates, CHUNK):
        width = min(CHUNK, replicates - start)
        drawn = rng.integers(n_clusters, size=(n_clusters, width))
        cells = (drawn * width + np.arange(width)).ravel()
        counts = np.bincount(cells, minlength=n_clusters * width).reshape(n_clusters, width)
        # a byte is enough: a task is drawn 256 times with a probability below 1 / factorial(256), or 1e-506
        yield counts.astype(np.uint8)


def replicated(
    earnings: Sequence[Earning], rankings: Sequence[Ranking], n_clusters: int, replicates: int, seed: int
) -> Floats:
    """Replicates of each earning's mean, averaged over ``rankings``, which share their tasks.

    Returns
    -------
    (m, replicates), NaN where a ranking lost one kind of run.
    """
    chunks = [
        np.mean([ranking.means(earnings, weights) for ranking in rankings], axis=0)
        for weights in resampled(n_clusters, replicates, seed)
    ]
    return np.concatenate(chunks, axis=1)
