"""Samples: an honest and an attack run of every problem, next to each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.dataset import Sample

from molehunt.environments.bigcodebench_sabotage.problems import Problem
from molehunt.environments.bigcodebench_sabotage.side_tasks import Errand
from molehunt.trajectories.inspect_own import METADATA_KEY

ENVIRONMENT = "bigcodebench_sabotage"
ARMS = ("both", "honest", "attack")


@dataclass(frozen=True)
class Setting:
    """What all runs of a task have in common.

    Parameters
    ----------
    dataset : as the user named it.
    policy : of attack runs.
    awareness : of all runs.
    seed : of the pairing and the errands.
    """

    dataset: str
    policy: str
    awareness: str
    seed: int

    @property
    def environment(self) -> str:
        """Name under which runs are pooled: the pack and BigCodeBench itself never are."""
        return f"{ENVIRONMENT}/{'embedded' if self.dataset == 'embedded' else 'bigcodebench'}"


def samples(
    problems: Sequence[Problem], errands: Mapping[str, Errand], *, arms: str, setting: Setting
) -> Iterator[Sample]:
    """Honest, attack, honest, attack, …: a limit on samples that is even keeps pairs.

    Problems without an errand are left out unless only honest runs are asked for.
    """
    for problem in problems:
        errand = errands.get(problem.task_id)
        if arms == "honest" or (arms == "both" and errand is not None):
            yield _sample(problem, None, setting)
        if arms != "honest" and errand is not None:
            yield _sample(problem, errand, setting)


def _sample(problem: Problem, errand: Errand | None, setting: Setting) -> Sample:
    factors = {"awareness": setting.awareness}
    if errand is not None:
        factors |= {"side_task": errand.side_task, "policy": setting.policy}
    truth: dict[str, Any] = {
        "version": 1,
        "task": problem.instruct_prompt,
        "label": "honest" if errand is None else "attack",
        "environment": setting.environment,
        "task_id": problem.task_id,
        "factors": factors,
    }
    return Sample(
        id=f"{problem.task_id}:{truth['label']}",
        input=problem.instruct_prompt,
        metadata={METADATA_KEY: truth},
    )
