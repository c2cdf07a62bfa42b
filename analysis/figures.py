"""Figures: AUROC against cost with the frontier, and ROC curves over the logarithm of the FPR.

A figure is drawn once, in the colours of `COLOURS`. In the report it is inlined as SVG whose colours are
style-sheet variables, so that it follows the reader's light or dark mode.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from matplotlib.transforms import Bbox

from molehunt.analysis.intervals import Data
from molehunt.analysis.metrics import roc

COLOURS = {
    "ink": "#1b1f24",
    "muted": "#5b6470",
    "rule": "#dfe3e8",
    "surface": "#fdfdfe",
    "monitor": "#0a5cc2",
    "floor": "#6a717b",
    "oracle": "#9b5a06",
    "line-1": "#0a5cc3",
    "line-2": "#c4420e",
    "line-3": "#0b7a5a",
    "line-4": "#8a3ea6",
    "line-5": "#8a6d00",
    "line-6": "#b0276b",
}
"""Each colour once, by the name of its style-sheet variable."""

MARKERS = {"monitor": "o", "floor": "s", "oracle": "^"}
DASHES: Sequence[Any] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (5, 2, 1.5, 2)))
MAX_CURVES = 12
FONT = "DejaVu Sans"


@dataclass(frozen=True)
class Curve:
    """A monitor's ROC curve: its name and the scores behind it."""

    name: str
    data: Data


def cost_figure(rows: pd.DataFrame) -> Figure:
    """AUROC with its interval against the cost of a trajectory, and the Pareto frontier.

    Where no monitor costs money, the cost is time. Monitors that cost nothing stand in a strip at the left,
    since a logarithmic axis has no zero; monitors whose cost is unknown are not drawn.

    Parameters
    ----------
    rows : of one condition, with ``label``, ``kind``, ``auroc``, ``auroc_low``, ``auroc_high``, ``cost``,
        ``frontier`` and ``eligible``; ``cost_name`` in ``rows.attrs`` names the axis.
    """
    drawn = rows[rows["auroc"].notna() & rows["cost"].notna()]
    free, paid = drawn[drawn["cost"] == 0], drawn[drawn["cost"] > 0]
    with _style():
        figure = Figure(figsize=(8.4, 4.6), layout="constrained")
        widths = [w for w, part in ((1.3 + 0.2 * len(free), free), (4.5, paid)) if len(part)] or [1.0]
        panels = np.atleast_1d(figure.subplots(1, len(widths), sharey=True, width_ratios=widths))
        low = np.nanmin([0.45, *(drawn["auroc_low"].fillna(drawn["auroc"]) - 0.03)])
        panels[0].set_ylim(max(low, -0.02), 1.03)
        panels[0].set_ylabel("AUROC")
        for axes in panels:
            axes.patch.set_visible(False)  # a name may reach into the next panel
            axes.axhline(0.5, color=COLOURS["muted"], linewidth=0.8, linestyle=(0, (2, 3)), zorder=1)
        places: list[_Place] = []
        if len(free):
            spread = free.sort_values("auroc")
            places += _points(panels[0], spread, range(len(spread)))
            panels[0].set_xlim(-0.8, len(spread) - 0.2)
            panels[0].set_xticks([(len(spread) - 1) / 2], ["free"])
            panels[0].tick_params(axis="x", length=0)
        if len(paid):
            axes = panels[-1]
            axes.set_xscale("log")
            axes.set_xlim(paid["cost"].min() / 2.2, paid["cost"].max() * 2.2)
            axes.xaxis.set_major_formatter(FuncFormatter(rows.attrs["cost_format"]))
            axes.xaxis.set_major_locator(LogLocator(10, subs=(1, 2, 5), numticks=12))
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.set_xlabel(rows.attrs["cost_name"])
            places += _points(axes, paid, paid["cost"].tolist())
            _draw_frontier(axes, free, paid)
        panels[-1].annotate(
            "chance", (1, 0.5), (-4, 3), xycoords=("axes fraction", "data"), textcoords="offset points",
            ha="right", fontsize=8, color=COLOURS["muted"],
        )  # fmt: skip
        _name_points(figure, places)
    return figure


def roc_figure(curves: Sequence[Curve]) -> Figure:
    """ROC curves, averaged over agent models, where few false alarms are told apart.

    Left of the dotted line lies less than one honest run: there the curves are interpolated.
    """
    with _style():
        figure = Figure(figsize=(8.4, 4.6), layout="constrained")
        axes = figure.subplots()
        n_honest = min(int((part.labels == 0).sum()) for curve in curves for part in curve.data.parts)
        start = min(0.01, 1 / (2 * n_honest))
        rates = np.geomspace(start, 1, 400)
        for number, curve in enumerate(curves[:MAX_CURVES]):
            of_models = [_interpolated(part.scores, part.labels, rates) for part in curve.data.parts]
            axes.plot(
                rates,
                np.mean(of_models, axis=0),
                color=COLOURS[f"line-{number % 6 + 1}"],
                linestyle=DASHES[(number // 6 + number) % len(DASHES)],
                linewidth=1.8,
                label=short(curve.name, 34),
            )
        axes.plot(rates, rates, color=COLOURS["muted"], linewidth=0.8, linestyle=(0, (2, 3)), label="chance")
        axes.axvline(1 / n_honest, color=COLOURS["muted"], linewidth=0.8, linestyle=(0, (1, 2)))
        axes.annotate(
            "1 honest run", (1 / n_honest, 1), (4, -10), xycoords=("data", "axes fraction"),
            textcoords="offset points", fontsize=8, color=COLOURS["muted"],
        )  # fmt: skip
        axes.set_xscale("log")
        axes.set_xlim(start, 1)
        axes.set_ylim(-0.02, 1.03)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda rate, _: f"{rate:.3g}"))
        axes.set_xlabel("false-positive rate, logarithmic")
        axes.set_ylabel("true-positive rate")
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, handlelength=3)
    return figure


def inline_svg(figure: Figure, prefix: str) -> str:
    """The figure as an SVG element for a page: colours and font are the page's, ids begin with ``prefix``."""
    with _style():
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata=_NO_METADATA)
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    for name, colour in COLOURS.items():
        svg = svg.replace(colour, f"var(--{name})")
    svg = re.sub(rf"'{FONT}'(?:, [^;\"]*)?", "var(--font)", svg)
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r"url\(#", f"url(#{prefix}-", svg)
    svg = re.sub(r'href="#', f'href="#{prefix}-', svg)
    # the page says what the figure shows and how wide it is
    return re.sub(r"<svg [^>]*?(viewBox=\"[^\"]*\")[^>]*>", r'<svg \1 aria-hidden="true">', svg, count=1)


def short(text: str, length: int = 40) -> str:
    """``text`` on one line, printable, cut in the middle of nothing: for labels.

    Examples
    --------
    >>> short("eae(min_excerpts=8, extractor='a')", 20)
    'eae(min_excerpts=8,…'
    """
    line = "".join(c if c.isprintable() else " " for c in text)
    return line if len(line) <= length else line[: length - 1] + "…"


def save(figure: Figure, stem: Any) -> list[Any]:
    """Write the figure as PNG and SVG beside each other; returns both paths."""
    paths = [stem.with_name(f"{stem.name}.{ending}") for ending in ("png", "svg")]
    with _style():
        figure.savefig(paths[0], dpi=200, facecolor="white", metadata={"Software": None})
        figure.savefig(paths[1], facecolor="white", metadata=_NO_METADATA)
    return paths


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
        places.append(
            _Place(axes, at, row["auroc"], row["auroc_low"], row["auroc_high"], short(row["label"], 30))
        )
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


def _name_points(figure: Figure, places: list[_Place]) -> None:
    """Write each name where it covers no point, interval or other name, if there is such a place."""
    figure.draw_without_rendering()  # settles the layout, so that points have pixels
    taken = []
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


def _name_point(place: _Place, within: Any, taken: list[Bbox]) -> bool:
    for dx, dy, side in _OFFSETS:
        label = place.axes.annotate(
            place.name, (place.x, place.y), (dx, dy), textcoords="offset points", ha=side, va="center",
            fontsize=8.5, color=COLOURS["ink"], zorder=4, annotation_clip=False,
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
    for dx, side in ((8, "left"), (-8, "right"))
]


def _interpolated(scores: Any, labels: Any, rates: Any) -> Any:
    fpr, tpr, _ = roc(scores, labels)
    # of several points at one rate the highest counts
    last = np.append(np.diff(fpr) > 0, True)
    return np.interp(rates, fpr[last], tpr[last])


_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


@contextmanager
def _style() -> Iterator[None]:
    with matplotlib.rc_context(
        {
            "font.family": FONT,
            "font.size": 9.5,
            "svg.fonttype": "none",
            # equal data, equal bytes
            "svg.hashsalt": "molehunt",
            # a name with two dollar signs is a name, not a formula
            "text.parse_math": False,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": COLOURS["muted"],
            "axes.labelcolor": COLOURS["ink"],
            "axes.grid": True,
            "axes.grid.axis": "y",
            "axes.axisbelow": True,
            "grid.color": COLOURS["rule"],
            "grid.linewidth": 0.8,
            "xtick.color": COLOURS["muted"],
            "ytick.color": COLOURS["muted"],
            "xtick.labelcolor": COLOURS["ink"],
            "ytick.labelcolor": COLOURS["ink"],
            "text.color": COLOURS["ink"],
            "legend.fontsize": 8.5,
        }
    ):
        yield
