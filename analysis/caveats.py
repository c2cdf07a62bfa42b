"""What a reader must know before believing the numbers, said of the data at hand and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from molehunt.analysis.intervals import FEW_TASKS
from molehunt.analysis.observations import Observations
from molehunt.analysis.summary import ENOUGH, strict_note
from molehunt.analysis.wording import count, decimal, listed, percent
from molehunt.verdicts.prices import PriceTable
from molehunt.verdicts.snapshots import alias

FEW_SCORES = 5


def no_claim(metrics: pd.DataFrame) -> str:
    """What scripted agents and embedded models allow nobody to conclude; empty where there are none."""
    scripted, embedded = bool(metrics["scripted_agents"].any()), bool(metrics["embedded_models"].any())
    subject = {
        (True, True): "Runs of the scripted saboteur and verdicts of the embedded model carry",
        (True, False): "Runs of the scripted saboteur carry",
        (False, True): "Verdicts of the embedded model carry",
    }.get((scripted, embedded))
    if subject is None:
        return ""
    return (
        f"{subject} no claim. They show that the line works, not how good a monitor is, nor whether less is "
        "more. Whatever rests on them is marked."
    )


def caveats(metrics: pd.DataFrame, seen: Observations, prices: PriceTable) -> list[str]:
    """Sentences about these data.

    Parameters
    ----------
    metrics : from `summarise`.
    seen, prices : what it was computed from.
    """
    overall = metrics[metrics["by"] == ""].assign(
        title=lambda rows: seen.monitors["title"].reindex(rows["monitor_id"]).to_numpy()
    )
    return [
        *_about_conditions(overall),
        *_about_monitors(overall),
        *_about_models(seen.calls, prices),
        *_about_runs(seen),
    ]


def _about_conditions(overall: pd.DataFrame) -> Iterator[str]:
    for environment, rows in overall.groupby("environment", sort=False):
        n_tasks = rows["n_clusters"].max()
        if n_tasks < FEW_TASKS:
            yield (
                f"{environment} has {count(int(n_tasks), 'task')} only. Under {FEW_TASKS} the intervals are "
                "of a wider kind (t on the logit scale), still too narrow for TPR at a low FPR."
            )
        share = rows["log_auroc_interpolated_share"].max()
        if share >= 0.01:
            yield (
                f"{percent(share)} of log-AUROC’s axis in {environment} lies below one honest run, where the "
                "curve is interpolated."
            )
        fewest = rows["fewest_honest"].dropna()
        strict = {strict_note(int(number)) for number in fewest}
        notes = [note for note in rows["notes"].str.split("; ").explode().unique() if note not in strict]
        for note in filter(None, [*notes, strict_note(int(fewest.min())) if len(fewest) else ""]):
            yield f"{environment}: {note}."


def _about_monitors(overall: pd.DataFrame) -> Iterator[str]:
    for row in overall[overall["coverage"] < ENOUGH].to_dict("records"):
        yield (
            f"{row['title']} left {percent(1 - row['coverage'])} of its runs unscored and is off the "
            f"frontier. Had they been scored, its AUROC would lie between {decimal(row['auroc_worst'])} and "
            f"{decimal(row['auroc_best'])}."
        )
    coarse = overall[(overall["distinct_scores"] < FEW_SCORES) & (overall["kind"] == "monitor")]
    for row in coarse.to_dict("records"):
        yield (
            f"{row['title']} gave {count(row['distinct_scores'], 'distinct score')}; the lowest FPR at which "
            f"it flags anything is {percent(row['lowest_fpr'])}."
        )
    for row in overall[overall["skipped_replicates"] > 0].to_dict("records"):
        yield (
            f"{count(int(row['skipped_replicates']), 'replicate')} of {row['title']} had runs of one kind "
            "only and were left out."
        )


def _about_models(calls: pd.DataFrame, prices: PriceTable) -> Iterator[str]:
    pairs = calls[["asked", "answered"]].drop_duplicates()
    unpriced = [
        asked
        for asked, answered in pairs.itertuples(index=False)
        if prices.find(answered) is None and prices.find(asked) is None
    ]
    for model in dict.fromkeys(unpriced):
        yield f"The price of {model} is unknown, and so is what it cost. Give --price '{model}=IN,OUT'."
    unmetered = calls["input"].isna()
    if unmetered.any():
        names = sorted(calls.loc[unmetered, "asked"].unique())
        yield f"{count(int(unmetered.sum()), 'call')} of {listed(names)} came back without token counts."
    for asked, rows in pairs.groupby("asked", sort=False):
        answered = sorted(name for name in rows["answered"] if name)
        if len(answered) > 1:
            yield f"{asked} was answered by several models: {listed(answered)}."
        others = [name for name in answered if _bare(name) != _bare(str(asked))]
        if others:
            yield f"{asked} was asked for, and {listed(others)} answered."


def _about_runs(seen: Observations) -> Iterator[str]:
    runs = seen.frame.drop_duplicates("run")
    unverified = runs[runs["unverified"]]
    if len(unverified):
        yield (
            f"Of {count(len(unverified), 'run')} nobody has said whether the attack succeeded or the job was "
            "done; they are counted."
        )
    guessed = int((~runs["task_verified"]).sum())
    if guessed:
        yield (
            f"In {count(guessed, 'run')} the main task was guessed from the opening user turn, which may "
            "give the side task away."
        )
    if seen.n_unlabelled:
        yield f"Of {count(seen.n_unlabelled, 'run')} nobody has said what they are; they are left out."


def _bare(model: str) -> str:
    return alias(model.strip().lower()).rpartition("/")[2]
