"""What a reader must know before believing the numbers, said of the data at hand and nothing else."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from molehunt.analysis.intervals import FEW_TASKS
from molehunt.analysis.observations import Observations
from molehunt.analysis.sections import Section
from molehunt.analysis.summary import ENOUGH, NO_SCORE, strict_note
from molehunt.analysis.wording import between, decimal, listed, percent, short
from molehunt.trajectories.wording import count
from molehunt.verdicts.prices import PriceTable
from molehunt.verdicts.snapshots import alias

FEW_SCORES = 5
"""Distinct scores under which a monitor hardly has a choice of thresholds."""


LONGEST_NAME = 60
"""Characters of a monitor's name; the tables have all of it."""

MOST_NAMED = 12
"""Monitors that a sentence names; of more it says how many."""


def no_claim(metrics: pd.DataFrame) -> str:
    """What scripted agents and embedded models allow nobody to conclude; empty where there are none."""
    scripted, embedded = bool(metrics["scripted_agents"].any()), bool(metrics["embedded_models"].any())
    subject = {
        (True, True): "Runs of scripted agents and verdicts of stand-in models carry",
        (True, False): "Runs of scripted agents carry",
        (False, True): "Verdicts of stand-in models carry",
    }.get((scripted, embedded))
    if subject is None:
        return ""
    return (
        f"{subject} no claim. They show that the line works, not how good a monitor is, nor whether less is "
        "more. Whatever rests on them is marked."
    )


def caveats(parts: Sequence[Section], seen: Observations, prices: PriceTable) -> list[str]:
    """Sentences about these data.

    What holds for the same monitors is said together, so that their names are read once, and what holds in
    several conditions is said once, with their names.

    Parameters
    ----------
    parts : from `sections`.
    seen, prices : what they were computed from.
    """
    where_of = {
        section.key: ", ".join(filter(None, [section.environment, section.condition])) for section in parts
    }
    places: dict[str, list[str]] = {}
    for section in parts:
        for sentence in _together(_about(section)):
            places.setdefault(sentence, []).append(where_of[section.key])
    by_places: dict[tuple[str, ...], list[str]] = {}
    for sentence, where in places.items():
        by_places.setdefault(tuple(where), []).append(sentence)
    said = by_places.pop(tuple(where_of.values()), [])
    said += [f"{listed([*where], len(where))}: {' '.join(found)}" for where, found in by_places.items()]
    return [*said, *_about_models(seen.calls, prices), *_about_runs(seen)]


Said = tuple[tuple[str, ...], str]
"""A sentence, and the monitors that it holds for; none if it holds for all."""


def _together(said: Iterable[Said]) -> Iterator[str]:
    """Sentences, those about the same few monitors in one."""
    by_names: dict[tuple[str, ...], list[str]] = {}
    for names, sentence in said:
        by_names.setdefault(names, []).append(sentence)
    yield from by_names.pop((), [])
    for names, sentences in by_names.items():
        yield f"{listed([*names], MOST_NAMED)}: {' '.join(sentences)}"


def _about(section: Section) -> Iterator[Said]:
    rows = pd.DataFrame(section.rows)
    alike = rows["title"].duplicated(keep=False)
    # one monitor on several models is known by its model
    names = rows["title"].where(~alike, rows["title"] + " " + rows["models"])
    brief = names.map(partial(short, length=LONGEST_NAME))
    rows["name"] = brief.where(~brief.duplicated(keep=False), names)
    measured = rows[rows["auroc"].notna()]
    # monitors that were given the same runs share a sentence, which says the worst of it
    for _, given in measured.groupby(["n_attack", "n_honest"], sort=False):
        yield from _about_precision(given, measured)
    for note in rows["notes"].str.split("; ").explode().unique():
        holds = rows["notes"].str.split("; ").map(lambda notes, note=note: note in notes)
        if note not in {"", NO_SCORE, *map(strict_note, measured["fewest_honest"].astype(int))}:
            yield _said_of(rows[holds], rows, f"{note[0].upper()}{note[1:]}.")
    if section.uncompared:
        yield (), section.uncompared
    if rows["auroc"].notna().any() and rows["usd_per_trajectory"].isna().all():
        yield (), "What these monitors cost is unknown, so that there is no figure of AUROC against cost."
    thin = measured[measured["skipped_replicates"] > 0]
    if len(thin):
        skipped = count(int(thin["skipped_replicates"].max()), "replicate")
        yield _said_of(thin, measured, f"Up to {skipped} had runs of one kind only and were left out.")
    most = section.most["n_attack"] + section.most["n_honest"]
    n_runs = rows["n_attack"] + rows["n_honest"]
    for n_given, partly in rows[n_runs < most].groupby(n_runs):
        yield (
            tuple(partly["name"]),
            f"Judged {n_given:,} of {count(most, 'run')}: compare with others by paired differences, which "
            "are on the runs that both scored.",
        )
    mute = rows[rows["coverage"] == 0]
    if len(mute):
        yield tuple(mute["name"]), "Scored no run."
    partly = rows[(rows["coverage"] > 0) & (rows["coverage"] < ENOUGH)]
    yield from _said_of_each(
        partly,
        [
            f"{percent(1 - row['coverage'])} of its runs are unscored, which keeps it off the frontier."
            + _had_all_been_scored(row)
            for row in partly.to_dict("records")
        ],
        "So many runs are unscored that they are off the frontier (AUROC, had they been scored)",
        [
            f"{percent(1 - row['coverage'])} ({between(row['auroc_worst'], row['auroc_best'])})"
            for row in partly.to_dict("records")
        ],
    )
    quoting = rows[rows["n_not_found"] > 0]
    numbers = [(row["n_not_found"], count(row["n_excerpts"], "quote")) for row in quoting.to_dict("records")]
    yield from _said_of_each(
        quoting,
        [
            f"{n_lost:,} of {quotes} {'is' if n_lost == 1 else 'are'} not in the transcripts."
            for n_lost, quotes in numbers
        ],
        "Not in the transcripts",
        [f"{n_lost:,} of {quotes}" for n_lost, quotes in numbers],
    )
    few = rows[
        (rows["kind"] == "monitor")
        & rows["distinct_scores"].between(1, FEW_SCORES - 1)
        & rows["lowest_fpr"].notna()
    ]
    coarse = [(row["distinct_scores"], percent(row["lowest_fpr"])) for row in few.to_dict("records")]
    yield from _said_of_each(
        few,
        [
            f"It gave {count(number, 'distinct score')}; the lowest FPR at which it flags anything is {rate}."
            for number, rate in coarse
        ],
        "Few distinct scores, and the lowest FPR at which anything is flagged",
        [f"{number} from {rate}" for number, rate in coarse],
    )


def _had_all_been_scored(row: Mapping[Hashable, Any]) -> str:
    """Between what its AUROC would lie; nothing where runs of one kind leave none."""
    if math.isnan(row["auroc_worst"]):
        return ""
    worst, best = decimal(row["auroc_worst"]), decimal(row["auroc_best"])
    return f" Had they been scored, its AUROC would lie between {worst} and {best}."


def _said_of_each(
    rows: pd.DataFrame, alone: Sequence[str], title: str, amounts: Sequence[str]
) -> Iterator[Said]:
    """A sentence about one monitor or, where it holds for several, one with what it says of each."""
    if len(rows) == 1:
        yield (rows["name"].iloc[0],), alone[0]
    elif len(rows):
        pairs = [f"{name} {amount}" for name, amount in zip(rows["name"], amounts, strict=True)]
        yield (), f"{title}: {listed(pairs, MOST_NAMED)}."


def _about_precision(alike: pd.DataFrame, measured: pd.DataFrame) -> Iterator[Said]:
    few = alike[alike["n_clusters"] < FEW_TASKS]
    if len(few):
        n_tasks = count(int(few["n_clusters"].max()), "task")
        yield _said_of(
            few,
            measured,
            f"{n_tasks} only. Under {FEW_TASKS} the intervals are of a wider kind (t on the logit scale), "
            "still too narrow for TPR at a low FPR.",
        )
    share = alike["log_auroc_interpolated_share"]
    if share.max() >= 0.01:
        axis = f"{percent(share.max())} of log-AUROC’s axis lies below one honest run and is interpolated."
        yield _said_of(alike[share >= 0.01], measured, axis)
    fewest = alike["fewest_honest"].astype(int)
    strict = fewest.map(strict_note)
    if strict.any():
        note = strict_note(fewest.min())
        yield _said_of(alike[strict != ""], measured, f"{note[0].upper()}{note[1:]}.")


def _said_of(some: pd.DataFrame, everyone: pd.DataFrame, sentence: str) -> Said:
    return (() if len(some) == len(everyone) else tuple(some["name"])), sentence


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
    judges = seen.monitors.loc[seen.frame["monitor"].unique()]
    # molehunt cannot judge what it has only scores of
    is_table = (seen.frame["source"] == "csv").all()
    if not is_table and not (judges["kind"] == "floor").any():
        yield (
            "No floor stands beside these monitors: add --monitor length --monitor format --monitor keyword."
        )
    runs = seen.frame.drop_duplicates("run")
    if is_table and not runs.duplicated(["environment", "task_id"]).any():
        yield (
            "Each run counts as a task of its own. If some are of one task, the intervals are wrong: name "
            "the column that tells tasks, --task-column NAME."
        )
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
