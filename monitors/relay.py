"""Conversations that somebody else's monitor has with a model: passed on as they are, and paid for once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput
    from inspect_ai.tool import ToolChoice, ToolInfo

_ACCIDENTAL = {"id", "source", "metadata", "model"}
"""Parts of a message that no model reads, and that differ from one run to the next."""


@runtime_checkable
class Relay(Protocol):
    """An `Ask` that also passes on conversations, for adapters. Our own monitors have no need of it."""

    async def relay(
        self,
        role: str,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolInfo] = (),
        tool_choice: ToolChoice | None = None,
        config: GenerateConfig | None = None,
    ) -> ModelOutput:
        """What the model of ``role`` answers; raises `molehunt.monitors.Unanswered` if it does not."""
        ...

    def word(self, task: str) -> str:
        """The boundary of ``task``; see `molehunt.scoring.messages.boundary`."""
        ...


@dataclass(frozen=True)
class Conversation:
    """A request in somebody else's words.

    Parameters
    ----------
    said : its messages.
    tools, tool_choice : what the model may or must call.
    """

    said: tuple[ChatMessage, ...]
    tools: tuple[ToolInfo, ...] = ()
    tool_choice: ToolChoice | None = None

    @property
    def canonical(self) -> str:
        """The request as one string, for its digest."""
        said = [_plain(message.model_dump(mode="json", exclude=_ACCIDENTAL)) for message in self.said]
        tools = [_plain(tool.model_dump(mode="json")) for tool in self.tools]
        choice = self.tool_choice if isinstance(self.tool_choice, str | None) else vars(self.tool_choice)
        return json.dumps([said, tools, choice], sort_keys=True, ensure_ascii=True)

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text of the request."""
        return tuple(message.text for message in self.said)

    @property
    def shared(self) -> str:
        """What several requests may begin with."""
        return "".join(self.texts[:1])

    def after(self, answer: str, instructions: str) -> Conversation:
        """The conversation that goes on after ``answer`` with ``instructions``."""
        from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

        more = (ChatMessageAssistant(content=answer), ChatMessageUser(content=instructions))
        return replace(self, said=(*self.said, *more))

    def messages(self) -> list[ChatMessage]:
        """The request as Inspect's messages."""
        return list(self.said)


def _plain(value: Any) -> Any:
    """``value`` without what is not given: later versions of Inspect may have more that is not."""
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items() if part is not None}
    return [_plain(part) for part in value] if isinstance(value, list) else value
