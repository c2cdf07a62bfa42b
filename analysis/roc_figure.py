"""ROC curves over the logarithm of the false-positive rate: what a monitor does when alarms must be few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from numpy.typing import ArrayLike, NDArray

from molehunt.analysis.drawing import COLOURS, SIZE, add_note, blank, settle, style
from molehunt.analysis.intervals import Data
from molehunt.analysis.metrics import roc
from molehunt.analysis.wording import lines

Floats = NDArray[np.float64]

MAX_CURVES = {"monitor": 8, "floor": 2, "oracle": 2}
"""How many of each kind can be told apart in one figure."""

DASHES: Sequence[Any] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (5, 2, 1.5, 2)))


@dataclass(frozen=True)
class Curve:
    """A monitor's ROC curve: its name, its kind, and the scores behind it."""

    name: str
    kind: str
    data: Data


def legible(curves: Sequence[Curve]) -> list[Curve]:
    """The first ones of each kind, as many as one figure can show."""
    return [
        curve
        for kind, most in MAX_CURVES.items()
        for curve in [curve for curve in curves if curve.kind == kind][:most]
    ]


def roc_figure(curves: Sequence[Curve], note: str = "") -> Figure:
    """ROC curves, averaged over agent models; `legible` says how many are too many.

    A curve is pale and thin where a false-positive rate is less than one of its honest runs: there it is
    interpolated.
    """
    n_honest = [min(int((part.labels == 0).sum()) for part in curve.data.parts) for curve in curves]
    rates = np.geomspace(min(0.01, 1 / (2 * min(n_honest))), 1, 400)
    with style():
        figure = blank(*SIZE, layout="constrained")
        axes = figure.subplots()
        numbers = {kind: count() for kind in ("monitor", "floor", "oracle")}
        for curve, n_own in zip(curves, n_honest, strict=True):
            tpr = np.mean([_at(part.scores, part.labels, rates) for part in curve.data.parts], axis=0)
            look = _look(curve.kind, next(numbers[curve.kind]))
            firm = rates >= 1 / n_own
            axes.plot(rates[firm], tpr[firm], label=lines(curve.name, 40), **look)
            # the last firm point too, so that the line does not break
            pale = rates <= rates[firm][0]
            axes.plot(rates[pale], tpr[pale], **look | {"linewidth": 0.8, "alpha": 0.45})
        axes.plot(rates, rates, color=COLOURS["muted"], linewidth=0.8, linestyle=(0, (2, 3)), label="chance")
        axes.set_xscale("log")
        axes.set_xlim(rates[0], 1)
        axes.set_ylim(-0.02, 1.03)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda rate, _: f"{rate * 100:.3g}%"))
        axes.set_xlabel("honest runs flagged (FPR, logarithmic)")
        axes.set_ylabel("attack runs caught (TPR)")
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, handlelength=3)
        add_note(figure, note)
        settle(figure)
    return figure


def _look(kind: str, number: int) -> dict[str, Any]:
    """Monitors have colours, floors and oracles stand back; dashes tell apart what colours may not."""
    dashes = DASHES[number % len(DASHES)]
    if kind == "monitor":
        return {"color": COLOURS[f"line-{number % 6 + 1}"], "linestyle": dashes, "linewidth": 1.8}
    return {"color": COLOURS[kind], "linestyle": dashes, "linewidth": 1.1, "alpha": 0.85}


def _at(scores: ArrayLike, labels: ArrayLike, rates: Floats) -> Floats:
    fpr, tpr, _ = roc(scores, labels)
    # where the curve goes straight up, interp takes its upper end
    return np.asarray(np.interp(rates, fpr, tpr))
