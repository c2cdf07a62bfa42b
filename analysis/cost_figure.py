"""How good against at what cost: which monitors are worth their price."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from matplotlib.ticker import EngFormatter, FuncFormatter, LogLocator, NullLocator
from matplotlib.transforms import Bbox, BboxBase

from molehunt.analysis.drawing import COLOURS, SIZE, add_note, blank, settle, style
from molehunt.analysis.wording import short

MARKERS = {"monitor": "o", "floor": "s", "oracle": "^"}


@dataclass(frozen=True)
class Quality:
    """What a monitor is paid for: a column of ``metrics``, its name, and what guessing gets."""

    column: str
    name: str
    chance: float


QUALITIES = (
    Quality("auroc", "AUROC", 0.5),
    Quality("log_auroc", "log-AUROC", 0.21498),
    Quality("tpr_at_1fpr", "TPR at 1% FPR", 0.01),
)


@dataclass(frozen=True)
class CostAxis:
    """What monitors are paid in.

    Parameters
    ----------
    column : of ``metrics``, the cost of a trajectory.
    title : of the figure, after "against".
    label : of the axis.
    nothing : what stands under the monitors that are paid nothing.
    tick : writes a number of it.
    """

    column: str
    title: str
    label: str
    nothing: str
    tick: Callable[[float, int | None], str]


def _dollar_tick(cost: float, _: int | None = None) -> str:
    return f"${np.format_float_positional(cost, precision=2, fractional=False, trim='-')}"


DOLLARS = CostAxis(
    "usd_per_trajectory",
    "cost",
    "US dollars per run at list price (logarithmic)",
    "free",
    _dollar_tick,
)
SECONDS = CostAxis(
    "seconds_per_trajectory",
    "time, since no monitor here costs money",
    "time per run (logarithmic)",
    "took no time",
    EngFormatter("s"),
)


def cost_figure(
    rows: pd.DataFrame,
    axis: CostAxis,
    quality: Quality = QUALITIES[0],
    note: str = "",
    others: pd.DataFrame | None = None,
) -> Figure:
    """A metric with its interval against the cost of a trajectory, and the Pareto frontier.

    Monitors that cost nothing stand in a strip at the left, since a logarithmic axis has no zero; monitors
    whose cost is unknown are not drawn. A point whose name finds no room is a larger one with a number in it,
    and the name stands below the figure.

    Parameters
    ----------
    rows : of one condition, with ``label``, ``kind``, ``frontier``, ``eligible``, the columns of ``quality``
        (with ``…_low`` and ``…_high``) and of ``axis``.
    axis : what the cost is.
    quality : what it buys.
    note : what must be known wherever the figure goes.
    others : from `published`, what others found on the same data: their points are crosses, their line is
        dotted. Only where ours rest on real agents and monitors.
    """
    drawn = rows.assign(
        cost=rows[axis.column],
        value=rows[quality.column],
        low=rows[f"{quality.column}_low"],
        high=rows[f"{quality.column}_high"],
    )
    drawn = drawn[drawn["value"].notna() & drawn["cost"].notna()].reset_index(drop=True)
    with style():
        figure, homeless = _drawn(drawn, axis, quality, note, [], others)
        return _drawn(drawn, axis, quality, note, homeless, others)[0] if homeless else figure


def _drawn(
    drawn: pd.DataFrame,
    axis: CostAxis,
    quality: Quality,
    note: str,
    numbered: Sequence[int],
    others: pd.DataFrame | None,
) -> tuple[Figure, list[int]]:
    """The figure, and which of its points have names that found no room in it."""
    free = drawn[drawn["cost"] == 0].sort_values("value")
    paid = drawn[drawn["cost"] > 0]
    strip = _strip(len(numbered), bool(note))
    height = SIZE[1] + strip
    figure = blank(SIZE[0], height, layout="constrained")
    figure.set_layout_engine("constrained", rect=(0, strip / height, 1, 1 - strip / height))
    widths = [width for width, part in ((1.3 + 0.2 * len(free), free), (5.0, paid)) if len(part)]
    panels = list(np.atleast_1d(figure.subplots(1, len(widths), sharey=True, width_ratios=widths)))
    lowest = np.nanmin([quality.chance - 0.05, *(drawn["low"].fillna(drawn["value"]) - 0.03)])
    found = [*drawn["value"], *drawn["high"].dropna(), *_published_points(others, quality)["value"]]
    bottom, top = max(lowest, -0.04), min(max([*found, quality.chance]) + 0.1, 1.1)
    panels[0].set_ylim(bottom, top)  # room for names above the best
    panels[0].set_yticks([tick / 10 for tick in range(11) if bottom <= tick / 10 <= top])
    panels[0].set_ylabel(quality.name)
    for axes in panels:
        axes.patch.set_visible(False)  # a name may reach into the next panel
        axes.axhline(quality.chance, color=COLOURS["muted"], linewidth=0.8, linestyle=(0, (2, 3)), zorder=1)
    places: list[_Place] = []
    if len(free):
        places += _points(panels[0], free, range(len(free)))
        panels[0].set_xlim(-0.8, len(free) - 0.2)
        panels[0].set_xticks([(len(free) - 1) / 2], [axis.nothing])
        panels[0].tick_params(axis="x", length=0)
    if len(paid):
        axes = panels[-1]
        axes.set_xscale("log")
        axes.set_xlim(paid["cost"].min() / 2, paid["cost"].max() * 2)
        axes.xaxis.set_major_formatter(FuncFormatter(axis.tick))
        is_narrow = paid["cost"].max() < 100 * paid["cost"].min()
        axes.xaxis.set_major_locator(LogLocator(10, subs=(1, 2, 5) if is_narrow else (1,), numticks=12))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel(axis.label)
        places += _points(axes, paid, paid["cost"].tolist())
        if others is not None:
            places += _draw_others(axes, others, quality)
        _draw_frontier(axes, free, paid)
    # beside the panel, where no point can be
    chance = panels[-1].annotate(
        "chance", (1, quality.chance), (4, 0), xycoords=("axes fraction", "data"),
        textcoords="offset points", ha="left", va="center", fontsize=8, color=COLOURS["muted"],
    )  # fmt: skip
    _list_below(figure, [places[at].name for at in numbered], strip)
    add_note(figure, note)
    settle(figure)
    homeless = _name_points(figure, places, [chance.get_window_extent()], numbered)
    return figure, homeless


@dataclass(frozen=True)
class _Place:
    """A point of a panel as drawn, its interval and its name, and whether it is on the frontier."""

    axes: Axes
    point: Line2D
    x: float
    y: float
    low: float
    high: float
    name: str
    is_first: bool


def _points(axes: Axes, rows: pd.DataFrame, x: Sequence[float]) -> list[_Place]:
    places = []
    for at, row in zip(x, rows.to_dict("records"), strict=True):
        colour = COLOURS[row["kind"]]
        axes.vlines(at, row["low"], row["high"], color=colour, linewidth=1.4, alpha=0.55)
        [point] = axes.plot(
            [at], [row["value"]], marker=MARKERS[row["kind"]], markersize=7, linestyle="none", zorder=3,
            color=colour, markerfacecolor=colour if row["eligible"] else COLOURS["surface"],
            markeredgewidth=1.4,
        )  # fmt: skip
        name = short(row["label"], 76)
        places.append(_Place(axes, point, at, row["value"], row["low"], row["high"], name, row["frontier"]))
    return places


def _draw_frontier(axes: Axes, free: pd.DataFrame, paid: pd.DataFrame) -> None:
    steps = paid[paid["frontier"]].sort_values("cost")
    x, y = list(steps["cost"]), list(steps["value"])
    best_free = free.loc[free["frontier"], "value"].max()
    if not np.isnan(best_free):
        x, y = [axes.get_xlim()[0], *x], [best_free, *y]
    if x:
        x, y = [*x, axes.get_xlim()[1]], [*y, y[-1]]
        axes.step(x, y, where="post", color=COLOURS["monitor"], linewidth=1.2, alpha=0.7, zorder=2)


def _published_points(others: pd.DataFrame | None, quality: Quality) -> pd.DataFrame:
    """Published values of one metric whose cost is known."""
    if others is None:
        return pd.DataFrame({"value": []})
    return others[(others["metric"] == quality.column) & others["usd_per_trajectory"].notna()]


def _draw_others(axes: Axes, others: pd.DataFrame, quality: Quality) -> list[_Place]:
    """Published points of one metric, and the published line, a straight one of AUROC, which bends here."""
    places = []
    for row in _published_points(others, quality).to_dict("records"):
        cost, value = float(row["usd_per_trajectory"]), float(row["value"])
        [point] = axes.plot(
            [cost], [value], marker="x", markersize=7, linestyle="none", color=COLOURS["muted"]
        )
        name = short(f"published: {row['monitor']} {row['models']}", 76)
        places.append(_Place(axes, point, cost, value, float("nan"), float("nan"), name, is_first=False))
        left, right = axes.get_xlim()
        axes.set_xlim(min(left, cost / 2), max(right, cost * 2))
    if quality is QUALITIES[0]:
        for line in others.loc[others["metric"] == "cost_line", "value"]:
            costs = np.geomspace(*axes.get_xlim(), 200)
            values = line["intercept"] + line["slope"] * costs
            # a line may say more than 1, which no monitor can have
            is_possible = values <= 1
            axes.plot(
                costs[is_possible], values[is_possible], color=COLOURS["muted"], linestyle=":", linewidth=1.4
            )
    return places


LINE = 0.17
"""Inches from one listed name to the next."""


def _strip(n_numbered: int, has_note: bool) -> float:
    """Inches below the panels for a list of names in two columns, and a note below it."""
    return LINE * (-(-n_numbered // 2) + 1 + has_note) if n_numbered else 0.0


def _list_below(figure: Figure, names: Sequence[str], strip: float) -> None:
    height = figure.get_figheight()
    n_down = -(-len(names) // 2)
    for place, name in enumerate(names):
        across, down = divmod(place, n_down)
        y = (strip - LINE * (down + 0.7)) / height
        for x, text, side in ((0.045, str(place + 1), "right"), (0.053, name, "left")):
            listed = figure.text(x + 0.5 * across, y, text, fontsize=8, ha=side, va="center")
            listed.set_in_layout(False)


def _name_points(
    figure: Figure, places: list[_Place], taken: list[Bbox], numbered: Sequence[int]
) -> list[int]:
    """Write each name where it covers no point, interval or other name, or its number on its point.

    Returns the points whose names have found no such place.
    """
    for place in places:
        x, y = place.axes.transData.transform((place.x, place.y))
        taken.append(Bbox.from_extents(x - 7, y - 7, x + 7, y + 7))
        bar = place.axes.transData.transform([(place.x, place.low), (place.x, place.high)])
        if not np.isnan(bar).any():
            taken.append(Bbox.from_extents(x - 2, bar[0, 1], x + 2, bar[1, 1]))
    for axes in figure.axes:
        left = axes.bbox
        taken.append(Bbox.from_extents(left.x0 - 2, left.y0, left.x0 + 2, left.y1))
    homeless = []
    discs: list[tuple[float, float]] = []
    # what is worth its price is named first, and lies on top of what is not
    order = sorted(range(len(places)), key=lambda at: (not places[at].is_first, -places[at].y))
    for depth, at in enumerate(order):
        place = places[at]
        if at in numbered:
            _number(place, numbered.index(at) + 1, 4 - depth / len(order), taken, discs)
        elif not any(_name_point(place, place.name, within, taken) for within in _rooms(place, figure)):
            homeless.append(at)
    return homeless


def _number(
    place: _Place, number: int, depth: float, taken: list[Bbox], discs: list[tuple[float, float]]
) -> None:
    """Make a point large and write a number into it, or beside it if it is a cross or lies under another."""
    x, y = place.axes.transData.transform((place.x, place.y))
    is_covered = any(np.hypot(x - other[0], y - other[1]) < 13 for other in discs)
    if place.point.get_marker() == "x" or is_covered:
        place.point.set_zorder(depth - 1)
        if not _name_point(place, str(number), place.axes.bbox, taken):
            _write(place, str(number), 8, 0, "left", COLOURS["ink"])
        return
    discs.append((x, y))
    is_triangle = place.point.get_marker() == "^"
    place.point.set(markersize=17 if is_triangle else 13, zorder=depth)
    filled = place.point.get_markerfacecolor() == place.point.get_color()
    if filled:
        place.point.set(markeredgecolor=COLOURS["surface"], markeredgewidth=0.8)
    # a triangle has its room low
    low = -2.5 if is_triangle else -0.2
    place.axes.annotate(
        str(number), (place.x, place.y), (0, low), textcoords="offset points", ha="center", va="center",
        fontsize=6.5, fontweight="bold", zorder=depth,
        color=COLOURS["surface"] if filled else place.point.get_color(),
    ).set_in_layout(False)  # fmt: skip


def _rooms(place: _Place, figure: Figure) -> tuple[BboxBase, BboxBase]:
    """Where a name may stand: in its panel, or reaching out of it on the right."""
    panel = place.axes.bbox
    return panel, Bbox.from_extents(panel.x0, panel.y0, figure.bbox.x1, panel.y1)


def _name_point(place: _Place, name: str, within: BboxBase, taken: list[Bbox]) -> bool:
    for dx, dy, side in _OFFSETS:
        label = _write(place, name, dx, dy, side, COLOURS["ink"])
        box = label.get_window_extent()
        inside = within.x0 < box.x0 and box.x1 < within.x1 and within.y0 < box.y0 and box.y1 < within.y1
        if inside and not any(box.overlaps(other) for other in taken):
            taken.append(box)
            return True
        label.remove()
    return False


def _write(place: _Place, text: str, dx: float, dy: float, side: str, colour: str) -> Annotation:
    label = place.axes.annotate(
        text, (place.x, place.y), (dx, dy), textcoords="offset points", ha=side, va="center",
        fontsize=8.5, color=colour, zorder=4, annotation_clip=False,
        bbox={"facecolor": COLOURS["surface"], "edgecolor": "none", "alpha": 0.8, "pad": 0.5},
    )  # fmt: skip
    label.set_in_layout(False)
    return label


_OFFSETS: Sequence[tuple[float, float, str]] = [
    (dx, dy, side) for dy in (8, -8, 0, 15, -15) for dx, side in ((9, "left"), (-9, "right"))
]
