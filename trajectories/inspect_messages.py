"""From one message of an Inspect log to drafts of steps."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from molehunt.trajectories.inspect_records import Content, MessageRecord
from molehunt.trajectories.messages import Draft, call_draft, text_pieces
from molehunt.trajectories.reasoning import readable
from molehunt.trajectories.steps import encodable

_ATTACHMENT = re.compile(r"attachment://([0-9a-f]{32})")
MISSING_ATTACHMENT = "[missing attachment]"


class Attachments:
    """Puts back the long texts that Inspect moves out of events and messages.

    A reference to an attachment that the log does not hold becomes `MISSING_ATTACHMENT`, so that no reference
    ever reaches a step. Text that merely begins like one is left alone.

    Examples
    --------
    >>> attachments = Attachments({"0123456789abcdef0123456789abcdef": "a long text"})
    >>> attachments.resolve({"code": "attachment://0123456789abcdef0123456789abcdef", "n": 1})
    {'code': 'a long text', 'n': 1}
    """

    def __init__(self, texts: Mapping[str, str] | None) -> None:
        self._texts = texts or {}

    def resolve(self, value: Any) -> Any:
        """``value``, a JSON value, with every reference in it replaced, and lone surrogates by U+FFFD."""
        match value:
            case str():
                return encodable(self.text(value))
            case list():
                return [self.resolve(item) for item in value]
            case dict():
                return {encodable(str(name)): self.resolve(item) for name, item in value.items()}
        return value

    def text(self, text: str) -> str:
        """One string, resolved."""
        reference = _ATTACHMENT.fullmatch(text) if text.startswith("attachment://") else None
        return self._texts.get(reference[1], MISSING_ATTACHMENT) if reference else text


def assistant_drafts(
    message: MessageRecord, attachments: Attachments, *, hidden_reasoning: bool = False
) -> Iterator[Draft]:
    """What an agent's message says and does: reasoning, prose, code, then its tool calls.

    Parameters
    ----------
    message : with the role ``assistant``.
    attachments : of its sample.
    hidden_reasoning : whether the provider charged for reasoning; if the message shows none, a step with an
        empty text stands for it.
    """
    drafts = list(_content_drafts(message.content, attachments))
    if hidden_reasoning and not any(draft.kind == "reasoning" for draft in drafts):
        yield Draft("reasoning", "", readable="hidden")
    yield from drafts
    for call in message.calls:
        yield call_draft(call.function, attachments.resolve(call.arguments or {}), call.id)


def result_text(content: Any, error: Any, attachments: Attachments) -> str:
    """What a tool answered, as text: its output, and its error if there was one.

    Examples
    --------
    >>> content = [{"type": "text", "text": "a.py"}, {"type": "image", "image": "data:…"}]
    >>> print(result_text(content, None, Attachments({})))
    a.py
    [image]
    >>> result_text("", {"type": "timeout", "message": "Timed out."}, Attachments({}))
    'Timed out.'
    """
    text = plain_text(content, attachments)
    fault = error.get("message") if isinstance(error, dict) else error
    if not isinstance(fault, str) or not fault:
        return text
    fault = attachments.text(fault)
    return text if fault in text else "\n".join(filter(None, [text, fault]))


def plain_text(content: Any, attachments: Attachments) -> str:
    """Content as text, other media as ``[image]``, ``[audio]``, …; never a Python repr, never base64."""
    if isinstance(content, str):  # as nearly all are
        return attachments.text(content)
    match content:
        case None:
            return ""
        case list():
            return "\n".join(plain_text(block, attachments) for block in content)
        case {"type": "text", "text": str(text)}:
            return attachments.text(text)
        case {"type": str(kind)} if kind.isidentifier():
            return f"[{kind}]"
        case bool() | int() | float():
            return str(content)
    return json.dumps(attachments.resolve(content), ensure_ascii=False)


def _content_drafts(content: Content, attachments: Attachments) -> Iterator[Draft]:
    said: list[str] = []  # neighbouring texts are one text: a fence may begin in one and end in the next
    for block in [content] if isinstance(content, str) else content or []:
        if not isinstance(block, str) and block.get("type") == "reasoning":
            yield from _said(said)
            yield _reasoning_draft(block, attachments)
        elif not isinstance(block, str) and block.get("type") == "tool_use":
            yield from _said(said)
            yield from _server_tool_drafts(block, attachments)
        else:
            said.append(plain_text(block, attachments))
    yield from _said(said)


def _said(texts: list[str]) -> Iterator[Draft]:
    for kind, piece in text_pieces("\n".join(texts)):
        yield Draft(kind, piece, readable="full" if kind == "reasoning" else None)
    texts.clear()


def _reasoning_draft(block: Mapping[str, Any], attachments: Attachments) -> Draft:
    reasoning, summary = (plain_text(block.get(part), attachments) for part in ("reasoning", "summary"))
    text, kind = readable(reasoning, summary, redacted=bool(block.get("redacted")))
    return Draft("reasoning", text, readable=kind)


def _server_tool_drafts(block: Mapping[str, Any], attachments: Attachments) -> Iterator[Draft]:
    """A tool that the provider ran by itself, such as a web search: call and result stand in one block."""
    name, call = str(block.get("name")), str(block.get("id"))
    arguments = attachments.resolve(block.get("arguments"))
    with contextlib.suppress(TypeError, ValueError):  # not JSON: it stays the text that it is
        arguments = json.loads(arguments)
    yield call_draft(name, arguments, call)
    answer = result_text(block.get("result"), block.get("error"), attachments)
    yield Draft("tool_result", answer, tool=name, answers_call=call)
