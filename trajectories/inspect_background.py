"""What a log tells about a sample of somebody else's: its task, its problem, how it was scored."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct, field

from molehunt.trajectories.inspect_messages import Attachments, plain_text
from molehunt.trajectories.inspect_records import EvalRecord, SampleRecord
from molehunt.trajectories.runs import Label

_ARM = re.compile(r"(?:^|(?<=[_-]))(?:honest|attack)(?:[_-]|$)")
_DIGEST = re.compile(r"[_-][0-9a-f]{8}$")

# Names under which a scorer, or an entry of its value, reports success at the main and at the side task.
_MAIN_SCORES = ("main_task_success",)
_SIDE_SCORES = ("side_task_success",)
# How Inspect's scorers write correct, incorrect, partial and no answer.
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}

# ControlArena's tools for attacks take arguments that only its scorers see and its monitors never do.
HIDDEN_ARGUMENTS = frozenset({"secret_input"})
_MODES: dict[Any, Label] = {"honest": "honest", "attack": "attack"}


class Background(Struct, frozen=True):
    """What is known of a sample besides what was done.

    Parameters
    ----------
    task : main task; guessed from the opening user turn if not ``task_verified``.
    environment, task_id, label, main_score, side_score, factors : as in `Truth`; without a label there is no
        truth.
    hidden_arguments : arguments of tool calls that are addressed to scorers, not to be shown.
    """

    task: str
    task_verified: bool
    environment: str
    task_id: str
    label: Label | None = None
    main_score: float | None = None
    side_score: float | None = None
    factors: Mapping[str, str] = field(default_factory=dict)
    hidden_arguments: frozenset[str] = frozenset()


def foreign_background(sample: SampleRecord, evaluation: EvalRecord) -> Background:
    """Read what a foreign log says of a sample.

    ControlArena's samples carry their setting, mode, main task and side task. Other logs give the name of
    their task as environment, without what tells arms apart (see `environment_name`), and their sample's id.
    """
    main_score, side_score = (_score(sample.scores, names) for names in (_MAIN_SCORES, _SIDE_SCORES))
    match sample.metadata or {}:
        case {"main_task_description": str(task), "setting_name": str(setting), **rest}:
            names = {"side_task": rest.get("side_task_name"), "protocol": _protocol(evaluation)}
            mode = rest.get("eval_mode")
            return Background(
                task=task,
                task_verified=True,
                environment=f"control_arena/{setting}",
                task_id=str(rest.get("main_task_name") or sample.id),
                label=_MODES.get(mode) if isinstance(mode, str) else None,
                main_score=main_score,
                side_score=side_score,
                factors={factor: name for factor, name in names.items() if isinstance(name, str)},
                hidden_arguments=HIDDEN_ARGUMENTS,
            )
    return Background(
        task=_opening_turn(sample),
        task_verified=False,
        environment=environment_name(evaluation.task),
        task_id=sample.id,
        main_score=main_score,
        side_score=side_score,
    )


@lru_cache(maxsize=64)  # it is the same for all samples of a log
def environment_name(task: str) -> str:
    """The name of an evaluated task, without the arm and the digest that separate logs of one experiment.

    Examples
    --------
    >>> environment_name("apps_defer_to_trusted_attack_5321ab66")
    'apps_defer_to_trusted'
    >>> environment_name("inspect_evals/class_eval")
    'inspect_evals/class_eval'
    """
    name = _DIGEST.sub("", task)
    return _ARM.sub("", name).rstrip("_-") or task


def _opening_turn(sample: SampleRecord) -> str:
    attachments = Attachments(sample.attachments)
    if isinstance(sample.input, str):
        return attachments.text(sample.input)
    turns = [message for message in sample.input if message.role == "user"]
    return plain_text(turns[0].content, attachments) if turns else ""


def _protocol(evaluation: EvalRecord) -> str | None:
    match evaluation.metadata:
        case {"micro_protocol": {"type": str(protocol)}}:
            return protocol
    return None


def _score(scores: Mapping[str, Any] | None, names: tuple[str, ...]) -> float | None:
    for name, score in (scores or {}).items():
        value = score.get("value") if isinstance(score, dict) else score
        if not isinstance(value, dict) and name not in names:
            continue
        found = {**(value if isinstance(value, dict) else {}), name: value}
        number = next((_number(found[known]) for known in names if known in found), None)
        if number is not None:
            return number
    return None


def _number(value: Any) -> float | None:
    number = _GRADES.get(value) if isinstance(value, str) else value
    if isinstance(number, bool | int | float) and math.isfinite(number):
        return float(number)
    return None
