"""What happened in a sample of an Inspect log, message by message: events first, messages where they add."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cached_property
from itertools import islice

from msgspec import Struct

from molehunt.trajectories.inspect_events import Answer, Events
from molehunt.trajectories.inspect_messages import (
    Attachments,
    assistant_drafts,
    plain_text,
    result_text,
)
from molehunt.trajectories.inspect_records import MessageRecord, ModelRecord, SampleRecord, ToolRecord
from molehunt.trajectories.messages import THINK, Draft


class Entry(Struct, frozen=True):
    """A message of the history: the agent's, a tool's or a user's.

    Parameters
    ----------
    role : ``assistant``, ``tool`` or ``user``.
    drafts : the steps that it gives.
    message : its id in the log, None in logs from before there were ids.
    model : the model that answered, where an event says so.
    """

    role: str
    drafts: Sequence[Draft]
    message: str | None = None
    model: str | None = None

    @property
    def follows_a_call(self) -> bool:
        """Whether this is still part of what a call set off: its result, or what a sub-agent did for it."""
        return self.role == "tool" or any(draft.agent is not None for draft in self.drafts)


def history(sample: SampleRecord) -> list[Entry]:
    """Everything that the agent of a sample said and did, that its tools answered and that users added later.

    The agent's doings come from the events, because messages lose some of it: an agent's last call and
    reasoning, a sub-agent's calls, whatever a compaction summed up. The sample's messages then add what no
    event holds: later turns of a user, and everything in logs whose events do not name messages. Messages
    that only a model's input holds are never shown: control protocols whisper their instructions there.
    """
    attachments = Attachments(sample.attachments)
    events = Events(sample)
    clock = _Clock(sample)
    entries = _with_messages(list(_from_events(events, attachments, clock)), sample.messages, attachments)
    return [entry for entry in entries if not _is_nod(entry)]


def _is_nod(entry: Entry) -> bool:
    """Whether this is the empty answer of a thinking tool."""
    return entry.role == "tool" and all(draft.tool == THINK and not draft.text for draft in entry.drafts)


def _from_events(events: Events, attachments: Attachments, clock: _Clock) -> Iterator[Entry]:
    unanswered: set[str] = set()  # calls without a tool event, as agents make that run outside Inspect
    for item in events.in_order():
        if isinstance(item, Answer):
            for seen in events.seen_by(item.call) if unanswered else ():
                if seen.role == "tool" and seen.tool_call_id in unanswered:
                    unanswered.remove(seen.tool_call_id)
                    yield _tool_entry(seen, attachments)
            event: ModelRecord | ToolRecord = item.call
            unanswered |= {made.id for made in item.message.calls} - events.executed
            entry = _answer_entry(item, attachments)
        elif item.answered:
            event, entry = item, _result_entry(item, attachments)
        else:
            continue  # the run ended before the tool answered
        agent, seconds = events.spans.sub_agent(event.span_id), clock(event)
        for draft in entry.drafts:
            draft.agent, draft.seconds = agent, seconds
        yield entry


def _result_entry(tool: ToolRecord, attachments: Attachments) -> Entry:
    text = result_text(tool.result, tool.error, attachments)
    return Entry(
        "tool", (Draft("tool_result", text, tool=tool.function, answers_call=tool.id),), tool.message_id
    )


def _answer_entry(answer: Answer, attachments: Attachments) -> Entry:
    usage = answer.call.output.usage
    hidden = usage is not None and bool(usage.reasoning_tokens)
    drafts = assistant_drafts(answer.message, attachments, hidden_reasoning=hidden)
    return Entry("assistant", drafts, answer.message.id, answer.call.model)


def _with_messages(
    entries: list[Entry], messages: list[MessageRecord], attachments: Attachments
) -> list[Entry]:
    """``entries`` and, at their places between them, the messages that no entry stands for."""
    known = _Known(entries)
    places = [known.place(message) for message in messages]
    found = any(place is not None for place in places)
    slot = 0 if found else len(entries)  # behind how many entries we are
    added: list[list[Entry]] = [[] for _ in range(len(entries) + 1)]
    for message, place in islice(zip(messages, places, strict=True), _opening(messages, places, known), None):
        if place is not None:
            slot = place + 1
        elif (entry := _entry(message, attachments)) and not known.says(entry):
            while slot < len(entries) and entries[slot].follows_a_call:
                slot += 1
            added[slot].append(entry)
    merged = added[0]
    for entry, more in zip(entries, added[1:], strict=True):
        merged += [entry, *more]
    return merged


def _opening(messages: list[MessageRecord], places: list[int | None], known: _Known) -> int:
    """How many messages are the prompt: all before the agent's first own one.

    Good answers that a prompt shows as examples look like the agent's, but no model is known to have given
    them.
    """
    theirs = [
        place is not None or known.ran(message) or message.source == "generate"
        for message, place in zip(messages, places, strict=True)
    ]
    if not any(theirs):
        theirs = [message.role in ("assistant", "tool") and message.source != "input" for message in messages]
    return theirs.index(True) if any(theirs) else len(messages)


class _Known:
    """Finds the entry that stands for a message: by id, by the calls it makes or answers, by words."""

    def __init__(self, entries: list[Entry]) -> None:
        self._entries = entries
        self._messages: dict[str, int] = {}
        self._calls: dict[str, int] = {}
        self._results: dict[str, int] = {}
        for index, entry in enumerate(entries):
            if entry.message is not None:
                self._messages[entry.message] = index
            for draft in entry.drafts:
                if draft.call is not None:
                    self._calls[draft.call] = index
                if draft.answers_call is not None:
                    self._results[draft.answers_call] = index

    def place(self, message: MessageRecord) -> int | None:
        """Index of the entry that stands for ``message``."""
        if message.id in self._messages:
            return self._messages[message.id]
        if message.role == "tool":
            return self._results.get(message.tool_call_id or "")
        return next((self._calls[call.id] for call in message.calls if call.id in self._calls), None)

    def ran(self, message: MessageRecord) -> bool:
        """Whether a tool that ``message`` called has answered, though no model is known to have said it."""
        return any(call.id in self._results for call in message.calls)

    def says(self, entry: Entry) -> bool:
        """Whether an entry has the words of ``entry``: a handed-back conversation repeats what was said.

        What tools answered comes back as a user's words, but a user who repeats the agent's has said them.
        """
        words = _words(entry)
        return entry.role != "tool" and bool(words[1]) and words in self._said

    @cached_property
    def _said(self) -> frozenset[tuple[bool, str]]:
        return frozenset(map(_words, self._entries))


def _words(entry: Entry) -> tuple[bool, str]:
    """What an entry says, and whether the agent says it."""
    text = "\n".join(draft.text for draft in entry.drafts if draft.kind != "reasoning")
    return entry.role == "assistant", text


def _entry(message: MessageRecord, attachments: Attachments) -> Entry | None:
    match message.role:
        case "assistant":
            return Entry("assistant", assistant_drafts(message, attachments), message.id)
        case "tool":
            return _tool_entry(message, attachments)
        case "user" if not (message.metadata or {}).get("summary"):  # a compaction's summary is no user's
            text = plain_text(message.content, attachments)
            return Entry("user", (Draft("user", text),), message.id) if text.strip() else None
    return None


def _tool_entry(message: MessageRecord, attachments: Attachments) -> Entry:
    text = result_text(message.content, message.error, attachments)
    draft = Draft("tool_result", text, tool=message.function, answers_call=message.tool_call_id)
    return Entry("tool", (draft,), message.id)


class _Clock:
    """Seconds since a sample began."""

    def __init__(self, sample: SampleRecord) -> None:
        first = sample.events[0].timestamp if sample.events else None
        self._start = _time(sample.started_at) or _time(first)

    def __call__(self, event: ModelRecord | ToolRecord) -> float | None:
        time = _time(event.finished_at)
        if time is None or self._start is None:
            return None
        return round((time - self._start).total_seconds(), 3)


def _time(timestamp: str | None) -> datetime | None:
    try:
        time = datetime.fromisoformat(timestamp or "")
    except ValueError:
        return None
    return time if time.tzinfo else time.astimezone()
