"""The parts of an Inspect log that the reader uses, as Inspect writes them.

Logs come from strangers and from many versions: every field that some version lacks is optional, what is not
used is ignored, and what has another type than expected is refused when the record is made.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

_Block = Annotated[str | dict[str, Any], Field(union_mode="left_to_right")]
Content = Annotated[str | list[_Block] | None, Field(union_mode="left_to_right")]
"""A message's content: text, or blocks of text, reasoning, images, server-side tool use, …."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, coerce_numbers_to_str=True)


class CallRecord(_Record):
    """A tool call that a message makes."""

    id: str
    function: str
    arguments: Any = None


class MessageRecord(_Record):
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


class _ChoiceRecord(_Record):
    message: MessageRecord


class _UsageRecord(_Record):
    reasoning_tokens: int | None = None


class OutputRecord(_Record):
    """What a model answered."""

    choices: list[_ChoiceRecord] = Field(default_factory=list)
    usage: _UsageRecord | None = None

    @property
    def messages(self) -> list[MessageRecord]:
        return [choice.message for choice in self.choices]


class _EventRecord(_Record):
    span_id: str | None = None
    timestamp: str | None = None
    completed: str | None = None
    pending: bool | None = None

    @property
    def finished_at(self) -> str | None:
        return self.completed or self.timestamp


class ModelRecord(_EventRecord):
    """One call to a model. ``input`` stands in the event or, by ``input_refs``, in the sample's pool."""

    event: Literal["model"]
    model: str
    role: str | None = None
    input: list[MessageRecord] = Field(default_factory=list)
    input_refs: list[tuple[int, int]] | None = None
    output: OutputRecord = Field(default_factory=OutputRecord)
    error: Any = None


class ToolRecord(_EventRecord):
    """One execution of a tool; ``agent`` is set if it handed over to a sub-agent.

    Early logs keep the events of what the tool set off in ``events``.
    """

    event: Literal["tool"]
    id: str
    function: str
    result: Any = None
    error: Any = None
    failed: bool | None = None
    message_id: str | None = None
    agent: str | None = None
    events: list[Event] = Field(default_factory=list)

    @property
    def answered(self) -> bool:
        """Whether the tool answered, if with an error, before the run ended."""
        return bool(self.result or self.error) or not (self.pending or self.failed)

    @property
    def finished_at(self) -> str | None:
        return self.timestamp if self.agent is not None else super().finished_at


class SpanRecord(_EventRecord):
    """The beginning of a span: a stretch of events that belong together."""

    event: Literal["span_begin"]
    id: str
    name: str
    parent_id: str | None = None
    type: str | None = None


class SpanEndRecord(_EventRecord):
    """The end of a span."""

    event: Literal["span_end"]
    id: str


class StepRecord(_EventRecord):
    """The beginning or end of a step, of which early logs have what later logs have spans of."""

    event: Literal["step"]
    action: str
    type: str | None = None


class OtherRecord(_EventRecord):
    """Any other event."""

    event: str

    @field_validator("event")
    @classmethod
    def _is_another(cls, event: str) -> str:
        if event in ("model", "tool", "span_begin", "span_end", "step"):
            raise ValueError(f"a malformed {event} event")
        return event


_Known = Annotated[
    ModelRecord | ToolRecord | SpanRecord | SpanEndRecord | StepRecord, Field(discriminator="event")
]
Event = Annotated[_Known | OtherRecord, Field(union_mode="left_to_right")]
"""An event that the reader knows, or another one."""

ToolRecord.model_rebuild()


class _PoolRecord(_Record):
    messages: list[MessageRecord] = Field(default_factory=list)


class _LimitRecord(_Record):
    type: str | None = None


class SampleRecord(_Record):
    """One sample: a problem, what was done about it, and how it was scored."""

    id: str
    epoch: int = Field(1, ge=0, lt=2**31)
    input: str | list[MessageRecord] = ""
    messages: list[MessageRecord] = Field(default_factory=list)
    events: list[Event] | None = None
    events_data: _PoolRecord | None = None
    attachments: dict[str, str] | None = None
    metadata: dict[str, Any] | None = None
    store: dict[str, Any] | None = None
    scores: dict[str, Any] | None = None
    error: Any = None
    limit: _LimitRecord | None = None
    uuid: str | None = None
    started_at: str | None = None


class _RoleRecord(_Record):
    model: str | None = None


class _DatasetRecord(_Record):
    sample_ids: list[str] | None = None


class EvalRecord(_Record):
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
        return (self.dataset.sample_ids if self.dataset else None) or []


class HeaderRecord(_Record):
    """A log's header."""

    eval: EvalRecord
    status: str = "started"
