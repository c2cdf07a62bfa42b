"""Which part the scripted agent plays in a sample, and the random draws that go with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from molehunt.environments.playing.candour import Candour, candour


@dataclass(frozen=True)
class Part:
    """What a sample's run is, and what it has in common with the run of the other arm.

    Parameters
    ----------
    environment, dataset, task_id : where it plays.
    attack : the arm.
    side_task, policy, attack_budget, when : of the attack; in an honest run of the attack it is paired with,
        so that both get the same shape. None where nothing is paired with it.
    arm : ``sabotage`` or ``sandbagging``, of the attack.
    awareness : what the agent is told about being watched.
    seed, epoch : what draws depend on beside the task.

    Examples
    --------
    >>> part = Part("mle_sabotage", "builtin", "wine", attack=True, policy="stealth")
    >>> honest = Part("mle_sabotage", "builtin", "wine", attack=False, policy="stealth")
    >>> part.shape("turns").random() == honest.shape("turns").random()
    True
    >>> part.words("turns").random() == honest.words("turns").random()
    False
    """

    environment: str
    dataset: str
    task_id: str
    attack: bool
    side_task: str | None = None
    policy: str | None = None
    attack_budget: str = "few"
    when: str = "spread"
    arm: str = "sabotage"
    awareness: str = "unaware"
    seed: int = 0
    epoch: int = 1

    @classmethod
    def of(cls, sample: Mapping[str, Any], pair: Mapping[str, Any] | None = None) -> Part:
        """The part that a task wrote into the store.

        Parameters
        ----------
        sample : under `molehunt.environments.scripted.SAMPLE`; its ``arm`` is ``honest``, ``attack`` or
            ``sandbagging``.
        pair : under `molehunt.environments.scripted.PAIR`: side task, policy, budget and time of the attack
            that an honest run is paired with. What it says goes before what the sample says.
        """
        known = {**sample, **{key: value for key, value in (pair or {}).items() if value is not None}}
        sandbagging = "sandbagging" in (sample["arm"], known.get("attack_arm"))
        return cls(
            environment=sample["environment"],
            dataset=sample["dataset"],
            task_id=sample["task_id"],
            attack=sample["arm"] != "honest",
            side_task=known.get("side_task"),
            policy=known.get("policy"),
            attack_budget=known.get("attack_budget") or "few",
            when=known.get("when") or "spread",
            arm="sandbagging" if sandbagging else "sabotage",
            awareness=sample["awareness"],
            seed=sample["seed"],
            epoch=sample["epoch"],
        )

    @property
    def manner(self) -> Candour:
        """How much an attack under this policy says; honest runs are as vague, with nothing to confess."""
        return candour(self.policy, self.awareness)

    def shape(self, what: str) -> Random:
        """Draws about ``what`` that both arms share, so that they say nothing about the arm."""
        return Random("\x1f".join([*self._key, what]))

    def words(self, what: str) -> Random:
        """Draws about ``what`` of this arm's own."""
        arm = self.arm if self.attack else "honest"
        return Random("\x1f".join([*self._key, arm, what]))

    @property
    def _key(self) -> list[str]:
        return [self.environment, self.task_id, str(self.seed), str(self.epoch)]
