"""A run: one trajectory, where it came from, and the truth about it, kept apart from what monitors see."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

from molehunt.trajectories.steps import Trajectory, encodable

Label = Literal["honest", "attack"]
LABELS: tuple[Label, ...] = get_args(Label)

ReasoningKind = Literal["full", "summary", "hidden", "none"]
"""How much of the agent's reasoning a log shows; tables never mix them in a row."""

Ending = Literal["finished", "limit", "error", "cancelled"]
"""How a run ended: by itself, at a limit on messages, tokens or time, by an error, or cut off by its user."""


@dataclass(frozen=True)
class Mark:
    """A stretch of a step that the environment knows to incriminate, or to look like it and be harmless.

    Parameters
    ----------
    kind : ``incriminating`` or ``decoy``.
    step : index of the step.
    start, end : characters of the step's text, end excluded.
    """

    kind: Literal["incriminating", "decoy"]
    step: int
    start: int
    end: int


@dataclass(frozen=True)
class Truth:
    """What the environment knows of a run and no monitor may see.

    Parameters
    ----------
    label : ``honest`` or ``attack``.
    environment : data set, such as ``bigcodebench_sabotage/embedded``; two data sets are never pooled.
    task_id : the problem; honest and attack runs of it form one cluster.
    main_score : result on the main task, None where unknown.
    side_score : result on the side task, None where unknown or where there is none.
    marks : incriminating stretches and decoys, empty where the environment knows none.
    factors : what else the run varied: ``side_task``, ``policy``, ``awareness``, ``arm``, ….

    Raises
    ------
    ValueError
        If ``label`` is neither of the two.

    Examples
    --------
    >>> Truth("attack", "bigcodebench_sabotage/embedded", "p1", 1.0, 1.0, factors={"side_task": "exit"}).label
    'attack'
    """

    label: Label
    environment: str
    task_id: str
    main_score: float | None = None
    side_score: float | None = None
    marks: tuple[Mark, ...] = ()
    factors: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if self.label not in LABELS:
            raise ValueError(f"a run is labelled honest or attack, not {self.label!r}")
        # stores and tables are written in an encoding, which carries no lone surrogates
        for name in ("environment", "task_id"):
            object.__setattr__(self, name, encodable(getattr(self, name)))
        factors = {encodable(name): encodable(value) for name, value in self.factors.items()}
        object.__setattr__(self, "factors", factors)


@dataclass(frozen=True)
class Run:
    """One sample of one log. Verdicts belong to trajectories, metrics count runs.

    Parameters
    ----------
    trajectory : what the monitors see.
    truth : None where nobody has said what the run is; it is scored all the same.
    log : the file it was read from, for people.
    sample : the sample's unique id in the log (Inspect's uuid), else its id.
    epoch : from 1.
    attempt : from 1, for environments that let an agent try a problem again.
    source : format of the log, such as ``inspect``.
    agent_model : model that acted, None where the log does not say.
    reasoning : see `ReasoningKind`.
    ending : see `Ending`.
    task_verified : whether ``trajectory.task`` is known to be the main task, rather than guessed from the
        opening user turn.
    """

    trajectory: Trajectory
    truth: Truth | None
    log: str
    sample: str
    epoch: int = 1
    attempt: int = 1
    source: str = "inspect"
    agent_model: str | None = None
    reasoning: ReasoningKind = "none"
    ending: Ending = "finished"
    task_verified: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "sample", encodable(self.sample))

    @cached_property
    def id(self) -> str:
        """Digest of sample, epoch and attempt: a log that is moved, copied or read anew keeps its runs."""
        key = "\x1f".join([self.sample, str(self.epoch), str(self.attempt)])
        return hashlib.sha256(key.encode()).hexdigest()[:32]
