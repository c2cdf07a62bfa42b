"""A run that is still going on, put together from its messages as they come, each read once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from molehunt.adapters.reading import Reading
from molehunt.trajectories import Growing
from molehunt.trajectories.inspect_messages import Attachments, assistant_drafts, plain_text, result_text
from molehunt.trajectories.inspect_records import MessageRecord, record_of
from molehunt.trajectories.messages import THINK, Draft, Numbering

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage

_IN_PLACE = Attachments({})
"""Messages that are not in a log have their texts with them."""


class LiveRun:
    """What an agent has done so far.

    Parameters
    ----------
    opening : what the reader makes of the messages that there are at first: the task, and what had been done
        already when the watching began.
    messages : those messages.

    Attributes
    ----------
    run : the trajectory as it grows.
    sources : id of the message of each step.
    """

    def __init__(self, opening: Reading, messages: Sequence[ChatMessage]) -> None:
        self.run = Growing(opening.trajectory.task, opening.trajectory.steps)
        self.sources: list[str | None] = list(opening.messages)
        self._numbering = Numbering(len(self.run))
        self._known = {_identity(message) for message in messages}

    def hear(self, messages: Sequence[ChatMessage], *, hidden_reasoning: bool = False) -> None:
        """Add what is new at the end of ``messages``, a conversation or a part of one.

        Parameters
        ----------
        messages : in order.
        hidden_reasoning : whether the agent has reasoned for the last one, even if the message shows nothing.
        """
        new: list[ChatMessage] = []
        for message in reversed(messages):
            if _identity(message) in self._known:
                break
            new.append(message)
        for message in reversed(new):
            self._known.add(_identity(message))
            record = record_of(message.model_dump(mode="json"), MessageRecord)
            steps = self._numbering.steps(_drafts(record, hidden_reasoning and message is messages[-1]))
            self.run.add(steps)
            self.sources += [message.id] * len(steps)


def _identity(message: ChatMessage) -> str:
    """The same for a message wherever it is met; results are made anew on the way, with other ids."""
    return f"result of {message.tool_call_id}" if message.role == "tool" else str(message.id)


def _drafts(message: MessageRecord, hidden_reasoning: bool) -> Iterator[Draft]:
    match message.role:
        case "assistant":
            yield from assistant_drafts(message, _IN_PLACE, hidden_reasoning=hidden_reasoning)
        case "tool":
            text = result_text(message.content, message.error, _IN_PLACE)
            if text or message.function != THINK:
                yield Draft("tool_result", text, tool=message.function, answers_call=message.tool_call_id)
        case "user" if not (message.metadata or {}).get("summary"):  # a compaction's summary is no user's
            text = plain_text(message.content, _IN_PLACE)
            if text.strip():
                yield Draft("user", text)
