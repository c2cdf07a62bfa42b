"""From an agent's message to steps: prose, fenced code and reasoning taken apart, calls linked to results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from molehunt.trajectories.runs import ReasoningKind
from molehunt.trajectories.steps import Kind, Step, call_text

THINK = "think"
"""The tool that agents think with; Inspect's has this name too."""

_MARK = re.compile(r"`{3,}|<think(?:ing)?>")


class Draft(Struct):
    """A step in the making, which does not know its number yet.

    Parameters
    ----------
    kind, text, tool, arguments, agent, seconds : as in `Step`.
    call : the log's own id of this call, for a ``tool_call``.
    answers_call : the log's own id of the call that this ``tool_result`` answers.
    readable : how much of the reasoning ``text`` is, for ``reasoning`` in a channel of its own.
    """

    kind: Kind
    text: str
    tool: str | None = None
    arguments: Mapping[str, Any] | None = None
    agent: str | None = None
    seconds: float | None = None
    call: str | None = None
    answers_call: str | None = None
    readable: ReasoningKind | None = None


def text_pieces(text: str) -> list[tuple[Kind, str]]:
    r"""Take apart what an agent says: reasoning in think tags, fenced code, and prose around them.

    Code is the inside of a fence, without the fence's own lines. A fence that is never closed runs to the
    end, and so does a ``<think>`` or ``<thinking>`` at the beginning of a line; elsewhere a tag must be
    closed to count, so that a sentence about tags swallows nothing. Tags inside a fence are code. Blank
    pieces are dropped.

    Returns
    -------
    list of (kind, text)
        In order; kinds are ``prose``, ``code`` and ``reasoning``.

    Examples
    --------
    >>> text_pieces("<think>Easy.</think>Here you are:\n```python\nprint(1)\n```\nDone.")
    [('reasoning', 'Easy.'), ('prose', 'Here you are:'), ('code', 'print(1)'), ('prose', 'Done.')]
    """
    if "```" not in text and "<think" not in text:  # as most texts are, and faster than to look for marks
        prose = text.strip()
        return [("prose", prose)] if prose else []
    return [(kind, piece) for kind, piece in _pieces(text) if piece.strip()]


def call_draft(name: str, arguments: Any, call: str | None) -> Draft:
    """A call of tool ``name``, with the log's own id of it.

    Arguments that are no mapping, as a model that breaks the form may give, become one. A thought that is
    handed to a thinking tool is reasoning.

    Examples
    --------
    >>> call_draft("bash", {"command": "ls"}, "c1").text
    'ls'
    >>> call_draft(THINK, {"thought": "What now?"}, "c2").kind
    'reasoning'
    """
    if name == THINK and isinstance(arguments, Mapping) and isinstance(arguments.get("thought"), str):
        return Draft("reasoning", arguments["thought"], call=call)
    # most are a dict, which is told at once
    given = arguments if isinstance(arguments, (dict, Mapping)) else {"arguments": arguments}
    return Draft("tool_call", call_text(given), tool=name, arguments=given, call=call)


class Numbering:
    """Numbers steps as they come, and links each result to the call that it answers.

    Logs may use an id of a call again; a result answers the latest call of its id.

    Parameters
    ----------
    count : steps that there are already.
    """

    def __init__(self, count: int = 0) -> None:
        self._count = count
        self._calls: dict[str, int] = {}

    def steps(self, drafts: Iterable[Draft]) -> list[Step]:
        """The steps of ``drafts``, numbered on from those before."""
        return [self._step(draft) for draft in drafts]

    def _step(self, draft: Draft) -> Step:
        index = self._count
        self._count += 1
        if draft.call is not None:
            self._calls[draft.call] = index
        return Step(
            index,
            draft.kind,
            draft.text,
            tool=draft.tool,
            arguments=draft.arguments,
            answers=self._calls.get(draft.answers_call) if draft.answers_call is not None else None,
            agent=draft.agent,
            seconds=draft.seconds,
        )


def numbered(drafts: Iterable[Draft]) -> tuple[Step, ...]:
    """The steps of a trajectory, numbered, each result linked to the call that it answers.

    Examples
    --------
    >>> steps = numbered([call_draft("ls", {}, "c"), Draft("tool_result", "a.py", answers_call="c")])
    >>> steps[1].answers
    0
    """
    return tuple(Numbering().steps(drafts))


def _pieces(text: str) -> Iterator[tuple[Kind, str]]:
    start = position = 0  # of the piece, and of what is not looked at
    never_closed: set[str] = set()  # without it, a text of opening tags alone would take quadratic time
    while mark := _MARK.search(text, position):
        position = mark.end()
        begins_line = _begins_line(text, mark.start())
        if mark[0].startswith("`"):
            end_of_line = text.find("\n", position) if begins_line else -1
            inside = end_of_line + 1 if end_of_line >= 0 else len(text)
            if not begins_line or "`" in text[position:inside]:  # code within a line
                continue
            closing = re.compile(rf"^[ \t]*{mark[0]}`*[ \t]*$", re.MULTILINE).search(text, inside)
            yield "prose", text[start : mark.start()].strip()
            yield "code", text[inside : closing.start() if closing else len(text)].removesuffix("\n")
            start = position = closing.end() if closing else len(text)
            continue
        end_tag = f"</{mark[0][1:]}"
        close = -1 if end_tag in never_closed else text.find(end_tag, position)
        if close < 0:
            never_closed.add(end_tag)
        if text.startswith("`", mark.start() - 1) or not (begins_line or close >= 0):
            continue  # spoken of, not used
        end = close if close >= 0 else len(text)
        yield "prose", text[start : mark.start()].strip()
        yield "reasoning", text[position:end].strip()
        start = position = end + len(end_tag) if close >= 0 else len(text)
    yield "prose", text[start:].strip()


def _begins_line(text: str, position: int) -> bool:
    while position > 0 and text[position - 1] in " \t":
        position -= 1
    return position == 0 or text[position - 1] == "\n"
