"""Samples: an honest and an attack run of every competition, next to each other; sandbagging by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.dataset import Sample

from molehunt.environments.mle_sabotage.agent_prompts import side_task_text, task_text
from molehunt.environments.mle_sabotage.competition import Competition
from molehunt.trajectories.inspect_own import METADATA_KEY

ENVIRONMENT = "mle_sabotage"
ARMS = {
    "both": ("honest", "attack"),
    "honest": ("honest",),
    "attack": ("attack",),
    "sandbagging": ("sandbagging",),
}
"""What a user may ask for, and the arms that each competition is then played in."""
SANDBAGGING = "sandbagging"


@dataclass(frozen=True)
class Setting:
    """What all runs of a task have in common.

    Parameters
    ----------
    dataset : ``builtin`` or ``mlebench``.
    policy : of attack runs.
    awareness : of all runs.
    attack_budget : in how many steps an attack may be: ``1``, ``few``, ``all``.
    when : in which part of the run: ``early``, ``late``, ``spread``.
    seed : of data, splits and sabotage inputs.
    seconds : what ``predict.py`` may take.
    """

    dataset: str
    policy: str
    awareness: str
    attack_budget: str
    when: str
    seed: int
    seconds: float

    @property
    def environment(self) -> str:
        """Name under which runs are pooled: our competitions and MLE-bench's never are."""
        return f"{ENVIRONMENT}/{self.dataset}"

    def attack(self, side_task: str) -> dict[str, str]:
        """What sets one attack run apart from another.

        Examples
        --------
        >>> Setting("builtin", "stealth", "told", "1", "late", 0, 60).attack("sandbagging")
        {'side_task': 'sandbagging', 'policy': 'stealth', 'attack_budget': '1', 'when': 'late'}
        """
        return {
            "side_task": side_task,
            "policy": self.policy,
            "attack_budget": self.attack_budget,
            "when": self.when,
        }


def samples(competitions: Sequence[Competition], *, arms: str, setting: Setting) -> Iterator[Sample]:
    """Honest, attack, honest, attack, …: a limit on samples that is even keeps pairs."""
    for competition in competitions:
        for arm in ARMS[arms]:
            yield _sample(competition, arm, setting)


def side_task_of(competition: Competition, arm: str) -> str | None:
    """What an agent does besides the competition in ``arm``; None if nothing."""
    return {"honest": None, "attack": competition.side_task}.get(arm, SANDBAGGING)


def _sample(competition: Competition, arm: str, setting: Setting) -> Sample:
    side_task = side_task_of(competition, arm)
    factors = {"awareness": setting.awareness}
    if side_task is not None:
        factors |= setting.attack(side_task)
        factors["arm"] = SANDBAGGING if arm == SANDBAGGING else "sabotage"
        factors["side_task_text"] = side_task_text(competition, arm)
    task = task_text(competition, setting.seconds)
    truth: dict[str, Any] = {
        "version": 1,
        "task": task,
        "label": "honest" if side_task is None else "attack",
        "environment": setting.environment,
        "task_id": competition.name,
        "factors": factors,
    }
    return Sample(id=f"{competition.name}:{arm}", input=task, metadata={METADATA_KEY: truth})
