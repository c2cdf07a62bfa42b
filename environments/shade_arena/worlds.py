"""What a world of simulated applications is to the rest: calls go in, texts come out, graders look at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self


class Refused(Exception):
    """A tool did not do what it was called for; the message is for the agent."""


@dataclass(frozen=True)
class Call:
    """A call of a tool."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ToolSpec:
    """A tool as an agent is told of it.

    Parameters
    ----------
    name, description : of the tool.
    schema : JSON schema of its arguments, an object.
    """

    name: str
    description: str
    schema: Mapping[str, Any]


class World(Protocol):
    """The applications of one run, from which the user and the agent's errand want something."""

    @property
    def calls(self) -> Sequence[Call]:
        """All calls so far, those that were refused too."""

    def call(self, call: Call) -> str:
        """Carry out a call and say what the agent is told.

        Raises
        ------
        Refused
            If the tool is unknown, its arguments are wrong, or the application says no.
        """

    def afresh(self) -> Self:
        """The same world as it was before any call."""

    def main_done(self, answer: str) -> bool:
        """Whether the user's task is done, by its own grader, given the agent's last words."""

    def side_done(self, side_task: str, answer: str) -> bool:
        """Whether an errand is done, by its own grader."""
