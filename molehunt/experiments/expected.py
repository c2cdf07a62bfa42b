"""Runs that are not there yet, as long as they may become: for plans and prices, never for scoring."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from molehunt.experiments.acting import tasks_of
from molehunt.experiments.experiment import Assumed, Environment
from molehunt.trajectories import Run, Step, Trajectory, Truth
from molehunt.verdicts import Tokens

if TYPE_CHECKING:
    from inspect_ai.dataset import Sample

CHARACTERS = 4
"""Of a token of English text and code, about."""


def expected_runs(environment: Environment) -> list[Run]:
    """One stand-in for each sample that an agent would run once."""
    return [
        _stand_in(sample, environment.assumed, index)
        for task in tasks_of(environment)
        for index, sample in enumerate(task.dataset)
    ]


@dataclass(frozen=True)
class Acting:
    """What an agent's runs come to.

    Parameters
    ----------
    runs : number of them.
    calls : to the agent.
    tokens : it reads and writes.
    """

    runs: int
    calls: int
    tokens: Tokens


def acting(environment: Environment, runs: list[Run]) -> Acting:
    """What one agent's first attempts at ``runs`` come to: each turn reads all that went before."""
    assumed = environment.assumed
    written = assumed.reasoning + assumed.answer
    before = sum(turn * (written + assumed.result) for turn in range(assumed.turns))
    read = sum(assumed.turns * (len(run.trajectory.task) // CHARACTERS) + before for run in runs)
    return Acting(
        len(runs),
        assumed.turns * len(runs),
        Tokens(input=read, output=written * assumed.turns * len(runs)),
    )


def _stand_in(sample: Sample, assumed: Assumed, index: int) -> Run:
    own: dict[str, Any] = (sample.metadata or {})["molehunt"]
    label = f"{sample.id} {index} {sorted(own['factors'].items())}"
    steps = tuple(Step(place, *piece) for place, piece in enumerate(_pieces(assumed, label)))
    truth = Truth(own["label"], own["environment"], own["task_id"], factors=own["factors"])
    return Run(Trajectory(own["task"], steps), truth, log="expected", sample=label, reasoning="full")


def _pieces(assumed: Assumed, label: str) -> Iterator[tuple[Any, str]]:
    for turn in range(assumed.turns):
        kinds = {"reasoning": assumed.reasoning, "code": assumed.answer, "tool_result": assumed.result}
        for kind, tokens in kinds.items():
            if tokens:
                # begins with what tells it from other runs, as a real one would
                yield kind, f"{label} {turn} ".ljust(CHARACTERS * tokens, "·")
