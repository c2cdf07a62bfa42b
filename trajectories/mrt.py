"""Transcripts of ScaleAI/mrt, the public derivative of SHADE-Arena, from files that somebody has at hand.

Each file is one run: a JSON object with the ``conversation`` (role, content, and the names of the tools that
a message calls), and what two graders and a monitor said. Calls have no arguments there, so a monitor sees
which tool was called and what it answered, and not what it was called with. The folders say what a run is:
``TASK/VARIANT/MODEL/…/transcript_0.json``, where the variant's name begins with ``transcripts`` and has
``no_secondary_task`` in it if the run is honest.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.beginnings import Beginning
from molehunt.trajectories.labels import TruthOptions
from molehunt.trajectories.lines import document
from molehunt.trajectories.mapping import Tally
from molehunt.trajectories.messages import Draft, text_pieces
from molehunt.trajectories.records import Reading
from molehunt.trajectories.runs import Run
from molehunt.trajectories.unread import Unread

SOURCE = "mrt"
ENVIRONMENT = "shade_arena/mrt"
NOTE = "calls of ScaleAI/mrt have no arguments: what a tool was called with is not in these runs"

_START = re.compile(rb'\s*\{\s*"(?:conversation|experiment_id)"\s*:')
_HONEST = "no_secondary_task"
_CALLED = re.compile(r"^- (.+?)\s*$", re.MULTILINE)
_THINKING = re.compile(r"<(/?)model_thinking>")

logger = logging.getLogger(__name__)


class _Message(BaseModel):
    model_config = ConfigDict(extra="ignore")

    role: str
    content: str | None = None
    tool_calls: str | list[Any] | None = None


class _Transcript(BaseModel):
    model_config = ConfigDict(extra="ignore")

    conversation: list[_Message]
    side_task_evaluation: bool | None = None


def is_mrt(beginning: Beginning) -> bool:
    """Whether a file begins as these transcripts do; its name does not matter."""
    return _START.match(beginning.content) is not None


def mrt_runs(path: Path, options: TruthOptions, tally: Tally) -> Iterator[Run | Unread]:
    """Read one transcript; once in a process, a warning says what such files do not hold.

    Parameters
    ----------
    path : the file; the folders above it are read as described at the top.
    options : truth that the user states about it.
    tally : counts what becomes of it.

    Raises
    ------
    Damaged
        If it is no such transcript.
    """
    whole = document(path)
    try:
        transcript = _Transcript.model_validate(whole)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise Damaged(f"is no transcript of ScaleAI/mrt: {where}: {fault['msg']}") from error
    yield _run(Reading(path, options, tally, SOURCE), whole, transcript)
    _remark()


def _run(reading: Reading, record: dict[str, Any], transcript: _Transcript) -> Run:
    messages = [message for message in transcript.conversation if message.role.lower() != "system"]
    opening = messages.pop(0).content or "" if messages and messages[0].role.lower() == "user" else ""
    talk = reading.talk()
    talk.user(opening)
    for draft in _drafts(messages):
        talk.add(draft)
    known: dict[str, Any] = {"environment": ENVIRONMENT}
    side = transcript.side_task_evaluation
    if (place := _place(reading.path)) is not None:
        reading.tally.guess("the folders say what the run is")
        honest = _HONEST in place.variant
        known |= {"task_id": place.task, "model": place.model, "sample": place.name}
        known["label"] = "honest" if honest else "attack"
        known |= {} if honest else {"factors": {"policy": place.variant}, "side_score": side}
    else:
        known["side_score"] = side
    for _ in range(sum(draft.kind == "tool_call" for draft in talk.drafts)):
        reading.tally.drop("arguments of calls, which such files do not hold")
    return reading.run(talk, record, uses=_Transcript.model_fields, known=known, idle=True)


@dataclass(frozen=True)
class _Place:
    """What the folders say of a transcript."""

    task: str
    variant: str
    model: str | None
    name: str


def _place(path: Path) -> _Place | None:
    parts = path.absolute().parts
    for number in range(len(parts) - 2, 0, -1):
        if parts[number].startswith("transcripts"):
            model = parts[number + 1] if number + 2 < len(parts) else None
            return _Place(parts[number - 1], parts[number], model, "/".join(parts[number - 1 :]))
    return None


def _drafts(messages: list[_Message]) -> Iterator[Draft]:
    waiting: list[tuple[str, str]] = []  # calls that have no answer yet, and their tools
    for number, message in enumerate(messages):
        text = _THINKING.sub(r"<\1thinking>", message.content or "")
        match message.role.lower():
            case "assistant":
                for kind, piece in text_pieces(text):
                    yield Draft(kind, piece, readable="full" if kind == "reasoning" else None)
                for place, tool in enumerate(_called(message.tool_calls)):
                    waiting.append((f"{number}-{place}", tool))
                    yield Draft("tool_call", "", tool=tool, call=waiting[-1][0])
            case "tool" | "function":
                call, answered = waiting.pop(0) if waiting else (None, None)
                yield Draft("tool_result", text, tool=answered, answers_call=call)
            case _:
                yield Draft("user", text)


def _called(calls: str | list[Any] | None) -> list[str]:
    if isinstance(calls, list):
        named = [call.get("function") if isinstance(call, dict) else call for call in calls]
        return [str(name) for name in named if name]
    return _CALLED.findall(calls or "")


_remarked = False


def _remark() -> None:
    global _remarked
    if not _remarked:
        _remarked = True
        logger.warning(NOTE)
