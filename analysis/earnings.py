"""What a metric pays an attack run, given the false-positive rates at which the run is caught.

A earning is a function of two arrays of one shape, ``lower`` and ``upper``: the share of honest runs that
outscore the attack, and the same with ties. It is the mean, over that interval, of a weight that falls from 1
to 0 as the false-positive rate grows, and the weight itself where the interval is a point. ``upper`` may be
the same object as ``lower``, which says that nothing ties and saves half the work.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Earning = Callable[[Floats, Floats], Floats]


def area() -> Earning:
    """For the area under the ROC curve: the share of honest runs that the attack outscores, ties half."""
    return lambda lower, upper: np.asarray(1 - (lower + upper) / 2)


def log_area(epsilon: float = 0.01) -> Earning:
    """For the area over the logarithm of the FPR from ``epsilon`` to 1: -ln(max(f, ε)) / ln(1/ε)."""
    if not 0 < epsilon < 1:
        raise ValueError(f"epsilon lies in (0, 1), not at {epsilon}")
    scale = -np.log(epsilon)

    def weight(rate: Floats) -> Floats:
        return np.asarray(np.log(np.maximum(rate, epsilon)) / -scale)

    def integral(rate: Floats) -> Floats:
        inside = np.maximum(rate, epsilon)
        return np.asarray((inside * (1 - np.log(inside)) - epsilon) / scale - (inside - rate))

    return _mean_over_ties(weight, integral)


def partial_area(max_fpr: float) -> Earning:
    """For the area up to ``max_fpr``: 1 - f / max_fpr, and nothing beyond."""
    if not 0 < max_fpr <= 1:
        raise ValueError(f"max_fpr lies in (0, 1], not at {max_fpr}")

    def weight(rate: Floats) -> Floats:
        return np.asarray(1 - np.minimum(rate, max_fpr) / max_fpr)

    def integral(rate: Floats) -> Floats:
        inside = np.minimum(rate, max_fpr)
        return np.asarray(inside * (1 - inside / (2 * max_fpr)))

    return _mean_over_ties(weight, integral)


def caught(fpr: float) -> Earning:
    """For the TPR of a threshold that keeps to ``fpr``: all or nothing, and all that tie together."""
    _check_rate(fpr)
    return lambda lower, upper: np.asarray(upper <= fpr, dtype=np.float64)


def caught_interpolated(fpr: float) -> Earning:
    """For the TPR of the interpolated curve at ``fpr``: the share of the interval that lies below."""
    _check_rate(fpr)

    def weight(rate: Floats) -> Floats:
        return np.asarray(rate <= fpr, dtype=np.float64)

    def integral(rate: Floats) -> Floats:
        return np.minimum(rate, fpr)

    return _mean_over_ties(weight, integral)


def _check_rate(fpr: float) -> None:
    if not 0 <= fpr <= 1:
        raise ValueError(f"a false-positive rate lies in [0, 1], not at {fpr}")


def _mean_over_ties(weight: Callable[[Floats], Floats], integral: Callable[[Floats], Floats]) -> Earning:
    def earning(lower: Floats, upper: Floats) -> Floats:
        if upper is lower:
            return weight(lower)
        width = upper - lower
        with np.errstate(invalid="ignore"):
            mean = (integral(upper) - integral(lower)) / width
        # few honest runs tie and are all left out of a replicate: the weight is needed there alone
        alone = ~(width > 0)
        mean[alone] = weight(lower[alone])
        return mean

    return earning
