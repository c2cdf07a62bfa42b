"""Histograms of scores: what a monitor says of honest runs, and what of attacks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from molehunt.analysis.drawing import COLOURS, SIZE, add_note, blank, style
from molehunt.analysis.roc_figure import Curve
from molehunt.analysis.wording import lines

N_BINS = 20
N_ACROSS = 3
MAX_PANELS = 12
ROOM = 1.45
"""Height of a panel in highest bars: its words stand beyond all of them."""


def score_figure(curves: Sequence[Curve], note: str = "") -> Figure:
    """A small panel for each of ``curves``: attack runs above the line, honest runs below.

    Each side is a share of its own runs, so that the two can be compared however many there are. Scores have
    one axis; shares have one for each panel, since a monitor of few scores has bars that dwarf all others.

    Parameters
    ----------
    curves : at most `MAX_PANELS`.
    note : what must be known wherever the figure goes.
    """
    lowest = min(0.0, *(float(curve.data.pooled.scores.min()) for curve in curves))
    highest = max(1.0, *(float(curve.data.pooled.scores.max()) for curve in curves))
    bins = np.linspace(lowest, highest, N_BINS + 1)
    n_down = -(-len(curves) // N_ACROSS)
    below = 0.68 if note else 0.46
    with style():
        height = below + 0.28 + 1.5 * n_down
        figure = blank(SIZE[0], height)
        grid = figure.subplots(n_down, N_ACROSS, sharex=True, squeeze=False)
        # the panels are alike: to lay them out by rule is far quicker than to measure them
        figure.subplots_adjust(0.05, below / height, 0.99, 1 - 0.38 / height, wspace=0.18, hspace=0.52)
        for axes, curve in zip(grid.flat, curves, strict=False):
            _panel(axes, curve, bins)
        for axes in grid.flat[len(curves) :]:
            axes.set_visible(False)
        # the last panel of every column has the axis, also where the last row is not full
        for column in range(min(N_ACROSS, len(curves))):
            last = grid[(len(curves) - 1 - column) // N_ACROSS, column]
            last.tick_params(labelbottom=True)
            last.set_xlabel("suspicion", fontsize=8.5)
        add_note(figure, note)
    return figure


def _panel(axes: Axes, curve: Curve, bins: np.ndarray) -> None:
    runs = curve.data.pooled
    highest = 0.0
    for label, sign, colour in ((1, 1, COLOURS["attack"]), (0, -1, COLOURS["honest"])):
        scores = runs.scores[runs.labels == label]
        shares = np.histogram(scores, bins)[0] / scores.size
        highest = max(highest, float(shares.max()))
        axes.bar(bins[:-1], sign * shares, np.diff(bins), align="edge", color=colour, linewidth=0)
    axes.set_ylim(-ROOM * highest, ROOM * highest)
    axes.axhline(0, color=COLOURS["muted"], linewidth=0.8)
    axes.set_title(lines(curve.name, 42), fontsize=8.5, loc="left", color=COLOURS["ink"], pad=3)
    axes.yaxis.set_major_locator(MaxNLocator(3))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{abs(share) * 100:.0f}%"))
    axes.tick_params(labelsize=7.5, length=2)
    axes.annotate(
        "attack", (0.01, 0.99), xycoords="axes fraction", ha="left", va="top", fontsize=7.5,
        color=COLOURS["attack"],
    )  # fmt: skip
    axes.annotate(
        "honest", (0.01, 0.01), xycoords="axes fraction", ha="left", va="bottom", fontsize=7.5,
        color=COLOURS["honest"],
    )  # fmt: skip
