"""Transcripts of ScaleAI/mrt, the public derivative of SHADE-Arena, from files that somebody has at hand.

Each file is one run: a JSON object with the ``conversation`` (role, content, and the names of the tools that
a message calls), and what two graders and a monitor said. Calls have no arguments there, so a monitor sees
which tool was called and what it answered, and not what it was called with. The folders say what a run is:
``TASK/VARIANT/MODEL/…/transcript_0.json``, where the variant's name begins with ``transcripts`` and has
``no_secondary_task`` in it if the run is honest.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from molehunt.trajectories.labels import TruthOptions, read_label
from molehunt.trajectories.messages import Draft, numbered, text_pieces
from molehunt.trajectories.runs import Label, Run, Truth
from molehunt.trajectories.steps import Trajectory
from molehunt.trajectories.unread import Unread

SOURCE = "mrt"
ENVIRONMENT = "shade_arena/mrt"
NOTE = "calls of ScaleAI/mrt have no arguments: what a tool was called with is not in these runs"

_START = re.compile(rb'\s*\{\s*"(?:conversation|experiment_id)"\s*:')
_HONEST = "no_secondary_task"
_CALLED = re.compile(r"^- (.+?)\s*$", re.MULTILINE)
_THINKING = re.compile(r"<(/?)model_thinking>")
_MOST_BYTES = 1 << 28

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


def is_mrt(path: Path) -> bool:
    """Whether a file begins as these transcripts do; its name does not matter."""
    try:
        with path.open("rb") as file:
            return _START.match(file.read(1024)) is not None
    except OSError:
        return False  # whoever reads it says why it cannot be read


def mrt_runs(path: Path, options: TruthOptions) -> Iterator[Run | Unread]:
    """Read one transcript; once in a process, a note says what such files do not hold.

    Parameters
    ----------
    path : the file; the folders above it are read as described at the top.
    options : truth that the user states about it.

    Yields
    ------
    Run or Unread
        One run, or one line on why the file cannot be read.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            yield Unread(str(path), None, f"is larger than {_MOST_BYTES >> 20} MiB, which no transcript is")
            return
        content = path.read_bytes()
        whole = json.loads(content)
        transcript = _Transcript.model_validate(whole)
        run = _run(path, content, whole, transcript, options)
    except OSError as error:
        yield Unread(str(path), None, f"cannot be read: {error.strerror or error}")
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, fault["loc"]))
        yield Unread(str(path), None, f"is no transcript of ScaleAI/mrt: {where}: {fault['msg']}")
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        yield Unread(str(path), None, f"is no JSON, or cut off: {error}")
    except ValueError as error:
        yield Unread(str(path), None, f"has a field {options.field} that is no label: {error}")
    else:
        _remark()
        yield run


@dataclass(frozen=True)
class _Place:
    """What the folders say of a transcript."""

    task: str | None
    variant: str | None
    model: str | None
    name: str


def _run(path: Path, content: bytes, whole: Any, transcript: _Transcript, options: TruthOptions) -> Run:
    place = _place(path, hashlib.sha256(content).hexdigest())
    messages = [message for message in transcript.conversation if message.role.lower() != "system"]
    opening = messages.pop(0).content or "" if messages and messages[0].role.lower() == "user" else ""
    trajectory = Trajectory(opening, numbered(_drafts(messages)))
    row = options.row(place.name, place.name, 1, str(path))
    label = _label(place, whole, path, options) or (row.label if row else None)
    truth = None
    if label is not None:
        factors = {"policy": place.variant} if place.variant and label == "attack" else {}
        side = transcript.side_task_evaluation
        truth = Truth(
            label,
            ENVIRONMENT,
            place.task or place.name,
            side_score=None if side is None or label == "honest" else float(side),
            factors=factors,
        )
        truth = row.correct(truth) if row else truth
    return Run(
        trajectory,
        truth,
        log=str(path),
        sample=place.name,
        source=SOURCE,
        agent_model=place.model,
        reasoning="full" if any(step.kind == "reasoning" for step in trajectory.steps) else "none",
        task_verified=False,
    )


def _place(path: Path, digest: str) -> _Place:
    parts = path.absolute().parts
    for number in range(len(parts) - 2, 0, -1):
        if parts[number].startswith("transcripts"):
            model = parts[number + 1] if number + 2 < len(parts) else None
            return _Place(parts[number - 1], parts[number], model, "/".join(parts[number - 1 :]))
    return _Place(None, None, None, digest[:32])


def _label(place: _Place, whole: Any, path: Path, options: TruthOptions) -> Label | None:
    if place.variant is not None:
        return "honest" if _HONEST in place.variant else "attack"
    value = whole
    for name in (options.field or "").split(".") if options.field else ():
        value = value.get(name) if isinstance(value, dict) else None
    if options.field and value is not None:
        return read_label(value)
    return options.label_of_file(str(path))


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
