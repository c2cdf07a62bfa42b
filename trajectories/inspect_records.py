"""The parts of an Inspect log that the reader uses, as Inspect writes them.

Logs come from strangers and from many versions: every field that some version lacks is optional, what is not
used is passed over without being built, and what has another type than expected is refused when the record is
made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Union

from msgspec import DecodeError, Meta, Struct, ValidationError, convert, defstruct, field
from msgspec.json import Decoder

Content = str | list[str | dict[str, Any]] | None
"""A message's content: text, or blocks of text, reasoning, images, server-side tool use, …."""


# records are trees, so the collector of cyclic garbage need not look at them
class _Record(Struct, gc=False):
    pass


class CallRecord(_Record, kw_only=True):
    """A tool call that a message makes."""

    id: str
    function: str
    arguments: Any = None


class MessageRecord(_Record, kw_only=True):
    """A message of a conversation. Logs before spring 2025 give messages no ``id``."""

    role: str
    content: Content = None
    id: str | None = None
    source: str | None = None
    tool_calls: list[CallRecord] | None = None
    tool_call_id: str | None = None
    function: str | None = None
    error: Any = None
    metadata: dict[str, Any] | None = None

    @property
    def calls(self) -> list[CallRecord]:
        return self.tool_calls or []


class _ChoiceRecord(_Record, kw_only=True):
    message: MessageRecord


class _UsageRecord(_Record, kw_only=True):
    reasoning_tokens: int | None = None


class OutputRecord(_Record, kw_only=True):
    """What a model answered."""

    choices: list[_ChoiceRecord] = field(default_factory=list)
    usage: _UsageRecord | None = None

    @property
    def messages(self) -> list[MessageRecord]:
        return [choice.message for choice in self.choices]


class Event(_Record, kw_only=True):
    """What all events have; one of a kind that the reader does not use is no more than this."""

    span_id: str | None = None
    timestamp: str | None = None
    completed: str | None = None
    pending: bool | None = None

    @property
    def finished_at(self) -> str | None:
        return self.completed or self.timestamp


class ModelRecord(Event, kw_only=True, tag_field="event", tag="model"):
    """One call to a model. ``input`` stands in the event or, by ``input_refs``, in the sample's pool."""

    model: str
    role: str | None = None
    input: list[MessageRecord] = field(default_factory=list)
    input_refs: list[tuple[int, int]] | None = None
    output: OutputRecord = field(default_factory=OutputRecord)
    error: Any = None


class ToolRecord(Event, kw_only=True, tag_field="event", tag="tool"):
    """One execution of a tool; ``agent`` is set if it handed over to a sub-agent.

    Early logs keep the events of what the tool set off in ``events``.
    """

    id: str
    function: str
    result: Any = None
    error: Any = None
    failed: bool | None = None
    message_id: str | None = None
    agent: str | None = None
    events: list[_OneEvent] = field(default_factory=list)

    @property
    def answered(self) -> bool:
        """Whether the tool answered, if with an error, before the run ended."""
        return bool(self.result or self.error) or not (self.pending or self.failed)

    @property
    def finished_at(self) -> str | None:
        return self.timestamp if self.agent is not None else super().finished_at


class SpanRecord(Event, kw_only=True, tag_field="event", tag="span_begin"):
    """The beginning of a span: a stretch of events that belong together."""

    id: str
    name: str
    parent_id: str | None = None
    type: str | None = None


class SpanEndRecord(Event, kw_only=True, tag_field="event", tag="span_end"):
    """The end of a span."""

    id: str


class StepRecord(Event, kw_only=True, tag_field="event", tag="step"):
    """The beginning or end of a step, of which early logs have what later logs have spans of."""

    action: str
    type: str | None = None


class _PoolRecord(_Record, kw_only=True):
    messages: list[MessageRecord] = field(default_factory=list)


class _LimitRecord(_Record, kw_only=True):
    type: str | None = None


class SampleRecord(_Record, kw_only=True):
    """One sample: a problem, what was done about it, and how it was scored.

    Made by `sample_of_text` or `sample_of_value`, its events are each an `Event`.
    """

    given_id: str | int | float = field(name="id")
    epoch: Annotated[int, Meta(ge=0, lt=2**31)] = 1
    input: str | list[MessageRecord] = ""
    messages: list[MessageRecord] = field(default_factory=list)
    events: list[Any] | None = None
    events_data: _PoolRecord | None = None
    attachments: dict[str, str] | None = None
    metadata: dict[str, Any] | None = None
    store: dict[str, Any] | None = None
    scores: dict[str, Any] | None = None
    error: Any = None
    limit: _LimitRecord | None = None
    uuid: str | None = None
    started_at: str | None = None

    @property
    def id(self) -> str:
        return str(self.given_id)


class _RoleRecord(_Record, kw_only=True):
    model: str | None = None


class _DatasetRecord(_Record, kw_only=True):
    sample_ids: list[str | int | float] | None = None


class EvalRecord(_Record, kw_only=True):
    """What was evaluated, from a log's header."""

    task: str
    model: str | None = None
    model_roles: dict[str, _RoleRecord | list[_RoleRecord]] | None = None
    task_id: str | None = None
    eval_id: str | None = None
    run_id: str | None = None
    metadata: dict[str, Any] | None = None
    dataset: _DatasetRecord | None = None

    @property
    def sample_ids(self) -> list[str]:
        """Ids of the samples in the order of the data set, empty where the log does not say."""
        return [str(name) for name in (self.dataset.sample_ids if self.dataset else None) or []]


class HeaderRecord(_Record, kw_only=True):
    """A log's header."""

    eval: EvalRecord
    status: str = "started"


class Misshapen(ValueError):
    """A value is not laid out as its record is; the message says where, and what is wrong there."""


_T = TypeVar("_T")
_EVENTS: Mapping[str, type[Event]] = {
    "model": ModelRecord,
    "tool": ToolRecord,
    "span_begin": SpanRecord,
    "span_end": SpanEndRecord,
    "step": StepRecord,
}
_OTHER_EVENTS = (
    *("anchor", "approval", "branch", "checkpoint", "compaction", "error", "info", "input", "interrupt"),
    *("logger", "review", "sample_init", "sample_limit", "sandbox", "score", "score_edit", "sentinel"),
    *("state", "store", "subtask"),
)
"""Kinds of events that the reader does not use; a sample with one that is not listed is read more slowly."""


class _AnyEvent(Event, kw_only=True):
    event: str


if TYPE_CHECKING:
    _OneEvent = Event
else:
    _others = (defstruct(kind, [], bases=(Event,), tag_field="event", tag=kind) for kind in _OTHER_EVENTS)
    _OneEvent = Union[(*_EVENTS.values(), *_others)]

_Sample: Any = defstruct(
    "_Sample", [("events", list[_OneEvent] | None, None)], bases=(SampleRecord,), kw_only=True
)
_sample = Decoder(_Sample).decode


def sample_of_text(text: bytes | memoryview) -> SampleRecord | None:
    """The sample that is written in ``text``, by the fastest way there is.

    Returns
    -------
    SampleRecord or None
        None for what this way cannot read: ``NaN``, which Inspect writes, lone surrogates, and all that is
        wrong.
    """
    try:
        sample: SampleRecord = _sample(text)
    except (DecodeError, RecursionError):
        return None
    return sample


def sample_of_value(value: Any) -> SampleRecord:
    """The sample that a JSON value is.

    Raises
    ------
    Misshapen
        If it is none.
    """
    sample = record_of(value, SampleRecord)
    if sample.events is not None:
        sample.events = _events_of_values(sample.events, "events")
    return sample


def record_of(value: Any, record: type[_T], place: str = "") -> _T:
    """The record of a type that a JSON value is.

    Parameters
    ----------
    value : of which only the fields of the record are looked at.
    record : type of the record.
    place : where the value stands, for messages.

    Raises
    ------
    Misshapen
        If it is none.

    Examples
    --------
    >>> record_of({"role": "user", "content": "Hello.", "more": 1}, MessageRecord).content
    'Hello.'
    >>> record_of({"eval": {"model": "m"}}, HeaderRecord)
    Traceback (most recent call last):
    molehunt.trajectories.inspect_records.Misshapen: eval.task: Field required
    """
    try:
        return convert(value, record)
    except ValidationError as error:
        raise Misshapen(_in_words(str(error), place)) from error


def _events_of_values(values: list[Any], place: str) -> list[Event]:
    try:
        return convert(values, list[_OneEvent])
    except ValidationError:  # one by one, to say which it is, or for kinds not known yet
        events: list[Event] = []
    for number, value in enumerate(values):
        event: Event
        event = any_event = record_of(value, _AnyEvent, f"{place}.{number}")
        record = _EVENTS.get(any_event.event)
        if record is not None:
            where = f"{place}.{number}.{any_event.event}"
            inner = value.get("events") if record is ToolRecord else None
            if isinstance(inner, list):  # among which may be kinds that are not known yet
                event = tool = record_of({**value, "events": []}, ToolRecord, where)
                tool.events = _events_of_values(inner, f"{where}.events")
            else:
                event = record_of(value, record, where)
        events.append(event)
    return events


def _in_words(fault: str, place: str) -> str:
    what, _, path = fault.partition(" - at `$")
    where = place + re.sub(r"\[(\d+)\]", r".\1", path.rstrip("`"))
    if missing := re.fullmatch(r"Object missing required field `(.+)`", what):
        where, what = f"{where}.{missing[1]}", "Field required"
    return f"{where.lstrip('.')}: {what}" if where else what
