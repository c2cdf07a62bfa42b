"""Which of a log's events are the agent's doing, and what they say.

A log holds calls to models that are not the agent's: monitors, graders, summaries, proposals that a control
protocol threw away. Roles and model names do not tell them apart, since some experiments run the agent itself
under a role. What tells them apart is what became of the answer; see `agent_answers`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from molehunt.trajectories.inspect_records import (
    Event,
    MessageRecord,
    ModelRecord,
    SampleRecord,
    SpanEndRecord,
    SpanRecord,
    StepRecord,
    ToolRecord,
)

_SCORING = frozenset({"scorer", "scorers"})
_STARTERS = frozenset({"tool", "handoff", "agent"})
_USED = frozenset({ModelRecord, ToolRecord, SpanRecord, SpanEndRecord, StepRecord})
"""Kinds of events that are read. No event is of a kind derived from these, so `type` tells them, which takes
a quarter of the time that `isinstance` does."""


class Answer(NamedTuple):
    """An answer of a model that is the agent's."""

    message: MessageRecord
    call: ModelRecord


class Spans:
    """The tree of spans that events belong to."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._spans: dict[str | None, SpanRecord] = {
            event.id: event for event in events if type(event) is SpanRecord
        }
        self._scoring: dict[str | None, bool] = {None: False}
        self._agents: dict[str | None, SpanRecord | None] = {None: None}
        self._sub_agents: dict[str | None, str | None] = {None: None}

    def scoring(self, span: str | None) -> bool:
        """Whether ``span`` is a scorer's, or inside one."""
        if span in self._scoring:
            return self._scoring[span]
        passed: list[str | None] = []
        while span not in self._scoring:
            record = self._spans.get(span)
            # if not, for now only: what is around it decides, which may be itself in a damaged log
            self._scoring[span] = record is not None and record.type in _SCORING
            passed.append(span)
            if not self._scoring[span]:
                span = record.parent_id if record else None
        self._scoring.update(dict.fromkeys(passed, self._scoring[span]))
        return self._scoring[span]

    def agent(self, span: str | None) -> SpanRecord | None:
        """The innermost agent's span around ``span``."""
        if span not in self._agents:
            self._agents[span] = next((found for found in self._upwards(span) if found.type == "agent"), None)
        return self._agents[span]

    def sub_agent(self, span: str | None) -> str | None:
        """Name of the innermost sub-agent around ``span``, one that a tool or another agent started."""
        if span not in self._sub_agents:
            agent = self.agent(span)
            started = agent and any(record.type in _STARTERS for record in self._upwards(agent.parent_id))
            self._sub_agents[span] = agent.name if agent and started else None
        return self._sub_agents[span]

    def _upwards(self, span: str | None) -> Iterator[SpanRecord]:
        seen: set[str] = set()
        while span is not None and span not in seen and (record := self._spans.get(span)):
            yield record
            seen.add(span)
            span = record.parent_id


class Events:
    """The events of a sample, without those of its scorers.

    Empty for logs from before messages had ids (spring 2025), whose events cannot be matched with messages.

    Attributes
    ----------
    spans : the tree that they belong to.
    model_calls : calls to models that were answered.
    executed : ids of the tool calls that were executed.
    """

    def __init__(self, sample: SampleRecord) -> None:
        events = list(_of_use(sample.events or []))
        self.spans = Spans(events)
        self._pool = sample.events_data.messages if sample.events_data else []
        outside = list(_outside_scorers(events, self.spans))
        calls = _answered(outside)
        named = all(message.id is not None for call in calls for message in call.output.messages)
        self._events = outside if named else []
        self.model_calls = calls if named else []
        self.executed = frozenset(event.id for event in self._events if type(event) is ToolRecord)
        self._kept = {message.id for message in sample.messages if message.role == "assistant"}

    def seen_by(self, call: ModelRecord) -> Iterator[MessageRecord]:
        """The messages that ``call`` sent to its model."""
        yield from call.input
        for start, end in call.input_refs or []:
            yield from self._pool[start:end]

    def agent_answers(self) -> dict[int, Answer]:
        """The model calls whose answers are the agent's, by the call's `id`.

        An answer is the agent's if one of these holds, the last calls looked at first:

        - it stands in the sample's final messages;
        - a tool call that it makes was executed;
        - it is in the history that a later call of the agent's was given;
        - it ends the work of an agent that has a span of its own, and no role was asked for. A sub-agent's
          closing words go to whoever called it and need not appear anywhere else.
        """
        closing = self._closing()
        history: set[str | None] = set(self._kept)
        found: dict[int, Answer] = {}
        taken: set[str | None] = set()  # a cache may give the same message twice; it entered the history once
        scanned = bytearray(len(self._pool))  # pools are shared: without it, long samples take quadratic time
        for call in reversed(self.model_calls):
            message = self._chosen(call, history, last=id(call) in closing)
            if message is None or message.id in taken:
                continue
            taken.add(message.id)
            found[id(call)] = Answer(message, call)
            history.update(_ids(call.input))
            for start, end in call.input_refs or []:
                if 0 in scanned[start:end]:
                    history.update(_ids(self._pool[start:end]))
                    scanned[start:end] = b"\x01" * len(scanned[start:end])
        return found

    def in_order(self) -> Iterator[Answer | ToolRecord]:
        """What the agent answered and what its tools said, in the order in which it happened.

        A tool's event stands where it answered rather than where it was called.
        """
        answers = self.agent_answers()
        unclaimed: list[SpanRecord] = []
        open_tools: dict[str, ToolRecord] = {}
        for event in self._events:
            if type(event) is ModelRecord:
                if id(event) in answers:
                    yield answers[id(event)]
            elif type(event) is SpanRecord:
                if event.type == "tool":
                    unclaimed.append(event)
            elif type(event) is ToolRecord:
                # a handoff is done when the sub-agent begins
                span = _span_of(event, unclaimed) if event.agent is None else None
                if span is None:
                    yield event
                else:
                    open_tools[span.id] = event
            elif type(event) is SpanEndRecord and event.id in open_tools:
                yield open_tools.pop(event.id)
        yield from open_tools.values()

    def _chosen(self, call: ModelRecord, history: set[str | None], *, last: bool) -> MessageRecord | None:
        for message in call.output.messages:
            if message.id in history or any(made.id in self.executed for made in message.calls):
                return message
        return next(iter(call.output.messages), None) if last else None

    def _closing(self) -> set[int]:
        last: dict[str, ModelRecord] = {}
        for call in self.model_calls:
            agent = self.spans.agent(call.span_id)
            if agent is not None and agent.id == call.span_id:
                last[agent.id] = call
        return {id(call) for call in last.values() if call.role is None}


def _ids(messages: Iterable[MessageRecord]) -> Iterator[str | None]:
    return (message.id for message in messages if message.role == "assistant")


def _answered(events: Iterable[Event]) -> list[ModelRecord]:
    calls = [event for event in events if type(event) is ModelRecord]
    return [call for call in calls if not call.error and not call.pending]


def _of_use(events: Iterable[Event]) -> Iterator[Event]:
    """The events of kinds that are read, with those that tools hold in front of these."""
    for event in events:
        if type(event) is ToolRecord and event.events:
            yield from _of_use(event.events)
        if type(event) in _USED:
            yield event


def _outside_scorers(events: Iterable[Event], spans: Spans) -> Iterator[Event]:
    depth = 0  # of scorers in early logs, which have steps that begin and end instead of spans
    for event in events:
        if type(event) is StepRecord and event.type in _SCORING:
            depth += 1 if event.action == "begin" else -1
        elif depth == 0 and not spans.scoring(event.span_id):
            yield event


def _span_of(event: ToolRecord, unclaimed: list[SpanRecord]) -> SpanRecord | None:
    """The span that a tool runs in: begun just before its event, beside it or around it."""
    for position in reversed(range(len(unclaimed))):
        span = unclaimed[position]
        if span.name == event.function and event.span_id in (span.id, span.parent_id):
            return unclaimed.pop(position)
    return None
