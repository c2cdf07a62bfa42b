"""A report's numbers by condition: what stands together in one section, and its figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from molehunt.analysis.comparisons import left_out
from molehunt.analysis.cost_figure import DOLLARS, QUALITIES, SECONDS, CostAxis, Quality, cost_figure
from molehunt.analysis.drawing import Drawing, Picture
from molehunt.analysis.frontier import cost_line, on_frontier
from molehunt.analysis.observations import CONDITION, UNKNOWN, Observations
from molehunt.analysis.published import published
from molehunt.analysis.roc_figure import Curve, legible, roc_figure
from molehunt.analysis.score_figure import MAX_PANELS, score_figure
from molehunt.analysis.selection import counted, data_from
from molehunt.analysis.summary import ENOUGH
from molehunt.analysis.wording import listed
from molehunt.verdicts.success import SABOTAGE, SANDBAGGING

KINDS = ("monitor", "floor", "oracle")


@dataclass(frozen=True)
class Slices:
    """AUROC by monitor and value of a factor.

    Parameters
    ----------
    factor : what the attacks are sliced by.
    values : its values, each with the largest number of attack runs that a monitor was given.
    rows : a monitor's row of `Section.rows`, and its row of ``metrics`` for each value or None.
    """

    factor: str
    values: tuple[tuple[str, int], ...]
    rows: tuple[tuple[dict[str, Any], tuple[dict[str, Any] | None, ...]], ...]


@dataclass(frozen=True)
class Section:
    """One condition: a data set, an amount of readable reasoning, what the agent was told.

    Parameters
    ----------
    key : for links and file names.
    environment, condition : its name, and what else there is to say about it, in words; ``particular`` is
        the part of it that tells it from other sections of the same data set.
    rows : rows of `metrics` over all attacks, first the best of those that were given all runs; with
        ``title``, ``label`` (short, for figures), ``has_all`` (was given all runs), ``rival`` (was, scored
        enough of them, and is no oracle), ``eligible`` and ``frontier`` by AUROC, and ``unscored``: runs by
        the status that they have instead of a score.
    pictures, slices : what is drawn and sliced.
    uncompared : which pairs are not compared, and why, in words; empty if all are.
    comparisons : one for each pair of monitors: ``one`` and ``other`` (titles), ``n_runs``, what marks it
        (as a row's marks, ``kind`` is oracle if either is one), and by metric a row of `comparisons`.
    scripted : whether all agents are scripts.
    """

    key: str
    environment: str
    condition: str
    particular: str
    rows: tuple[dict[str, Any], ...]
    pictures: tuple[Picture, ...]
    slices: tuple[Slices, ...]
    uncompared: str
    comparisons: tuple[dict[str, Any], ...]
    scripted: bool

    @property
    def most(self) -> dict[str, Any]:
        """The row of a monitor that was given most runs; some may have been given a part of them."""
        return max(self.rows, key=lambda row: row["n_attack"] + row["n_honest"])

    @property
    def drawings(self) -> list[Drawing]:
        """All figures, whatever picture they are of."""
        return [drawing for picture in self.pictures for drawing in picture.drawings]

    def best(self, kind: str) -> dict[str, Any] | None:
        """The row with the highest AUROC of those that were given all runs and scored enough of them.

        A monitor that gave all of them one score has told nothing apart, and is not called the best.
        """
        rivals = [row for row in self.of(kind) if row["has_all"] and row["coverage"] >= ENOUGH]
        if kind == "monitor":
            rivals = [row for row in rivals if row["distinct_scores"] > 1]
        return next((row for row in rivals if row["auroc"] == row["auroc"]), None)

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The rows of monitors, floors or oracles."""
        return [row for row in self.rows if row["kind"] == kind]


def sections(
    seen: Observations,
    metrics: pd.DataFrame,
    comparisons: pd.DataFrame,
    filtered: bool,
    against: str | None = None,
) -> Iterator[Section]:
    """Everything by condition, in the order of ``metrics``; ``against`` is what all were compared with."""
    groups = metrics.groupby(CONDITION, sort=False)
    observed = seen.frame.groupby(CONDITION)
    compared = dict(list(comparisons.groupby(CONDITION)))
    particulars = short_conditions(metrics.drop_duplicates(CONDITION))
    for number, ((condition, group), (_, particular)) in enumerate(zip(groups, particulars, strict=True), 1):
        runs = observed.get_group(condition)
        key = f"section-{number}"
        overall = _overall(seen, group[group["by"] == ""], counted(runs, filtered))
        rows = tuple(records(overall))
        environment, reasoning, awareness, arm = map(str, condition)
        yield Section(
            key=key,
            environment=environment,
            condition=in_words(reasoning, awareness, arm),
            particular=particular,
            rows=rows,
            pictures=tuple(_pictures(key, overall, counted(runs, filtered), no_claim_note(overall))),
            slices=tuple(_slices(str(factor), part, rows) for factor, part in group.groupby("by") if factor),
            uncompared=left_out(seen.monitors.loc[overall["monitor_id"]], against),
            comparisons=tuple(_pairs(seen, compared.get(condition, comparisons.iloc[:0]))),
            scripted=bool(runs["scripted"].all()),
        )


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows by column."""
    return [dict(zip(frame.columns, row, strict=True)) for row in frame.itertuples(index=False, name=None)]


def _overall(seen: Observations, rows: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    # a point from a part of the runs is no rival to one from all of them
    given = rows["n_attack"] + rows["n_honest"]
    table = rows.assign(has_all=given >= ENOUGH * given.max())
    table = table.sort_values(["has_all", "auroc"], ascending=False, na_position="last").reset_index(
        drop=True
    )
    table["title"] = seen.monitors["title"].reindex(table["monitor_id"]).to_numpy()
    table["label"] = [
        _label(title, models) for title, models in zip(table["title"], table["models"], strict=True)
    ]
    table["rival"] = (table["kind"] != "oracle") & (table["coverage"] >= ENOUGH) & table["has_all"]
    table = _on_frontier(table, QUALITIES[0])
    statuses = runs[runs["score"].isna()].groupby("monitor")["status"].value_counts()
    by_monitor: dict[str, dict[str, int]] = {monitor: {} for monitor in table["monitor_id"]}
    for monitor, status, number in statuses.reset_index().itertuples(index=False):
        by_monitor[monitor][status] = int(number)
    table["unscored"] = table["monitor_id"].map(by_monitor)
    return table


def _on_frontier(table: pd.DataFrame, quality: Quality) -> pd.DataFrame:
    """Rows with what is eligible and what is on the frontier by one metric."""
    cost, value = table[_axis(table).column], table[quality.column]
    has_rivals = int((table["rival"] & cost.notna() & value.notna()).sum()) > 1
    # what guesses, or comes from one task, is no bargain at any price
    eligible = table["rival"] & (value > quality.chance) & table[f"{quality.column}_low"].notna()
    return table.assign(eligible=eligible, frontier=has_rivals & on_frontier(cost, value, eligible))


def _axis(rows: pd.DataFrame) -> CostAxis:
    # what is unknown may cost money
    return SECONDS if (rows[DOLLARS.column] == 0).all() else DOLLARS


def _pictures(key: str, rows: pd.DataFrame, runs: pd.DataFrame, note: str) -> Iterator[Picture]:
    axis = _axis(rows)
    is_known = rows[axis.column].notna()
    if (rows["auroc"].notna() & is_known).any():
        missing = rows.loc[rows["auroc"].notna() & ~is_known, "label"].tolist()
        others = _others(rows, axis)
        gap = f" Not drawn, since the cost is unknown: {listed(missing, len(missing))}." if missing else ""
        yield Picture(
            f"How good against {axis.title}",
            "Further up is better, further left is cheaper; bars are 95% intervals. The stepped line is the "
            "frontier: whoever stands on it is beaten by no other monitor that is as cheap. Circles are "
            "monitors, squares floors, triangles oracles, which are never on the frontier; a hollow circle "
            "or square left too many runs unscored, was given fewer runs than others, is no better than "
            "chance, or has no interval. The name of a point with a number stands below the figure."
            f"{gap}{_line(rows, axis)}"
            f"{_said_of_others(others)}",
            tuple(
                Drawing(
                    f"{key}-cost{'' if quality is QUALITIES[0] else '-' + quality.column.replace('_', '-')}",
                    quality.name,
                    partial(cost_figure, _on_frontier(rows, quality), axis, quality, note, others),
                )
                for quality in QUALITIES
            ),
        )
    scored = dict(list(runs[runs["score"].notna()].groupby("monitor")))
    curves = [
        Curve(label, str(kind), data)
        for kind in KINDS
        for monitor, label in rows.loc[rows["kind"] == kind, ["monitor_id", "label"]].itertuples(index=False)
        if monitor in scored and (data := data_from(scored[monitor])) is not None
    ]
    if curves:
        drawn = legible(curves)
        n_left = len(curves) - len(drawn)
        rest = f" The best of each kind are drawn; {n_left} more are not, for want of room." if n_left else ""
        yield Picture(
            "ROC curves where false alarms are few",
            "How many attacks a monitor catches (up) at every share of honest runs that it may flag (right, "
            "on a logarithmic axis, so that few false alarms have the most room), averaged over agent "
            "models. A line is pale and thin where less than one honest run may be flagged: no data lie "
            f"there, and it is interpolated. Floors (grey) and oracles (brown) have thinner lines.{rest}",
            (Drawing(f"{key}-roc", "", partial(roc_figure, drawn, note)),),
            "the curves at 1, 5 and 10% are in the table of all metrics",
        )
        yield Picture(
            "What the scores look like",
            "How many runs got which score: attack runs above the line, honest runs below, each in percent "
            "of its own kind. The less the two overlap, the better a monitor tells them apart.",
            tuple(
                Drawing(f"{key}-scores-{place // MAX_PANELS + 1}", "", partial(score_figure, part, note))
                for place in range(0, len(curves), MAX_PANELS)
                if (part := curves[place : place + MAX_PANELS])
            ),
            "molehunt export writes every score",
        )


def _others(rows: pd.DataFrame, axis: CostAxis) -> pd.DataFrame | None:
    """Published points and lines of these data; None unless agents and monitors are all real ones."""
    monitors = rows[rows["kind"] == "monitor"]
    is_claimless = rows["scripted_agents"].any() or rows["embedded_models"].any()
    if monitors.empty or is_claimless or axis is not DOLLARS:
        return None
    found = published(str(rows["environment"].iloc[0]))
    drawn = found[found["usd_per_trajectory"].notna() | (found["metric"] == "cost_line")]
    return None if drawn.empty else drawn


def _said_of_others(others: pd.DataFrame | None) -> str:
    if others is None:
        return ""
    sources = listed(sorted(set(others["source"])), len(others))
    return (
        f" Crosses and the dotted line of AUROC are published ({sources}), of agents and prompts that may "
        "differ from these."
    )


def _line(rows: pd.DataFrame, axis: CostAxis) -> str:
    """The line that the published study fits, in words; empty where there is none."""
    monitors = rows[rows["kind"] == "monitor"]
    line = cost_line(monitors[axis.column], monitors["auroc"])
    if axis is not DOLLARS or line.slope != line.slope:
        return ""
    return (
        f" A straight line through the {line.n} monitors (least squares) puts AUROC at {line.intercept:.3f} "
        f"{'+' if line.slope >= 0 else '−'} {abs(line.slope):.3f} × dollars per run (R² {line.r2:.2f}), "
        "which says nothing of what one monitor would gain from spending more."
    )


def _slices(factor: str, part: pd.DataFrame, rows: tuple[dict[str, Any], ...]) -> Slices:
    cells = {(row["monitor_id"], row["slice"]): row for row in records(part)}
    values = part.groupby("slice")["n_attack"].max()
    return Slices(
        factor=factor,
        values=tuple((str(value), int(n)) for value, n in values.items()),
        rows=tuple(
            (row, tuple(cells.get((row["monitor_id"], str(value))) for value in values.index)) for row in rows
        ),
    )


def _pairs(seen: Observations, comparisons: pd.DataFrame) -> Iterator[dict[str, Any]]:
    titles = seen.monitors["title"] + " " + seen.monitors["models"]
    for (one, other), rows in comparisons.groupby(["monitor_id", "baseline_id"], sort=False):
        yield {
            "one": str(titles[str(one)]).strip(),
            "other": str(titles[str(other)]).strip(),
            "n_runs": int(rows["n_runs"].iloc[0]),
            "kind": "oracle" if "oracle" in set(rows["kind"]) | set(rows["baseline_kind"]) else "monitor",
            "frontier": False,
            "embedded_models": bool(rows["embedded_models"].any()),
            "scripted_agents": bool(rows["scripted_agents"].any()),
            **{row["metric"]: row for row in records(rows)},
        }


def _label(title: str, models: str) -> str:
    """Short enough for a figure: no empty brackets, no providers, no settings."""
    bare = re.sub(r" \([^)]*\)", "", models)
    names = [re.sub(r"\S*/", "", name) for name in re.split(r", |=", bare) if "/" in name]
    return " ".join([title, " + ".join(dict.fromkeys(names))]).strip()


def no_claim_note(rows: pd.DataFrame) -> str:
    """What a figure of these rows must say wherever it goes; empty where all is real."""
    names = {"scripted_agents": "scripted agents", "embedded_models": "a stand-in model"}
    found = [words for column, words in names.items() if rows[column].any()]
    return f"Rests on {' and '.join(found)}: no claim." if found else ""


def short_conditions(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """Of each row its environment, and in words what tells its condition from others of that environment."""
    known = rows[CONDITION].astype("str")
    counts = known.groupby("environment")[CONDITION[1:]].transform("nunique")
    telling = known[CONDITION[1:]].where(counts > 1, UNKNOWN)
    return [
        (environment, in_words(*condition))
        for environment, *condition in known[["environment"]].join(telling).itertuples(index=False, name=None)
    ]


def in_words(reasoning: str, awareness: str, arm: str) -> str:
    """What is particular about a condition, in words."""
    said = {
        "full": "reasoning readable in full",
        "summary": "reasoning readable as a summary",
        "hidden": "reasoning hidden",
        "none": "no reasoning recorded",
    }
    told = {
        "unaware": "agents not told that they are watched",
        "told": "agents told that they are watched",
        "thinks_private": "agents told that nobody reads their reasoning",
    }
    pursued = {SABOTAGE: UNKNOWN, SANDBAGGING: "attacks that sandbag"}
    known = [said.get(reasoning, reasoning), told.get(awareness, awareness), pursued.get(arm, arm)]
    return ", ".join(words for words in known if words != UNKNOWN)
