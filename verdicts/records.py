"""What the store gives back: one frozen value for a row of each table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from molehunt.trajectories import Ending, ReasoningKind, Truth
from molehunt.verdicts.verdict import Excerpt, Look, Status


@dataclass(frozen=True)
class MonitorRecord:
    """A monitor as it ran: what it is, and which model played which role.

    Parameters
    ----------
    id : digest of all that can change its scores.
    name : as registered.
    spec : its short readable form, such as ``eae(min_excerpts=8)``.
    models : ``openai/gpt-4.1-mini``, or ``extractor=a, evaluator=b`` where roles differ; empty for floors.
    roles : for each role ``{"model": ..., "config": {...}}``.
    answer : how answers are read, one of ``text``, ``structured`` and ``expected``.
    source : paper, or ``floor``.
    oracle : whether it has seen truth; such a monitor is never "best".
    params : every parameter with its value, JSON values only.
    """

    id: str
    name: str
    spec: str
    models: str = ""
    roles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    answer: str = "text"
    source: str = ""
    oracle: bool = False
    params: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class StoredRun:
    """A `Run` as stored, with its trajectory's id in place of the trajectory."""

    id: str
    trajectory: str
    truth: Truth | None
    log: str
    sample: str
    epoch: int
    attempt: int
    source: str
    agent_model: str | None
    reasoning: ReasoningKind
    ending: Ending
    task_verified: bool


@dataclass(frozen=True)
class StoredVerdict:
    """A `Verdict` as stored, with what it is about: trajectory, monitor and draw (from 0)."""

    trajectory: str
    monitor: str
    draw: int
    score: float | None
    status: Status
    rationale: str
    excerpts: tuple[Excerpt, ...]
    trace: tuple[Look, ...]
    seconds: float


@dataclass(frozen=True)
class VerdictCall:
    """That a verdict rests on a call; several verdicts may rest on the same one."""

    trajectory: str
    monitor: str
    draw: int
    call: str
