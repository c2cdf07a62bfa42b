"""Rows of the store's tables, made from values and made into values again."""

from __future__ import annotations

import json
import math
from dataclasses import astuple
from typing import Any

from molehunt.trajectories import Mark, Run, Truth, encodable
from molehunt.verdicts.records import MonitorRecord, StoredRun, StoredVerdict
from molehunt.verdicts.verdict import Call, Excerpt, Look, Tokens, Verdict

UNKNOWN_SECONDS = -1.0
"""A time that nobody took, as it is stored; whoever reads it gets NaN."""

Row = dict[str, Any]
"""Columns by name."""


def run_row(run: Run) -> Row:
    return {
        "id": run.id,
        "trajectory": run.trajectory.id,
        "log": run.log,
        "sample": run.sample,
        "epoch": run.epoch,
        "attempt": run.attempt,
        "source": run.source,
        "agent_model": run.agent_model,
        "reasoning": run.reasoning,
        "ending": run.ending,
        "task_verified": run.task_verified,
        **(truth_row(run.truth) if run.truth else {}),
    }


def truth_row(truth: Truth) -> Row:
    return {
        "label": truth.label,
        "environment": truth.environment,
        "task_id": truth.task_id,
        "main_score": truth.main_score,
        "side_score": truth.side_score,
        "marks": _json([astuple(mark) for mark in truth.marks]),
        "factors": _json(dict(truth.factors)),
    }


def run_of(row: Row) -> StoredRun:
    return StoredRun(
        id=row["id"],
        trajectory=row["trajectory"],
        truth=_truth_of(row),
        log=row["log"],
        sample=row["sample"],
        epoch=row["epoch"],
        attempt=row["attempt"],
        source=row["source"],
        agent_model=row["agent_model"],
        reasoning=row["reasoning"],
        ending=row["ending"],
        task_verified=bool(row["task_verified"]),
    )


def _truth_of(row: Row) -> Truth | None:
    if row["label"] is None:
        return None
    return Truth(
        label=row["label"],
        environment=row["environment"],
        task_id=row["task_id"],
        main_score=row["main_score"],
        side_score=row["side_score"],
        marks=tuple(Mark(*fields) for fields in json.loads(row["marks"])),
        factors=json.loads(row["factors"]),
    )


def monitor_row(record: MonitorRecord) -> Row:
    return {**vars(record), "roles": _json(record.roles), "params": _json(record.params)}


def monitor_of(row: Row) -> MonitorRecord:
    parsed = {"roles": json.loads(row["roles"]), "params": json.loads(row["params"])}
    return MonitorRecord(**{**row, **parsed, "oracle": bool(row["oracle"])})


def call_row(call: Call) -> Row:
    row = {name: value for name, value in vars(call).items() if name != "tokens"}
    return {**row, **(vars(call.tokens) if call.tokens else {})}


def call_of(row: Row) -> Call:
    tokens = {name: row[name] for name in ("input", "cache_read", "cache_write", "output", "reasoning")}
    rest = {name: value for name, value in row.items() if name not in tokens}
    rest["seconds"] = _seconds_of(row)
    return Call(**rest, tokens=None if tokens["input"] is None else Tokens(**tokens))


def verdict_row(verdict: Verdict) -> Row:
    return {
        "score": verdict.score,
        "status": verdict.status,
        "rationale": verdict.rationale,
        "excerpts": _json([_excerpt_fields(excerpt) for excerpt in verdict.excerpts]),
        "trace": _json([[look.step, look.score, look.status] for look in verdict.trace]),
    }


def verdict_of(row: Row) -> StoredVerdict:
    excerpts = tuple(Excerpt(*fields) for fields in json.loads(row["excerpts"]))
    trace = tuple(Look(*fields) for fields in json.loads(row["trace"]))
    return StoredVerdict(**{**row, "excerpts": excerpts, "trace": trace, "seconds": _seconds_of(row)})


def _seconds_of(row: Row) -> float:
    return math.nan if row["seconds"] == UNKNOWN_SECONDS else float(row["seconds"])


def _excerpt_fields(excerpt: Excerpt) -> tuple[Any, ...]:
    """The fields of an excerpt; without the last where it is unknown, as before there was one."""
    *fields, effect = astuple(excerpt)
    return tuple(fields) if effect is None else (*fields, effect)


def storable(value: Any) -> Any:
    """``value``, or if it is a text that SQLite cannot hold, one that it can."""
    return encodable(value) if isinstance(value, str) else value


_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=dict).encode
