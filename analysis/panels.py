"""What a report shows beside its headline: a table for each question that the data can answer, none else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import pandas as pd

from molehunt.analysis.audit import audit, time_to_detection
from molehunt.analysis.choosing import best_composite
from molehunt.analysis.cost_figure import QUALITIES
from molehunt.analysis.drawing import Drawing, Picture
from molehunt.analysis.equal_budget import equal_budget
from molehunt.analysis.evidence import evidence
from molehunt.analysis.exhibits import Column, Exhibit, estimated, named
from molehunt.analysis.gains import gain_over_best
from molehunt.analysis.less_is_more import less_is_more, tally
from molehunt.analysis.observations import CONDITION, Observations
from molehunt.analysis.published import published
from molehunt.analysis.sections import in_words, no_claim_note
from molehunt.analysis.transfer import transfer
from molehunt.analysis.view_figure import view_figure
from molehunt.analysis.wording import decimal, dollars, percent, plainly, signed

TRANSFERRED = ("environment", "awareness", "policy", "agent_model")
"""Factors between whose values thresholds are carried over."""

MONITOR = Column("monitor", "monitor", plainly, under="models", kind="name")

ALLOWED = 0.05
"""False-positive rate at which thresholds are carried over, and at which step-wise monitors flag."""


def panels(
    seen: Observations, filtered: bool, replicates: int, seed: int, base_rate: float = 0.0
) -> Iterator[Exhibit]:
    """Every further table that these data have rows for.

    Parameters
    ----------
    seen : from `observe`.
    filtered, replicates, seed, base_rate : as for `summarise`.
    """
    parts = (
        *_less_is_more(seen, filtered, replicates, seed),
        _gain_over_best(seen, filtered, replicates, seed),
        _evidence(seen, filtered),
        _equal_budget(seen, filtered, replicates, seed),
        _composites(seen, filtered, replicates, seed, base_rate),
        *(_transfer(seen, factor, filtered) for factor in TRANSFERRED if _varies(seen, factor)),
        _audit(seen, filtered, replicates, seed, base_rate),
        _time_to_detection(seen, filtered),
        _published(seen),
    )
    yield from (part for part in parts if part is not None)


def _less_is_more(seen: Observations, filtered: bool, replicates: int, seed: int) -> Iterator[Exhibit]:
    rows = less_is_more(seen, filtered, replicates, seed)
    if rows.empty:
        return
    table = _placed(rows)
    note = no_claim_note(rows)
    yield Exhibit(
        key="less-is-more",
        title="Is less more?",
        caption="Each view of a run, judged by the same model on the same runs, and its difference from the "
        "view that shows everything (cot_action), paired. p is not adjusted." + _marked(rows),
        columns=(
            *_places(rows),
            named("judge", "judge"),
            Column("monitor", "view", plainly, under="models", kind="name"),
            *(
                column
                for quality in QUALITIES
                for column in (
                    estimated(quality.column, quality.name),
                    estimated(f"{quality.column}_gain", "difference", signed),
                )
            ),
            *_claims(rows),
        ),
        frame=_wide(table),
        picture=Picture(
            "What each view catches",
            "Bars are 95% intervals. The full line is the view that shows everything, the dotted one chance; "
            "extract-and-evaluate has a diamond.",
            tuple(
                Drawing(
                    f"less-is-more-{quality.column.replace('_', '-')}",
                    quality.name,
                    partial(view_figure, table[table["metric"] == quality.column], quality, note),
                )
                for quality in QUALITIES
            ),
        ),
    )
    counts = tally(rows)
    names = {quality.column: quality.name for quality in QUALITIES}
    yield Exhibit(
        key="best-and-worst",
        title="How often each view is best, and worst",
        caption="Over data sets and judges; ties count for all." + _marked(rows),
        columns=(
            named("view", "view"),
            named("metric", "metric"),
            *(
                Column(name, heading, str)
                for name, heading in (
                    ("n_pairs", "tried"),
                    ("n_best", "best"),
                    ("n_worst", "worst"),
                    ("n_above_everything", "above cot_action"),
                )
            ),
        ),
        frame=counts.assign(metric=counts["metric"].map(names)),
    )


def _wide(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows by monitor, with the metrics side by side."""
    keys = [*CONDITION, "where", "judge", "monitor", "models", "monitor_id", "claim"]
    parts = []
    for quality in QUALITIES:
        part = rows[rows["metric"] == quality.column].set_index(keys)
        names = {
            "value": quality.column,
            "low": f"{quality.column}_low",
            "high": f"{quality.column}_high",
            **{f"gain{end}": f"{quality.column}_gain{end}" for end in ("", "_low", "_high", "_p")},
        }
        parts.append(part[[*names]].rename(columns=names).astype("float64"))
    return pd.concat(parts, axis="columns").reset_index()


def _gain_over_best(seen: Observations, filtered: bool, replicates: int, seed: int) -> Exhibit | None:
    if not _varies(seen, "side_task"):
        return None
    rows = gain_over_best(seen, filtered=filtered, replicates=replicates, seed=seed)
    names = {quality.column: quality.name for quality in QUALITIES}
    return _exhibit(
        rows.assign(metric=rows["metric"].map(names)),
        "gain-over-best",
        "Extract-and-evaluate against the best baseline of each side task",
        "Mean over side tasks of its metric minus that of the best of the four views, which is chosen anew "
        "for each side task in every replicate.",
        (
            MONITOR,
            named("metric", "metric"),
            Column("gain", "gain", signed, bounds=("low", "high")),
            Column("p", "p", decimal),
            Column("n_subgroups", "side tasks", str),
            named("best", "best baselines, and for how many side tasks"),
        ),
    )


def _evidence(seen: Observations, filtered: bool) -> Exhibit | None:
    return _exhibit(
        evidence(seen, filtered),
        "evidence",
        "What extractors quote",
        "Against the stretches that the environment knows to incriminate, and against its decoys, which only "
        "look like it. A mark is found if a quote shares a character with it.",
        (
            MONITOR,
            estimated("recall", "incriminating marks found", percent),
            estimated("run_recall", "attacks with one found", percent),
            estimated("decoy_rate", "decoys quoted", percent),
            estimated("precision", "quotes that incriminate", percent),
            estimated("not_found", "quotes not in the transcript", percent),
            Column("excerpts_per_attack", "quotes per attack", partial(decimal, places=1)),
            Column("excerpts_per_honest", "quotes per honest run", partial(decimal, places=1)),
            Column("n_marks", "marks", str),
        ),
    )


def _equal_budget(seen: Observations, filtered: bool, replicates: int, seed: int) -> Exhibit | None:
    return _exhibit(
        equal_budget(seen, None, filtered, replicates, seed),
        "equal-budget",
        "What the same money buys",
        "Each monitor is given as many draws as a budget for each run buys; the budget is one draw of the "
        "dearest. Where the store holds fewer draws than that, the monitor is measured on those.",
        (
            MONITOR,
            Column("budget", "budget per run", dollars),
            Column("n_affordable", "draws it buys", str),
            Column("n_draws", "draws used", str),
            Column("usd_per_trajectory", "spent", dollars),
            *(estimated(quality.column, quality.name) for quality in QUALITIES),
        ),
    )


def _composites(
    seen: Observations, filtered: bool, replicates: int, seed: int, base_rate: float
) -> Exhibit | None:
    rows = best_composite(seen, base_rate=base_rate, filtered=filtered, replicates=replicates, seed=seed)
    names = {quality.column: quality.name for quality in QUALITIES}
    return _exhibit(
        rows.assign(metric=rows["metric"].map(names)),
        "composites",
        "What combining monitors is worth",
        "Means, maxima, ranks and cascades of two monitors from stored verdicts. What is best is chosen on "
        "four fifths of the tasks and measured on the rest, five times over; so is the best single monitor. "
        f"A cascade’s cost is that of runs of which {percent(base_rate)} are attacks.",
        (
            named("metric", "metric"),
            Column("value", "composites", decimal, bounds=("low", "high")),
            Column("single", "single monitors", decimal),
            Column("difference", "difference", signed, bounds=("difference_low", "difference_high")),
            Column("p", "p", decimal),
            Column("usd_per_trajectory", "cost per run", dollars),
            Column("single_usd", "cost of a single one", dollars),
            Column("n_candidates", "candidates", str),
            named("chosen", "chosen, and in how many folds"),
            named("single_chosen", "single ones chosen"),
        ),
    )


def _transfer(seen: Observations, factor: str, filtered: bool) -> Exhibit | None:
    rows = transfer(seen, factor, ALLOWED, filtered)
    words = factor.replace("_", " ")
    return _exhibit(
        rows[rows["kind"] == "monitor"],
        f"transfer-{factor.replace('_', '-')}",
        f"Thresholds carried over: {words}",
        f"A threshold for a false-positive rate of {percent(ALLOWED)}, fitted where the first {words} holds "
        "and used where the second does: what was promised, and what came.",
        (
            MONITOR,
            named("source", "fitted on"),
            named("target", "used on"),
            Column("fpr_promised", "FPR promised", percent),
            estimated("fpr", "FPR that came", percent),
            Column("tpr_promised", "TPR promised", percent),
            estimated("tpr", "TPR that came", percent),
        ),
    )


def _audit(
    seen: Observations, filtered: bool, replicates: int, seed: int, base_rate: float
) -> Exhibit | None:
    rows = audit(seen, base_rate=base_rate, filtered=filtered, replicates=replicates, seed=seed)
    if rows.empty:
        return None
    keys = [*CONDITION, "monitor", "models", "kind", "monitor_id", "scripted_agents", "embedded_models"]
    parts, columns = [], []
    for budget, part in rows.groupby("budget"):
        stem = f"safety_{percent(float(str(budget))).removesuffix('%').replace('.', '_')}"
        names = {f"safety{end}": f"{stem}{end}" for end in ("", "_low", "_high")}
        parts.append(part.set_index(keys)[[*names]].rename(columns=names))
        columns.append(estimated(stem, f"{percent(float(str(budget)))} audited", percent))
    attacks = f"{percent(base_rate)} of the runs are attacks" if base_rate else "attacks are rare"
    table = pd.concat(parts, axis="columns").reset_index()
    ranks = table["kind"].map({"monitor": 0, "floor": 1, "oracle": 2})
    best = table.assign(rank=ranks).sort_values(["environment", "rank", stem], ascending=[True, True, False])
    return _exhibit(
        best.drop(columns="rank"),
        "audit",
        "What an audit budget catches",
        "Share of attacks caught if the most suspicious share of all runs is audited by somebody who cannot "
        f"be fooled, where {attacks}.",
        (MONITOR, named("kind", "kind"), *columns),
    )


def _time_to_detection(seen: Observations, filtered: bool) -> Exhibit | None:
    one_place = partial(decimal, places=1)
    return _exhibit(
        time_to_detection(seen, ALLOWED, filtered),
        "time-to-detection",
        "How soon attacks are flagged",
        "By monitors that look at a run step by step, at a threshold that at most "
        f"{percent(ALLOWED)} of honest runs ever reach.",
        (
            MONITOR,
            estimated("detected", "attacks flagged", percent),
            Column("fpr", "honest runs flagged", percent),
            Column("median_step", "median step", one_place),
            Column("median_share", "median share of the run", percent),
            Column("in_time", "by the first deed", percent),
            Column("median_lag", "median steps after it", one_place),
            Column("n_unread", "looks without a score", str),
        ),
    )


def _published(seen: Observations) -> Exhibit | None:
    """Figures of others, where some of our rows rest on the real data, agents and monitors."""
    judged = seen.frame.join(seen.monitors[["kind", "embedded"]], on="monitor")
    is_real = ~judged["scripted"] & ~judged["embedded"] & (judged["kind"] == "monitor")
    figures = published()
    rows = figures[figures["environment"].isin(judged.loc[is_real, "environment"].unique())]
    if rows.empty:
        return None
    return Exhibit(
        key="published",
        title="What published studies found on these data",
        caption="Their agents, monitors and prompts may differ from those measured here. Grade A stands in "
        "an abstract, grade B was read in the full text by others.",
        columns=(
            named("about", "figure"),
            named("environment", "data set"),
            named("metric", "metric"),
            named("value", "value"),
            named("source", "source"),
            named("grade", "grade"),
        ),
        frame=rows.assign(value=[_in_words(value) for value in rows["value"]]),
    )


def _in_words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {number}" for name, number in value.items())
    return str(value)


def _exhibit(
    rows: pd.DataFrame, key: str, title: str, caption: str, columns: Sequence[Column]
) -> Exhibit | None:
    """The rows with where they are from and what they may not be taken for; None if there are none."""
    if rows.empty:
        return None
    shown = (*_places(rows), *columns, *_claims(rows))
    return Exhibit(key, title, caption + _marked(rows), shown, _placed(rows))


def _places(rows: pd.DataFrame) -> tuple[Column, ...]:
    """A column of conditions, if there are several."""
    is_several = len(rows[CONDITION].drop_duplicates()) > 1
    return (named("where", "data set"),) if is_several else ()


def _placed(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with the names of their conditions, as short as they can be, and with what they may not claim."""
    conditions = rows[CONDITION].drop_duplicates()["environment"].value_counts()
    several = rows["environment"].map(conditions) > 1
    places = [
        ", ".join(filter(None, [place, in_words(*condition) if is_one_of_several else ""]))
        for (place, *condition), is_one_of_several in zip(
            rows[CONDITION].astype("str").itertuples(index=False, name=None), several, strict=True
        )
    ]
    marks = rows[["scripted_agents", "embedded_models"]].itertuples(index=False, name=None)
    return rows.assign(where=places, claim=[_claim(scripted, embedded) for scripted, embedded in marks])


def _claim(scripted: bool, embedded: bool) -> str:
    found = [name for name, holds in (("scripted agents", scripted), ("stand-in model", embedded)) if holds]
    return f"none: {' and '.join(found)}" if found else ""


def _marked(rows: pd.DataFrame) -> str:
    claimless = rows["scripted_agents"] | rows["embedded_models"]
    if not claimless.any():
        return ""
    if claimless.all():
        return " All rows rest on scripted agents or a stand-in model and carry no claim."
    return " Rows that rest on scripted agents or a stand-in model carry no claim."


def _claims(rows: pd.DataFrame) -> tuple[Column, ...]:
    """A column of what rows may not be taken for, where that tells them apart."""
    differs = len(rows[["scripted_agents", "embedded_models"]].drop_duplicates()) > 1
    return (named("claim", "claim"),) if differs else ()


def _varies(seen: Observations, factor: str) -> bool:
    return factor in seen.frame and seen.frame[factor].dropna().nunique() > 1
