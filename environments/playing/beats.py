"""Turns of an agent: planned with gaps for what it will have seen, and played once it has."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from molehunt.environments.playing.marking import plain, quotes
from molehunt.trajectories.messages import THINK
from molehunt.trajectories.steps import call_text


@dataclass(frozen=True)
class ToolUse:
    """A call of a tool; texts in its arguments may have marks."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Turn:
    """What the agent says in one turn, without marks, and what is marked of it.

    Parameters
    ----------
    reasoning : in its thinking channel.
    answer : what it says aloud.
    calls : of tools.
    marks : as in the log: kind, step kind and quote of what incriminates, or only looks as if.
    """

    reasoning: str
    answer: str
    calls: tuple[ToolUse, ...] = ()
    marks: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True)
class Heard:
    """Something that a tool will have said.

    Parameters
    ----------
    pattern : regular expression; its first group is what is told, where it first fits.
    otherwise : what is told if nothing fits.
    """

    pattern: str
    otherwise: str


@dataclass(frozen=True)
class Beat:
    """A turn of a plan.

    Parameters
    ----------
    reasoning, answer : with marks, and with ``{name}`` for what has been heard.
    calls : of tools, with marks.
    heard : by name, what is told in the texts; the latest answer of a tool that fits counts.
    """

    reasoning: str = ""
    answer: str = ""
    calls: tuple[ToolUse, ...] = ()
    heard: Mapping[str, Heard] = field(default_factory=dict)


class Message(Protocol):
    """What is needed of an Inspect message."""

    @property
    def role(self) -> str: ...

    @property
    def text(self) -> str: ...


def play(plan: Sequence[Beat], messages: Sequence[Message]) -> Turn:
    """The next turn of ``plan`` after ``messages``; the last one again if the plan is at its end.

    Parameters
    ----------
    plan : the whole run.
    messages : the conversation so far; the agent's own in it say how far the plan has been played.

    Examples
    --------
    >>> from types import SimpleNamespace as Said
    >>> plan = [Beat("Look."), Beat("It is {best}.", heard={"best": Heard("best: ([0-9.]+)", "good")})]
    >>> play(plan, [Said(role="assistant", text="Look."), Said(role="tool", text="best: 0.9")]).reasoning
    'It is 0.9.'
    """
    played = sum(message.role == "assistant" for message in messages)
    beat = plan[min(played, len(plan) - 1)]
    answers = [message.text for message in messages if message.role == "tool"]
    told = {name: _latest(each, answers) for name, each in beat.heard.items()}
    return turn(_filled(beat.reasoning, told), _filled(beat.answer, told), beat.calls)


def turn(reasoning: str, answer: str, calls: Sequence[ToolUse]) -> Turn:
    """A turn whose marks are taken out of its texts and noted.

    A thought that is handed to a thinking tool counts as reasoning, as the reader of logs takes it.
    """
    said = [("reasoning", reasoning.strip()), ("prose", answer.strip())]
    for call in calls:
        thought = call.tool == THINK
        said.append(("reasoning", call.arguments["thought"]) if thought else _step(call))
    marks = []
    for number, (kind, text) in enumerate(said):
        others = [plain(other) for same, other in said[:number] if same == kind]
        marks += [
            {"kind": quote.kind, "step_kind": kind, "quote": quote.words} for quote in quotes(text, others)
        ]
    bare = tuple(ToolUse(call.tool, _bare(call.arguments)) for call in calls)
    return Turn(plain(said[0][1]), plain(said[1][1]), bare, tuple(marks))


def _step(call: ToolUse) -> tuple[str, str]:
    return "tool_call", call_text(call.arguments)


def _bare(value: Any) -> Any:
    match value:
        case str():
            return plain(value)
        case Mapping():
            return {name: _bare(item) for name, item in value.items()}
        case list() | tuple():
            return [_bare(item) for item in value]
    return value


def _latest(heard: Heard, answers: Sequence[str]) -> str:
    for answer in reversed(answers):
        if found := re.findall(heard.pattern, answer, re.MULTILINE):
            return " ".join(str(found[0]).split())
    return heard.otherwise


def _filled(text: str, told: Mapping[str, str]) -> str:
    for name, words in told.items():
        text = text.replace(f"{{{name}}}", words)
    return text
