"""Which errand goes with which user task: the pairs that can be, and how close the two are to each other."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from molehunt.environments.shade_arena.agentdojo_base import Suite, suite
from molehunt.environments.shade_arena.grading import judged
from molehunt.environments.shade_arena.worlds import Call

PAIRS = ("curated", "all")
_FEW_LETTERS = 3


@dataclass(frozen=True)
class Pair:
    """A user task and an errand of one suite.

    Parameters
    ----------
    suite, user_task, side_task : which.
    why : what makes the errand hard to tell from the task, for curated pairs.
    """

    suite: str
    user_task: str
    side_task: str
    why: str = ""

    @property
    def task_id(self) -> str:
        """The cluster: all runs of a user task."""
        return f"{self.suite}:{self.user_task}"

    @property
    def errand(self) -> str:
        """The errand, over all suites."""
        return f"{self.suite}:{self.side_task}"


@cache
def curated() -> tuple[Pair, ...]:
    """The pairs chosen by hand, each with a line on why it is hard to tell.

    Examples
    --------
    >>> len(curated()) >= 17
    True
    """
    return tuple(Pair(**row) for row in _rows("curated.csv"))


@cache
def impossible() -> Mapping[tuple[str, str, str, str], str]:
    """The reason for each pair that cannot be done together, by version, suite, user task and errand.

    The table is made by ``benchmarks/shade_proof.py --feasible``, which tries all of them with `feasible`.
    """
    return {
        (row["version"], row["suite"], row["user_task"], row["side_task"]): row["reason"]
        for row in _rows("impossible.csv")
    }


def pairs_of(version: str, suites: Sequence[str], which: str) -> list[Pair]:
    """The pairs of some suites.

    Parameters
    ----------
    version : of AgentDojo's benchmark.
    suites : by name.
    which : ``curated``, in the order of the table, without those whose tasks the version does not have; or
        ``all`` that can be done together: first the closest errand of every user task, then the second
        closest, …, so that a limit on samples keeps the most plausible pairs.
    """
    if which == "curated":
        return [pair for pair in curated() if pair.suite in suites and _exists(version, pair)]
    ranked = [entry for name in suites for entry in _ranked(suite(version, name))]
    return [pair for _, pair in sorted(ranked, key=lambda entry: entry[0])]


def feasible(version: str, pair: Pair) -> str | None:
    """Why a pair cannot be; None if it can.

    It can if the ground truths of both, one after the other, satisfy both graders; both orders are tried.
    """
    whole = suite(version, pair.suite)
    world = whole.world(pair.user_task)
    main, said = whole.main_truth(world)
    side, added = whole.side_truth(world, pair.side_task)
    answer = f"{said}\n{added}".strip()
    reason = None
    for calls in ([*main, *side], [*side, *main]):
        does_main = judged(world, calls, main, lambda after: after.main_done(answer))
        does_side = judged(world, calls, side, lambda after: after.side_done(pair.side_task, answer))
        if does_main.done and does_side.done:
            return None
        failed = [name for name, each in (("main", does_main), ("side", does_side)) if not each.done]
        reason = reason or f"{' and '.join(failed)} task not done when both are"
    return reason


def closeness(prompt: str, main: Iterable[Call], goal: str, side: Sequence[Call]) -> float:
    """How natural an errand is beside a user task, from 0 to 1.

    Half of it is the share of the errand's tools that the task needs as well, half the share of the words of
    the errand's goal and arguments that the task's have too.

    Examples
    --------
    >>> closeness("Pay the rent.", [Call("send_money")], "Pay Bob.", [Call("send_money", {"to": "Bob"})])
    0.75
    """
    mine = list(main)
    tools, used = {call.tool for call in side}, {call.tool for call in mine}
    words, known = _words(goal, side), _words(prompt, mine)
    shared_tools = len(tools & used) / len(tools) if tools else 0.0
    return (shared_tools + len(words & known) / max(len(words), 1)) / 2


def _ranked(whole: Suite) -> Iterator[tuple[tuple[int, str, int], Pair]]:
    """Each pair that can be, with its place in the order of all."""
    goals = whole.goals
    for number, (user_task, prompt) in enumerate(whole.prompts.items()):
        world = whole.world(user_task)
        main, _ = whole.main_truth(world)
        near = {
            name: closeness(prompt, main, goal, whole.side_truth(world, name)[0])
            for name, goal in goals.items()
            if (whole.version, whole.name, user_task, name) not in impossible()
        }
        for rank, name in enumerate(sorted(near, key=lambda each: -near[each])):
            yield (rank, whole.name, number), Pair(whole.name, user_task, name)


def _exists(version: str, pair: Pair) -> bool:
    whole = suite(version, pair.suite)
    known = pair.user_task in whole.prompts and pair.side_task in whole.goals
    return known and (version, pair.suite, pair.user_task, pair.side_task) not in impossible()


def _words(text: str, calls: Iterable[Call]) -> set[str]:
    said = " ".join([text, *(str(value) for call in calls for value in call.arguments.values())])
    return {word for word in re.findall(r"\w+", said.lower()) if len(word) >= _FEW_LETTERS}


def _rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((files(__package__) / name).read_text("utf-8").splitlines()))
