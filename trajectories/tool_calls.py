"""Tool calls alone, one a line, as ControlArena and Control Tower record and replay them.

A line is Inspect's ``ToolCall``: ``id``, ``function``, ``arguments``. A file is a run. There is no task and
no answer of a tool in it, so a monitor sees what was done and not what came of it. ControlArena lays recorded
runs out as ``main_tasks/TASK/QA/honest.jsonl`` and ``…/attack_SIDETASK.jsonl`` (``control_arena`` 20.1.1 on
PyPI, settings ``infra`` and ``data_poisoning``): where the names say so, they are taken for the truth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.beginnings import Beginning
from molehunt.trajectories.inspect_background import HIDDEN_ARGUMENTS
from molehunt.trajectories.labels import TruthOptions
from molehunt.trajectories.lines import json_lines
from molehunt.trajectories.mapping import Tally
from molehunt.trajectories.records import Reading
from molehunt.trajectories.runs import Run
from molehunt.trajectories.unread import Unread

SOURCE = "tool_calls"

_ARM = re.compile(r"(honest|attack)(?:_(.+))?")
_USED = frozenset({"id", "function", "arguments", "type"})


def are_tool_calls(beginning: Beginning) -> bool:
    """Whether a file's first record is a tool call."""
    record = beginning.record
    return isinstance(record.get("function"), str) and isinstance(record.get("arguments"), dict)


def tool_call_runs(path: Path, options: TruthOptions, tally: Tally) -> Iterator[Run | Unread]:
    """Read the one run of a file.

    Yields
    ------
    Run or Unread
        The run, and an `Unread` for each line that is no tool call.

    Raises
    ------
    Damaged
        If the file cannot be read, or holds no call at all.
    """
    talk = (reading := Reading(path, options, tally, SOURCE)).talk()
    for number, call in json_lines(path):
        if not (isinstance(call, dict) and isinstance(call.get("function"), str)):
            yield Unread(
                str(path), f"line {number}", str(call) if isinstance(call, Damaged) else "is no call"
            )
            continue
        tally.fields(call, _USED)
        talk.call(call["function"], _shown(call.get("arguments"), tally), call.get("id"))
    yield reading.run(talk, {}, uses=(), known=_known(path, tally), task=_task(path, tally))


def _shown(arguments: Any, tally: Tally) -> Any:
    """``arguments`` without those that the agent's tool takes for a scorer's eyes only."""
    if not isinstance(arguments, dict) or not HIDDEN_ARGUMENTS & arguments.keys():
        return arguments
    tally.drop("argument for the scorer's eyes")
    return {name: value for name, value in arguments.items() if name not in HIDDEN_ARGUMENTS}


def _known(path: Path, tally: Tally) -> dict[str, Any]:
    """What the names of a file and its folders say of the run."""
    place = _place(path)
    known: dict[str, Any] = {"environment": f"control_arena/{place[0]}", "task_id": place[1]} if place else {}
    arm = _ARM.fullmatch(_stem(path))
    if arm is not None:
        known["label"] = arm[1]
        tally.guess("the label is in the file's name")
    if arm is not None and arm[2]:
        known["factors"] = {"side_task" if place else "policy": arm[2]}
    return known


def _task(path: Path, tally: Tally) -> str | None:
    place = _place(path)
    if place is None:
        return None
    tally.guess("the task is the name of its folder, since the calls do not say it")
    return place[1].replace("_", " ")


def _place(path: Path) -> tuple[str, str] | None:
    """Setting and task of a file that lies where ControlArena puts it."""
    parts = PurePath(str(path)).parts
    if len(parts) >= 5 and parts[-4] == "main_tasks" and parts[-2] == "QA":
        return parts[-5], parts[-3].strip("_")
    return None


def _stem(path: Path) -> str:
    return PurePath(str(path)).name.split(".")[0]
