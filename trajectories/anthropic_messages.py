"""Anthropic's messages, one conversation a line: thinking, redacted thinking and tool use in blocks.

A line is a request, with or without its answer, or a line of a batch's requests or results; see
``anthropic.types.MessageParam``, ``ContentBlockParam`` and ``Message``, and for batches
https://platform.claude.com/docs/en/api/messages/batches/results.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.beginnings import Beginning
from molehunt.trajectories.openai_chat import first_list
from molehunt.trajectories.records import Reading, find, record_reader
from molehunt.trajectories.runs import Run

SOURCE = "anthropic"

_MESSAGES = ("messages", "params.messages", "request.messages", "body.messages")
_ANSWERS = ("result.message", "response", "message", "output")
_USES = (
    "messages",
    "params",
    "request",
    "body",
    "result",
    "response",
    "message",
    "output",
    "content",
    "role",
)
_BLOCKS = frozenset(
    {"thinking", "redacted_thinking", "tool_use", "tool_result", "server_tool_use", "mcp_tool_use"}
)


def is_anthropic(beginning: Beginning) -> bool:
    """Whether a file's first record is of Anthropic's form, and not merely of any chat's."""
    record = beginning.record
    parts = (record, *(record.get(name) for name in ("params", "request", "body")))
    request = next((part for part in parts if isinstance(part, dict) and _messages(part)), {})
    return (
        "system" in request
        or bool(_answer(record))
        or any(
            isinstance(block, dict) and str(block.get("type")) in _BLOCKS
            for message in _messages(request)
            for block in _blocks(message)
        )
    )


def _run(reading: Reading, record: dict[str, Any]) -> Run:
    messages, answer = first_list(record, _MESSAGES), _answer(record)
    if messages is None and not answer:
        kind = find(record, "result.type")
        raise Damaged(f"has no message: its result is {kind!r}" if kind else "has no messages and no answer")
    talk = reading.talk()
    talk.turns(messages or [])
    if answer:
        talk.message({"role": "assistant", **answer})
    model = answer.get("model") or find(record, "params.model") or find(record, "request.model")
    return reading.run(
        talk,
        record,
        uses=_USES,
        known={"model": model} if isinstance(model, str) else {},
        ending="limit" if answer.get("stop_reason") == "max_tokens" else "finished",
    )


def _answer(record: Mapping[str, Any]) -> dict[str, Any]:
    """The model's message in a record, empty if there is none."""
    for value in (find(record, place) for place in _ANSWERS):
        if isinstance(value, dict) and _is_answer(value):
            return value
    return dict(record) if _is_answer(record) else {}


def _is_answer(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("content"), list) and (
        value.get("type") == "message" or ("stop_reason" in value and value.get("role") == "assistant")
    )


def _messages(part: Mapping[str, Any]) -> list[Any]:
    messages = part.get("messages")
    return messages if isinstance(messages, list) else []


def _blocks(message: Any) -> list[Any]:
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, list) else []


anthropic_runs = record_reader(SOURCE, _run)
"""Reads conversations, one in memory at a time; see `record_reader`."""
