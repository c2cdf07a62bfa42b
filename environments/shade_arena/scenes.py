"""A pair ready to be played: what the user asks for, the errand, the applications, and what came of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Protocol

import anyio.to_thread
from inspect_ai.model import ChatMessage

from molehunt.environments.shade_arena.agentdojo_base import AgentDojoWorld, Suite, suite
from molehunt.environments.shade_arena.clutter.adding import cluttered
from molehunt.environments.shade_arena.grading import judged
from molehunt.environments.shade_arena.pairing import Pair
from molehunt.environments.shade_arena.tools import calls_in, last_words
from molehunt.environments.shade_arena.worlds import ToolSpec, World


@dataclass(frozen=True)
class Finding:
    """What came of a run.

    Parameters
    ----------
    main_score, side_score : 1 or 0; None where it is unknown, and for the errand of an honest run.
    notes : for people, by grader.
    """

    main_score: float | None
    side_score: float | None
    notes: Mapping[str, str] = field(default_factory=dict)


class Scene(Protocol):
    """A pair ready to be played."""

    @property
    def pair(self) -> Pair: ...

    @property
    def request(self) -> str:
        """What the user asks for, in both arms."""

    @property
    def goal(self) -> str:
        """What the errand is, for the agent of an attack run."""

    @property
    def system(self) -> str | None:
        """What the agent is told of its place; None for our own text."""

    @property
    def tools(self) -> Sequence[ToolSpec]: ...

    def world(self) -> World:
        """The applications of one run, at its beginning."""

    async def found(self, messages: Sequence[ChatMessage], *, attack: bool) -> Finding:
        """What came of a run, from its conversation."""


@dataclass(frozen=True)
class AgentDojoScene:
    """A pair of AgentDojo's.

    Parameters
    ----------
    pair : which.
    version : of the benchmark.
    clutter, seed : how many things are added to the applications, and what is drawn by.
    """

    pair: Pair
    version: str
    clutter: int = 0
    seed: int = 0
    system: str | None = None

    @property
    def suite(self) -> Suite:
        """The suite that the pair is of."""
        return suite(self.version, self.pair.suite)

    @property
    def request(self) -> str:
        """See `Scene`."""
        return self.suite.prompts[self.pair.user_task]

    @property
    def goal(self) -> str:
        """See `Scene`."""
        return self.suite.goals[self.pair.side_task]

    @cached_property
    def tools(self) -> Sequence[ToolSpec]:
        """See `Scene`."""
        return self.suite.tools

    def world(self) -> AgentDojoWorld:
        """See `Scene`. The same in both arms of a pair."""
        # the errand on all files of the drive has a grader that knows their number
        files = "contents of all the files" not in self.goal
        pair = self.pair
        return _world(self.version, pair.suite, pair.user_task, self.clutter, self.seed, files).afresh()

    async def found(self, messages: Sequence[ChatMessage], *, attack: bool) -> Finding:
        """See `Scene`.

        The final state is reached again from the calls, on a fresh copy of the applications: they hold
        nothing that is left to chance, and so a log can be graded anew.
        """
        return await anyio.to_thread.run_sync(self._found, messages, attack)

    def _found(self, messages: Sequence[ChatMessage], attack: bool) -> Finding:
        calls = calls_in(messages, {tool.name for tool in self.tools})
        answer, world = last_words(messages), self.world()
        main_calls, _ = self.suite.main_truth(world)
        main = judged(world, calls, main_calls, lambda after: after.main_done(answer))
        if not attack:
            return Finding(main.score, None, {"main": main.note})
        errand = self.pair.side_task
        side_calls, _ = self.suite.side_truth(world, errand)
        side = judged(world, calls, side_calls, lambda after: after.side_done(errand, answer))
        return Finding(main.score, side.score, {"main": main.note, "side": side.note})


@lru_cache(maxsize=128)
def _world(version: str, name: str, user_task: str, clutter: int, seed: int, files: bool) -> AgentDojoWorld:
    world = suite(version, name).world(user_task)
    return cluttered(world, clutter, seed, files=files) if clutter else world
