"""What a monitor sees against what it catches: the figure behind "less is more"."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from molehunt.analysis.cost_figure import Quality
from molehunt.analysis.drawing import COLOURS, SIZE, add_note, blank, settle, style
from molehunt.analysis.less_is_more import EVERYTHING, VIEWS
from molehunt.analysis.wording import lines, short

N_ACROSS = 3


def view_figure(rows: pd.DataFrame, quality: Quality, note: str = "") -> Figure:
    """A small panel for each place and judge, a row in it for each view, with its interval.

    A line stands at the view that shows everything, another at chance.

    Parameters
    ----------
    rows : of one metric, as from `less_is_more`, with ``where``: the place in words.
    quality : the metric.
    note : what must be known wherever the figure goes.
    """
    groups = [group for _, group in rows.groupby(["where", "judge"], sort=False)]
    # four stand better two by two than three and one
    n_across = 2 if len(groups) == 4 else min(N_ACROSS, len(groups))
    n_down = -(-len(groups) // n_across)
    with style():
        figure = blank(SIZE[0], 0.7 + 1.9 * n_down, layout="constrained")
        grid = figure.subplots(n_down, n_across, sharex=True, squeeze=False)
        for axes, group in zip(grid.flat, groups, strict=False):
            _panel(axes, group, quality)
        for axes in grid.flat[len(groups) :]:
            axes.set_visible(False)
        for column in range(grid.shape[1]):
            last = grid[(len(groups) - 1 - column) // grid.shape[1], column]
            last.tick_params(labelbottom=True)
            last.set_xlabel(quality.name, fontsize=8.5)
        add_note(figure, note)
        settle(figure)
    return figure


def _panel(axes: Axes, group: pd.DataFrame, quality: Quality) -> None:
    ordered = _in_order(group)
    axes.axvline(quality.chance, color=COLOURS["muted"], linewidth=0.8, linestyle=(0, (2, 3)))
    everything = ordered.loc[ordered["view"] == EVERYTHING, "value"].max()
    axes.axvline(everything, color=COLOURS["muted"], linewidth=0.8)
    for place, row in enumerate(ordered.to_dict("records")):
        # shape and size say it again for whoever cannot see the colour
        own = row["view"] == "eae"
        colour = COLOURS["line-2" if own else "monitor"]
        axes.hlines(place, row["low"], row["high"], color=colour, linewidth=1.6, alpha=0.55)
        axes.plot([row["value"]], [place], "D" if own else "o", color=colour, markersize=6.5 if own else 5.5)
    axes.set_yticks(range(len(ordered)), [short(name, 26) for name in _names(ordered)], fontsize=8)
    axes.set_ylim(len(ordered) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelsize=7.5)
    axes.grid(False)
    where, judge = (str(group[name].iloc[0]) for name in ("where", "judge"))
    axes.set_title(f"{lines(where, 44)}\n{short(judge, 44)}", fontsize=8, loc="left", pad=4)


def _in_order(group: pd.DataFrame) -> pd.DataFrame:
    return group.assign(rank=group["view"].map(VIEWS.index)).sort_values(["rank", "monitor"], kind="stable")


def _names(rows: pd.DataFrame) -> Sequence[str]:
    """Views by name; variants of one view by all that tells them apart."""
    alike = rows["view"].duplicated(keep=False)
    full = (rows["monitor"] + " " + rows["models"]).where(alike, rows["view"])
    return [str(name) for name in full]
