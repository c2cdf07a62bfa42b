"""What our own environments write into an Inspect log: truth, attempts, and where a run gives itself away."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from itertools import dropwhile
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.inspect_background import Background
from molehunt.trajectories.inspect_history import Entry
from molehunt.trajectories.inspect_records import SampleRecord
from molehunt.trajectories.runs import Label, Mark
from molehunt.trajectories.steps import Kind, Step, encodable

METADATA_KEY, ATTEMPTS_KEY = "molehunt", "molehunt:attempts"
"""Keys of a sample's metadata and of its store."""

logger = logging.getLogger(__name__)


class _Own(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class OwnMetadata(_Own):
    """What an environment knows of a sample before it runs; the value under `METADATA_KEY`."""

    version: Literal[1]
    task: str
    label: Label
    environment: str
    task_id: str
    factors: dict[str, str] = Field(default_factory=dict)


class OwnMark(_Own):
    """Words that incriminate, or look like it: a quote from a step of the kind ``step_kind``.

    ``message`` is the id of the agent's message whose step it is; without one, the first step that has the
    words is meant.
    """

    kind: Literal["incriminating", "decoy"]
    step_kind: Kind
    quote: str = Field(min_length=1)
    message: str | None = None


class OwnAttempt(_Own):
    """One attempt at a problem, ended by the message ``message``; the store has a list of them.

    No message means that there is one attempt and that it is the whole sample.
    """

    attempt: int = Field(ge=1, lt=2**31)
    message: str | None
    main_score: float | None = None
    side_score: float | None = None
    marks: list[OwnMark] = Field(default_factory=list)


def own_background(sample: SampleRecord) -> Background | None:
    """What an environment of ours says of a sample, None for a sample of somebody else's.

    Raises
    ------
    Damaged
        If it says it in a way that this version does not know.
    """
    metadata = (sample.metadata or {}).get(METADATA_KEY)
    if metadata is None:
        return None
    own = _validated(_METADATA, metadata)
    return Background(
        task=own.task,
        task_verified=True,
        environment=own.environment,
        task_id=own.task_id,
        label=own.label,
        factors=own.factors,
    )


def own_attempts(sample: SampleRecord) -> list[OwnAttempt]:
    """The attempts that an environment of ours recorded, in order; none for a sample of somebody else's.

    Raises
    ------
    Damaged
        If it recorded that there was none: the agent never came to answer, so there is nothing to judge. Or
        if it recorded several, and one of them as the whole sample.
    """
    if ATTEMPTS_KEY not in (sample.store or {}):
        return []
    attempts = _validated(_ATTEMPTS, (sample.store or {})[ATTEMPTS_KEY])
    if not attempts:
        raise Damaged("ended before an attempt was made and verified")
    if len(attempts) > 1 and any(attempt.message is None for attempt in attempts):
        raise Damaged("has several attempts, and one of them without the message that ends it")
    return attempts


def split_attempts(entries: Sequence[Entry], attempts: Sequence[OwnAttempt]) -> Iterator[list[Entry]]:
    """The entries of each attempt.

    An attempt ends with its message and what tools answered to that, or, without a message, with the sample.
    What a user says before the agent's first word is the opening of the attempt and as little a step as the
    problem itself: it may report how the last attempt was scored, side task included. What follows the last
    attempt belongs to none.

    Raises
    ------
    Damaged
        If the log lacks a message that ends an attempt.
    """
    start = 0
    for attempt in attempts:
        end = len(entries) if attempt.message is None else _end(entries, start, attempt)
        yield list(dropwhile(lambda entry: entry.role == "user", entries[start:end]))
        start = end


def _end(entries: Sequence[Entry], start: int, attempt: OwnAttempt) -> int:
    places = [index for index in range(start, len(entries)) if entries[index].message == attempt.message]
    if not places:
        raise Damaged(f"has no message {attempt.message!r}, which is to end attempt {attempt.attempt}")
    end = places[0] + 1
    while end < len(entries) and entries[end].role == "tool":
        end += 1
    return end


def place_marks(
    marks: Sequence[OwnMark], steps: Sequence[Step], messages: Sequence[str | None], where: str
) -> tuple[Mark, ...]:
    """Find the words of ``marks`` in ``steps``.

    A mark whose words no step of its kind has is a fault of the environment: it is left out, and one warning
    a sample says how many were.

    Parameters
    ----------
    marks : what the environment recorded.
    steps : of the trajectory.
    messages : for each step, the id of the message that it comes from.
    where : log and sample, for the warning.
    """
    placed = [found for mark in marks if (found := _place(mark, steps, messages))]
    if lost := len(marks) - len(placed):
        logger.warning(
            "%s: %d of %d marks quote what no step says; they are left out", where, lost, len(marks)
        )
    return tuple(placed)


def _place(mark: OwnMark, steps: Sequence[Step], messages: Sequence[str | None]) -> Mark | None:
    quote = encodable(mark.quote)
    for step, message in zip(steps, messages, strict=True):
        if step.kind != mark.step_kind or mark.message not in (None, message):
            continue
        if (start := step.text.find(quote)) >= 0:
            return Mark(mark.kind, step.index, start, start + len(quote))
    return None


_T = TypeVar("_T")
_METADATA = TypeAdapter(OwnMetadata)
_ATTEMPTS = TypeAdapter(list[OwnAttempt])


def _validated(form: TypeAdapter[_T], value: Any) -> _T:
    try:
        return form.validate_python(value)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise Damaged(f"was written by another version of molehunt: {where}: {fault['msg']}") from error
