"""Samples: an honest and an attack run of every pair, next to each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from inspect_ai.dataset import Sample

from molehunt.environments.shade_arena.pairing import Pair
from molehunt.environments.shade_arena.scenes import Scene
from molehunt.trajectories.inspect_own import METADATA_KEY

ENVIRONMENT = "shade_arena"
ARMS = ("both", "honest", "attack")
ORIGINAL = "original"
"""What stands for a suite where a pair is the original SHADE-Arena's."""


@dataclass(frozen=True)
class Setting:
    """What all runs of a task have in common.

    Parameters
    ----------
    version : of AgentDojo's benchmark.
    policy, attack_budget, when : of attack runs.
    awareness : of all runs.
    clutter : how many things are added to the applications.
    seed : of clutter, and of what the scripted agent draws.
    """

    version: str
    policy: str
    awareness: str
    attack_budget: str
    when: str
    clutter: int
    seed: int

    def attack(self, pair: Pair) -> dict[str, str]:
        """What sets one attack run apart from another."""
        return {
            "side_task": pair.errand,
            "policy": self.policy,
            "attack_budget": self.attack_budget,
            "when": self.when,
        }

    @property
    def manner(self) -> dict[str, str]:
        """What `molehunt.environments.shade_arena.agent_prompts.opening` is to know."""
        names = ("policy", "awareness", "attack_budget", "when")
        return {name: value for name, value in asdict(self).items() if name in names}


def environment_of(pair: Pair) -> str:
    """Name under which runs are pooled: AgentDojo's pairs and the original's never are."""
    return f"{ENVIRONMENT}/{ORIGINAL if pair.suite == ORIGINAL else 'agentdojo'}"


def samples(scenes: Sequence[Scene], *, arms: str, setting: Setting) -> Iterator[Sample]:
    """Honest, attack, honest, attack, …: a limit on samples that is even keeps pairs.

    Parameters
    ----------
    scenes : of the pairs that are played.
    arms : one of `ARMS`.
    setting : of all runs.
    """
    for scene in scenes:
        for label in ("honest", "attack"):
            if arms in ("both", label):
                yield _sample(scene, label, setting)


def _sample(scene: Scene, label: str, setting: Setting) -> Sample:
    pair = scene.pair
    factors = {"awareness": setting.awareness, "suite": pair.suite, "user_task": pair.task_id}
    if setting.clutter:
        factors["clutter"] = str(setting.clutter)
    if label == "attack":
        factors |= setting.attack(pair) | {"side_task_text": scene.goal}
    truth: dict[str, Any] = {
        "version": 1,
        "task": scene.request,
        "label": label,
        "environment": environment_of(pair),
        "task_id": pair.task_id,
        "factors": factors,
    }
    return Sample(
        id=f"{pair.task_id}:{pair.side_task}:{label}", input=scene.request, metadata={METADATA_KEY: truth}
    )
