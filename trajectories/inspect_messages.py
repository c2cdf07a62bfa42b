"""From one message of an Inspect log to drafts of steps."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from typing import Any

from molehunt.trajectories.inspect_records import Content, MessageRecord
from molehunt.trajectories.messages import Draft, call_draft, text_pieces
from molehunt.trajectories.reasoning import readable
from molehunt.trajectories.steps import encodable

_SCHEME = "attachment://"
_ATTACHMENT = re.compile(_SCHEME + r"([0-9a-f]{32})")
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
        reference = _ATTACHMENT.fullmatch(text) if text.startswith(_SCHEME) else None
        return self._texts.get(reference[1], MISSING_ATTACHMENT) if reference else text


def assistant_drafts(
    message: MessageRecord, attachments: Attachments, *, hidden_reasoning: bool = False
) -> list[Draft]:
    """What an agent's message says and does: reasoning, prose, code, then its tool calls.

    Parameters
    ----------
    message : with the role ``assistant``.
    attachments : of its sample.
    hidden_reasoning : whether the provider charged for reasoning; if the message shows none, a step with an
        empty text stands for it.
    """
    drafts = _content_drafts(message.content, attachments)
    if hidden_reasoning and not any(draft.kind == "reasoning" for draft in drafts):
        drafts.insert(0, Draft("reasoning", "", readable="hidden"))
    for call in message.calls:
        drafts.append(call_draft(call.function, attachments.resolve(call.arguments or {}), call.id))
    return drafts


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


def _content_drafts(content: Content, attachments: Attachments) -> list[Draft]:
    drafts: list[Draft] = []
    said: list[str] = []  # neighbouring texts are one text: a fence may begin in one and end in the next
    for block in [content] if isinstance(content, str) else content or ():
        kind = None if isinstance(block, str) else block.get("type")
        if isinstance(block, str) or kind not in ("reasoning", "tool_use"):
            said.append(plain_text(block, attachments))
            continue
        if said:
            drafts += _said(said)
            said = []
        if kind == "reasoning":
            drafts.append(_reasoning_draft(block, attachments))
        else:
            drafts += _server_tool_drafts(block, attachments)
    return drafts + _said(said) if said else drafts


def _said(texts: list[str]) -> list[Draft]:
    pieces = text_pieces("\n".join(texts))
    return [Draft(kind, text, readable="full" if kind == "reasoning" else None) for kind, text in pieces]


def _reasoning_draft(block: Mapping[str, Any], attachments: Attachments) -> Draft:
    reasoning = plain_text(block.get("reasoning"), attachments)
    summary = plain_text(block.get("summary"), attachments)
    text, kind = readable(reasoning, summary, redacted=bool(block.get("redacted")))
    return Draft("reasoning", text, readable=kind)


def _server_tool_drafts(block: Mapping[str, Any], attachments: Attachments) -> list[Draft]:
    """A tool that the provider ran by itself, such as a web search: call and result stand in one block."""
    name, call = str(block.get("name")), str(block.get("id"))
    arguments = attachments.resolve(block.get("arguments"))
    with contextlib.suppress(TypeError, ValueError):  # not JSON: it stays the text that it is
        arguments = json.loads(arguments)
    answer = result_text(block.get("result"), block.get("error"), attachments)
    return [
        call_draft(name, arguments, call),
        Draft("tool_result", answer, tool=name, answers_call=call),
    ]
