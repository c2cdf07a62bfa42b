"""How good against at what cost: which monitors are worth their price."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
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


def cost_figure(
    rows: pd.DataFrame,
    axis: CostAxis,
    quality: Quality = QUALITIES[0],
    note: str = "",
    others: pd.DataFrame | None = None,
) -> Figure:
    """A metric with its interval against the cost of a trajectory, and the Pareto frontier.

    Monitors that cost nothing stand in a strip at the left, since a logarithmic axis has no zero; monitors
    whose cost is unknown are not drawn. A point whose name finds no room has a number in its place, and the
    name stands beside the figure.

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
    numbered: Sequence[str],
    others: pd.DataFrame | None,
) -> tuple[Figure, list[str]]:
    """The figure, and the names that found no room in it."""
    free = drawn[drawn["cost"] == 0].sort_values("value")
    paid = drawn[drawn["cost"] > 0]
    figure = blank(*SIZE, layout="constrained")
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
        panels[0].set_xticks([(len(free) - 1) / 2], ["free"])
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
    chance = panels[-1].annotate(
        "chance", (1, quality.chance), (-4, 3), xycoords=("axes fraction", "data"),
        textcoords="offset points", ha="right", fontsize=8, color=COLOURS["muted"],
    )  # fmt: skip
    beside = _list_beside(panels[-1], numbered) if numbered else None
    add_note(figure, note)
    settle(figure)
    taken = [text.get_window_extent() for text in (chance, beside) if text]
    homeless = _name_points(figure, places, taken, numbered)
    if beside:
        # the list has taken room from the panels, so that more names may have lost theirs
        beside.set_text(_numbered([*numbered, *homeless]))
    return figure, homeless


@dataclass(frozen=True)
class _Place:
    """A point of a panel, its interval and its name, and whether it is on the frontier."""

    axes: Axes
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
        axes.plot(
            [at], [row["value"]], marker=MARKERS[row["kind"]], markersize=7, linestyle="none", zorder=3,
            color=colour, markerfacecolor=colour if row["eligible"] else COLOURS["surface"],
            markeredgewidth=1.4,
        )  # fmt: skip
        name = short(row["label"], 60)
        places.append(_Place(axes, at, row["value"], row["low"], row["high"], name, row["frontier"]))
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
        axes.plot([cost], [value], marker="x", markersize=7, linestyle="none", color=COLOURS["muted"])
        name = short(f"published: {row['monitor']} {row['models']}", 60)
        places.append(_Place(axes, cost, value, float("nan"), float("nan"), name, is_first=False))
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


def _list_beside(axes: Axes, names: Sequence[str]) -> Annotation:
    return axes.annotate(
        _numbered(names), (1.03, 1), xycoords="axes fraction", va="top", fontsize=8, linespacing=1.5,
        color=COLOURS["ink"], annotation_clip=False,
    )  # fmt: skip


def _numbered(names: Sequence[str]) -> str:
    return "\n".join(
        textwrap.fill(f"{number}  {name}", 34, subsequent_indent="    ")
        for number, name in enumerate(names, start=1)
    )


def _name_points(
    figure: Figure, places: list[_Place], taken: list[Bbox], numbered: Sequence[str]
) -> list[str]:
    """Write each name, or its number, where it covers no point, interval or other name.

    Returns the names that have found no such place; a number that finds none stands on its point.
    """
    for place in places:
        x, y = place.axes.transData.transform((place.x, place.y))
        taken.append(Bbox.from_extents(x - 6, y - 6, x + 6, y + 6))
        bar = place.axes.transData.transform([(place.x, place.low), (place.x, place.high)])
        if not np.isnan(bar).any():
            taken.append(Bbox.from_extents(x - 2, bar[0, 1], x + 2, bar[1, 1]))
    for axes in figure.axes:
        left = axes.bbox
        taken.append(Bbox.from_extents(left.x0 - 2, left.y0, left.x0 + 2, left.y1))
    homeless = []
    # what is worth its price is named first
    for place in sorted(places, key=lambda place: (not place.is_first, -place.y)):
        if place.name in numbered:
            _number(place, numbered.index(place.name) + 1, figure, taken)
        elif not any(_name_point(place, place.name, within, taken) for within in _rooms(place, figure)):
            homeless.append(place.name)
            if numbered:
                _number(place, len(numbered) + len(homeless), figure, taken)
    return homeless


def _number(place: _Place, number: int, figure: Figure, taken: list[Bbox]) -> None:
    """Write a number beside a point, at an end of its interval or, where there is no room at all, on it."""
    at_ends = [replace(place, y=end) for end in (place.high, place.low) if not np.isnan(end)]
    tried = [(place, _OFFSETS), *((end, [(0, 8, "center"), (0, -8, "center")]) for end in at_ends)]
    if not any(_name_point(at, str(number), at.axes.bbox, taken, offsets) for at, offsets in tried):
        _write(place, str(number), 0, 0, "center", COLOURS["ink"])


def _rooms(place: _Place, figure: Figure) -> tuple[BboxBase, BboxBase]:
    """Where a name may stand: in its panel, or reaching out of it on the right."""
    panel = place.axes.bbox
    return panel, Bbox.from_extents(panel.x0, panel.y0, figure.bbox.x1, panel.y1)


def _name_point(
    place: _Place,
    name: str,
    within: BboxBase,
    taken: list[Bbox],
    offsets: Sequence[tuple[float, float, str]] | None = None,
) -> bool:
    for dx, dy, side in offsets or _OFFSETS:
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
