"""Judgements of others into a store: each once, however often it is brought in."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from molehunt.trajectories import Run
from molehunt.verdicts.others.judgements import Judgement, Spent, check_scales
from molehunt.verdicts.records import MonitorRecord, StoredRun
from molehunt.verdicts.rows import UNKNOWN_SECONDS
from molehunt.verdicts.store import Store
from molehunt.verdicts.verdict import Call, Look, Verdict

SOURCE = "imported"
"""What monitors that others ran have in place of a paper."""


@dataclass(frozen=True)
class Scored:
    """What came of one monitor: verdicts that are new or were there, and new ones without a score."""

    monitor: str
    new: int
    before: int
    unscored: int


def store_scores(store: Store, judged: Iterable[tuple[Run | StoredRun, list[Judgement]]]) -> list[Scored]:
    """Store judgements as verdicts of monitors that are named after their source.

    A verdict rests on calls whose tokens are those that the source counted; where it counted none they are
    unknown, and so is what the verdict cost. Several verdicts of one monitor on equal trajectories are draws.

    Parameters
    ----------
    store : open for writing; the runs are in it.
    judged : runs with what was said of them.

    Raises
    ------
    Problem
        Before anything is stored, if a score is not on its monitor's scale.

    Returns
    -------
    list of Scored, by monitor.
    """
    pairs = list(judged)
    by_monitor: dict[str, list[Judgement]] = {}
    for _, judgements in pairs:
        for judgement in judgements:
            by_monitor.setdefault(judgement.monitor, []).append(judgement)
    check_scales(by_monitor)
    known = {link.call for link in store.verdict_calls()}
    draws = Counter((verdict.trajectory, verdict.monitor) for verdict in store.verdicts())
    made: dict[str, Counter[str]] = {}
    for run, judgements in pairs:
        trajectory = run.trajectory if isinstance(run, StoredRun) else run.trajectory.id
        for judgement in judgements:
            record = _record(judgement)
            store.add_monitor(record)
            title = f"{record.spec} [{record.models}]" if record.models else record.spec
            counts = made.setdefault(title, Counter())
            calls = _calls(judgement, record, run.id, trajectory)
            if calls[0].key in known:
                counts["before"] += 1
                continue
            verdict = _verdict(judgement)
            place = (trajectory, record.id)
            for call in calls:
                store.add_call(call)
            times = [call.seconds for call in calls]
            seconds = UNKNOWN_SECONDS if UNKNOWN_SECONDS in times else sum(times)
            store.add_verdict(*place, draws[place], verdict, [call.key for call in calls], seconds)
            draws[place] += 1
            counts["new"] += 1
            counts["unscored"] += verdict.score is None
    return [Scored(title, n["new"], n["before"], n["unscored"]) for title, n in made.items()]


def _record(judgement: Judgement) -> MonitorRecord:
    params = {"scale": [judgement.scale.low, judgement.scale.high]}
    content = json.dumps([SOURCE, judgement.monitor, judgement.models, params], sort_keys=True)
    return MonitorRecord(
        id=hashlib.sha256(content.encode()).hexdigest()[:32],
        name=judgement.monitor,
        spec=judgement.monitor,
        models=judgement.models,
        roles={"monitor": {"model": judgement.models, "config": {}}} if judgement.models else {},
        answer="",
        source=SOURCE,
        params=params,
    )


def _calls(judgement: Judgement, record: MonitorRecord, run: str, trajectory: str) -> list[Call]:
    calls = []
    for place, spent in enumerate(judgement.spent or (Spent(),)):
        key = json.dumps([record.id, run, trajectory, judgement.draw, place])
        # without a model its price can be given as that of the monitor's name
        model = spent.model or judgement.monitor
        calls.append(
            Call(
                hashlib.sha256(key.encode()).hexdigest()[:32],
                role="monitor",
                asked=model,
                answered=model,
                tokens=spent.tokens,
                seconds=UNKNOWN_SECONDS if spent.seconds is None else spent.seconds,
            )
        )
    return calls


def _verdict(judgement: Judgement) -> Verdict:
    scale = judgement.scale
    trace = tuple(
        Look(step, None, "unreadable") if score is None else Look(step, scale.unit(score), "scored")
        for step, score in judgement.trace
    )
    if judgement.score is None:
        return Verdict(None, "unreadable", judgement.rationale, trace=trace)
    return Verdict(scale.unit(judgement.score), "scored", judgement.rationale, trace=trace)
