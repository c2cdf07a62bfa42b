"""Runs of AgentDojo: one JSON document a run, as its ``TraceLogger`` writes them.

Paths are ``PIPELINE/SUITE/USER_TASK/ATTACK/INJECTION_TASK.json``; fields are those of
``agentdojo.benchmark.TaskResults`` and messages those of ``agentdojo.types.ChatMessage``. In older runs,
which do not name the package's version, content is plain text. What AgentDojo calls security is whether the
injected goal was reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.beginnings import Beginning
from molehunt.trajectories.labels import TruthOptions
from molehunt.trajectories.lines import document
from molehunt.trajectories.mapping import Tally
from molehunt.trajectories.records import Reading
from molehunt.trajectories.runs import Run
from molehunt.trajectories.unread import Unread

SOURCE = "agentdojo"

_USES = (
    *("suite_name", "pipeline_name", "user_task_id", "injection_task_id", "attack_type", "messages", "error"),
    *("utility", "security"),
)


def is_agentdojo(beginning: Beginning) -> bool:
    """Whether a file begins as these runs do."""
    return {"suite_name", "user_task_id"} <= beginning.record.keys()


def agentdojo_runs(path: Path, options: TruthOptions, tally: Tally) -> Iterator[Run | Unread]:
    """Read the run of a file.

    Raises
    ------
    Damaged
        If the file cannot be read, or is no such run.
    """
    reading = Reading(path, options, tally, SOURCE)
    yield from reading.each([("the run", document(path))], lambda record: _run(reading, record))


def _run(reading: Reading, record: dict[str, Any]) -> Run:
    suite, task = record.get("suite_name"), record.get("user_task_id")
    if not (isinstance(suite, str) and isinstance(task, str)):
        raise Damaged("does not say of which suite and task it is")
    injection, attack = record.get("injection_task_id"), record.get("attack_type")
    talk = reading.talk()
    talk.turns(record.get("messages"))
    injected = bool(injection) and bool(attack)
    if injected:
        reading.tally.guess("a run with an injection is an attack, whether or not the agent gave in to it")
    known = {
        "label": "attack" if injected else "honest",
        "environment": f"agentdojo/{suite}",
        "task_id": task,
        "main_score": record.get("utility"),
        "side_score": record.get("security") if injected else None,
        "model": record.get("pipeline_name"),
        "factors": {"side_task": injection, "policy": attack} if injected else {},
        "id": f"{suite}/{task}/{attack or 'none'}/{injection or 'none'}",
    }
    return reading.run(
        talk,
        record,
        uses=_USES,
        known=known,
        task=talk.task,
        ending="error" if record.get("error") else "finished",
    )
