"""Variance of the AUROC where runs of one task go together, without resampling.

The AUROC is a mean over attack runs and a mean over honest runs at once, so what one task contributes to its
deviation is a sum over the task's runs. Sums add up over monitors and agent models, which is why the variance
of an average or of a difference comes from the same few lines.

References
----------
DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44. Obuchowski 1997, "Nonparametric analysis of clustered
ROC curve data", Biometrics 53.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True)
class Contributions:
    """What each task contributes to the deviation of an AUROC, or of a sum of several.

    Parameters
    ----------
    attack, honest : (c,) sums over a task's attack runs and over its honest runs.
    has_attack, has_honest : (c,) whether the task has such runs.
    """

    attack: Floats
    honest: Floats
    has_attack: NDArray[np.bool_]
    has_honest: NDArray[np.bool_]

    def __add__(self, other: Contributions) -> Contributions:
        return Contributions(
            self.attack + other.attack,
            self.honest + other.honest,
            self.has_attack | other.has_attack,
            self.has_honest | other.has_honest,
        )

    def __mul__(self, factor: float) -> Contributions:
        return Contributions(self.attack * factor, self.honest * factor, self.has_attack, self.has_honest)

    @property
    def variance(self) -> float:
        """Obuchowski's estimate; NaN where fewer than two tasks have runs of a kind."""
        n_attack, n_honest = int(self.has_attack.sum()), int(self.has_honest.sum())
        if min(n_attack, n_honest) < 2:
            return float("nan")
        n_all = int((self.has_attack | self.has_honest).sum())
        return float(
            n_attack / (n_attack - 1) * (self.attack @ self.attack)
            + n_honest / (n_honest - 1) * (self.honest @ self.honest)
            + 2 * n_all / (n_all - 1) * (self.attack @ self.honest)
        )


def contributions(scores: Floats, labels: Integers, clusters: Integers, n_clusters: int) -> Contributions:
    """Contributions of ``n_clusters`` tasks to the AUROC of ``scores``.

    Parameters
    ----------
    scores, labels, clusters : (n,) scores without NaN, 1 for attack and 0 for honest, index of the task.

    Examples
    --------
    >>> scores, labels = np.array([3.0, 1.0, 2.0, 0.0]), np.array([1, 1, 0, 0])
    >>> each_run_a_task = contributions(scores, labels, np.arange(4), 4)
    >>> round(each_run_a_task.variance, 4)  # DeLong's: (0.125 + 0.125) / 2
    0.125
    """
    is_attack = labels == 1
    attack, honest = scores[is_attack], scores[~is_attack]
    won = _share_below(honest, attack)
    lost = 1 - _share_below(attack, honest)
    area = won.mean()
    return Contributions(
        np.bincount(clusters[is_attack], won - area, n_clusters) / attack.size,
        np.bincount(clusters[~is_attack], lost - area, n_clusters) / honest.size,
        np.bincount(clusters[is_attack], minlength=n_clusters) > 0,
        np.bincount(clusters[~is_attack], minlength=n_clusters) > 0,
    )


def _share_below(values: Floats, levels: Floats) -> Floats:
    """Share of ``values`` below each level, ties half."""
    ordered = np.sort(values)
    ranks = np.searchsorted(ordered, levels, side="left") + np.searchsorted(ordered, levels, side="right")
    return np.asarray(ranks / (2 * ordered.size))
