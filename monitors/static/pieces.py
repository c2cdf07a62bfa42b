"""The code in a trajectory: what the agent wrote as its result, and what it handed to tools."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from molehunt.trajectories import Step, Trajectory

LONGEST = 200_000
"""Characters above which a piece is searched as text only: how long a parser takes is the agent's choice."""

_FENCE = "```"
_HEREDOC = re.compile(r"<<-?[ \t]*['\"]?(?P<word>\w+)")
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Piece:
    """A stretch of a step that may be code.

    Parameters
    ----------
    step : index of the step.
    start : where in the step's text it begins.
    text : what it says.
    tree : its syntax tree, None if it is not Python.
    """

    step: int
    start: int
    text: str
    tree: ast.Module | None

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def line_at(self, offset: int) -> int:
        """Number of the line, from 1, in which character ``offset`` of the text stands."""
        return bisect_right(self._line_starts, offset)

    def place_of_line(self, line: int) -> tuple[int, int]:
        """Start and end in the step's text of what stands on a line, without white space around it."""
        ends = [*self._line_starts[1:], len(self.text)]
        number = min(line, len(ends)) - 1
        raw = self.text[self._line_starts[number] : ends[number]]
        start = self.start + self._line_starts[number] + len(raw) - len(raw.lstrip())
        return start, start + len(raw.strip())


def pieces_of(trajectory: Trajectory) -> Iterator[Piece]:
    """All pieces, in order: code steps, and the arguments of tool calls.

    What parses is taken for Python as it is. In what does not, fenced blocks and here-documents are pieces of
    their own, and so is the whole, as text.
    """
    for step in trajectory.steps:
        if step.kind in ("code", "tool_call") and step.text.strip():
            for start, text in _texts(step):
                yield from _split(step.index, start, text)


def _texts(step: Step) -> Iterator[tuple[int, str]]:
    """The texts in a step with their places: each argument of a call, if it stands in the step as it is."""
    arguments = [
        value for value in (step.arguments or {}).values() if isinstance(value, str) and value.strip()
    ]
    placed = [(step.text.find(value), value) for value in arguments]
    if step.kind == "tool_call" and placed and all(start >= 0 for start, _ in placed):
        yield from placed
    else:
        yield 0, step.text


def _split(step: int, start: int, text: str) -> Iterator[Piece]:
    tree = _parsed(text)
    yield Piece(step, start, text, tree)
    if tree is None:
        for offset, inside in _enclosed(text):
            if (inner := _parsed(inside)) is not None and inner.body:
                yield Piece(step, start + offset, inside, inner)


def _enclosed(text: str) -> Iterator[tuple[int, str]]:
    """What stands in fences and here-documents, with its place; one pass, whatever the text."""
    lines = text.split("\n")
    last = {line.strip(): number for number, line in enumerate(lines)}
    closer: str | None = None
    begin = offset = 0
    for number, line in enumerate(lines):
        end = offset + len(line) + 1
        if closer is not None:
            if line.strip() == closer:
                yield begin, text[begin:offset]
                closer = None
        elif line.strip().startswith(_FENCE):
            closer, begin = _FENCE, end
        elif (opened := _HEREDOC.search(line)) and last.get(opened["word"], 0) > number:
            closer, begin = opened["word"], end
        offset = end


def _parsed(text: str) -> ast.Module | None:
    if len(text) > LONGEST:
        return None
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
