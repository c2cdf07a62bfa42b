"""AUROC against cost: which monitors are worth their price."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, FuncFormatter, LogLocator, NullFormatter
from matplotlib.transforms import Bbox, BboxBase

from molehunt.analysis.drawing import COLOURS, SIZE, add_note, settle, style
from molehunt.analysis.wording import short

MARKERS = {"monitor": "o", "floor": "s", "oracle": "^"}


@dataclass(frozen=True)
class CostAxis:
    """What monitors are paid in.

    Parameters
    ----------
    column : of ``metrics``, the cost of a trajectory.
    title : of the figure, after "AUROC against".
    label : of the axis.
    tick : writes a number of it.
    """

    column: str
    title: str
    label: str
    tick: Callable[[float, int | None], str]


def _dollar_tick(cost: float, _: int | None = None) -> str:
    return f"${np.format_float_positional(cost, precision=2, fractional=False, trim='-')}"


DOLLARS = CostAxis(
    "usd_per_trajectory", "cost", "US dollars per trajectory at list price (logarithmic)", _dollar_tick
)
SECONDS = CostAxis(
    "seconds_per_trajectory",
    "time, since no monitor here costs money",
    "time per trajectory (logarithmic)",
    EngFormatter("s"),
)


def cost_figure(rows: pd.DataFrame, axis: CostAxis, note: str = "") -> Figure:
    """AUROC with its interval against the cost of a trajectory, and the Pareto frontier.

    Monitors that cost nothing stand in a strip at the left, since a logarithmic axis has no zero; monitors
    whose cost is unknown are not drawn.

    Parameters
    ----------
    rows : of one condition, with ``label``, ``kind``, ``auroc``, ``auroc_low``, ``auroc_high``, ``frontier``,
        ``eligible`` and the column of ``axis``.
    axis : what the cost is.
    note : what must be known wherever the figure goes.
    """
    drawn = rows.assign(cost=rows[axis.column])
    drawn = drawn[drawn["auroc"].notna() & drawn["cost"].notna()]
    free = drawn[drawn["cost"] == 0].sort_values("auroc")
    paid = drawn[drawn["cost"] > 0]
    with style():
        figure = Figure(figsize=SIZE, layout="constrained")
        widths = [width for width, part in ((1.3 + 0.2 * len(free), free), (5.0, paid)) if len(part)]
        panels = list(np.atleast_1d(figure.subplots(1, len(widths), sharey=True, width_ratios=widths)))
        lowest = np.nanmin([0.45, *(drawn["auroc_low"].fillna(drawn["auroc"]) - 0.03)])
        panels[0].set_ylim(max(lowest, -0.02), 1.1)  # room for names above the best
        panels[0].set_ylabel("AUROC")
        for axes in panels:
            axes.patch.set_visible(False)  # a name may reach into the next panel
            axes.axhline(0.5, color=COLOURS["muted"], linewidth=0.8, linestyle=(0, (2, 3)), zorder=1)
        places: list[_Place] = []
        if len(free):
            places += _points(panels[0], free, range(len(free)))
            panels[0].set_xlim(-0.8, len(free) - 0.2)
            panels[0].set_xticks([(len(free) - 1) / 2], ["free"])
            panels[0].tick_params(axis="x", length=0)
        if len(paid):
            axes = panels[-1]
            axes.set_xscale("log")
            axes.set_xlim(paid["cost"].min() / 2, paid["cost"].max() * 2)
            axes.xaxis.set_major_formatter(FuncFormatter(axis.tick))
            is_narrow = paid["cost"].max() < 100 * paid["cost"].min()
            axes.xaxis.set_major_locator(LogLocator(10, subs=(1, 2, 5) if is_narrow else (1,), numticks=12))
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.set_xlabel(axis.label)
            places += _points(axes, paid, paid["cost"].tolist())
            _draw_frontier(axes, free, paid)
        chance = panels[-1].annotate(
            "chance", (1, 0.5), (-4, 3), xycoords=("axes fraction", "data"), textcoords="offset points",
            ha="right", fontsize=8, color=COLOURS["muted"],
        )  # fmt: skip
        add_note(figure, note)
        settle(figure)
        _name_points(figure, places, [chance.get_window_extent()])
    return figure


@dataclass(frozen=True)
class _Place:
    """A point of a panel, its interval and its name."""

    axes: Axes
    x: float
    y: float
    low: float
    high: float
    name: str


def _points(axes: Axes, rows: pd.DataFrame, x: Sequence[float]) -> list[_Place]:
    places = []
    for at, row in zip(x, rows.to_dict("records"), strict=True):
        colour = COLOURS[row["kind"]]
        axes.vlines(at, row["auroc_low"], row["auroc_high"], color=colour, linewidth=1.4, alpha=0.55)
        axes.plot(
            [at], [row["auroc"]], marker=MARKERS[row["kind"]], markersize=7, linestyle="none", zorder=3,
            color=colour, markerfacecolor=colour if row["eligible"] else COLOURS["surface"],
            markeredgewidth=1.4,
        )  # fmt: skip
        name = short(row["label"])
        places.append(_Place(axes, at, row["auroc"], row["auroc_low"], row["auroc_high"], name))
    return places


def _draw_frontier(axes: Axes, free: pd.DataFrame, paid: pd.DataFrame) -> None:
    steps = paid[paid["frontier"]].sort_values("cost")
    x, y = list(steps["cost"]), list(steps["auroc"])
    best_free = free.loc[free["frontier"], "auroc"].max()
    if not np.isnan(best_free):
        x, y = [axes.get_xlim()[0], *x], [best_free, *y]
    if x:
        x, y = [*x, axes.get_xlim()[1]], [*y, y[-1]]
        axes.step(x, y, where="post", color=COLOURS["monitor"], linewidth=1.2, alpha=0.7, zorder=2)


def _name_points(figure: Figure, places: list[_Place], taken: list[Bbox]) -> None:
    """Write each name where it covers no point, interval or other name, if there is such a place."""
    for place in places:
        x, y = place.axes.transData.transform((place.x, place.y))
        taken.append(Bbox.from_extents(x - 6, y - 6, x + 6, y + 6))
        bar = place.axes.transData.transform([(place.x, place.low), (place.x, place.high)])
        if not np.isnan(bar).any():
            taken.append(Bbox.from_extents(x - 2, bar[0, 1], x + 2, bar[1, 1]))
    for place in sorted(places, key=lambda place: -place.y):
        for within in (place.axes.bbox, figure.bbox):
            if _name_point(place, within, taken):
                break


def _name_point(place: _Place, within: BboxBase, taken: list[Bbox]) -> bool:
    for dx, dy, side in _OFFSETS:
        label = place.axes.annotate(
            place.name, (place.x, place.y), (dx, dy), textcoords="offset points", ha=side, va="center",
            fontsize=8.5, color=COLOURS["ink"], zorder=4, annotation_clip=False,
            bbox={"facecolor": COLOURS["surface"], "edgecolor": "none", "alpha": 0.8, "pad": 0.5},
        )  # fmt: skip
        label.set_in_layout(False)
        box = label.get_window_extent()
        inside = within.x0 < box.x0 and box.x1 < within.x1
        if inside and not any(box.overlaps(other) for other in taken):
            taken.append(box)
            return True
        label.remove()
    return False


_OFFSETS = [
    (dx, dy, side)
    for dy in (8, -8, 0, 17, -17, 26, -26, 35, -35)
    for dx, side in ((9, "left"), (-9, "right"))
]
