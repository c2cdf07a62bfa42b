"""From the messages of a conversation to steps, whoever's message format it is.

OpenAI's, Anthropic's and AgentDojo's messages and blocks of content have names of their own for nearly
everything and none in common that mean different things, so one vocabulary serves for all: see the types in
``openai.types.chat``, ``anthropic.types.ContentBlockParam`` and ``agentdojo.types``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.lines import parsed
from molehunt.trajectories.mapping import Tally
from molehunt.trajectories.messages import THINK, Draft, call_draft, numbered, text_pieces
from molehunt.trajectories.reasoning import most_readable, readable
from molehunt.trajectories.runs import ReasoningKind
from molehunt.trajectories.steps import Step

_TEXT = ("text", "input_text", "output_text", "reasoning_text", "summary_text")
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")


class Conversation:
    """Gathers what happened in the order in which it happened.

    The first turn of the user is the task. What else stands before the agent's first own doing, system
    prompts above all, is dropped: it may be a red team's instructions.

    Parameters
    ----------
    tally : learns what is dropped.

    Examples
    --------
    >>> talk = Conversation(Tally("a.jsonl", "openai_chat"))
    >>> for message in ({"role": "user", "content": "Add."}, {"role": "assistant", "content": "Done."}):
    ...     talk.message(message)
    >>> talk.task, [(step.kind, step.text) for step in talk.steps()]
    ('Add.', [('prose', 'Done.')])
    """

    def __init__(self, tally: Tally) -> None:
        self.task: str | None = None
        self._tally = tally
        self.drafts: list[Draft] = []
        self._tools: dict[str, str] = {}  # by the id of the call
        self._agent: str | None = None
        self._seconds: float | None = None

    def steps(self) -> tuple[Step, ...]:
        return numbered(self.drafts)

    @property
    def reasoning(self) -> ReasoningKind:
        """How much of the agent's reasoning can be read."""
        return most_readable(draft.readable or "full" for draft in self.drafts if draft.kind == "reasoning")

    def user(self, text: str) -> None:
        """A turn of the user's."""
        if self.drafts:
            self.add(Draft("user", text))
        elif self.task is None:
            self.task = text
        else:
            self._tally.drop("turn before the agent's first")

    def say(self, text: str) -> None:
        """What the agent says: prose, code and thoughts in tags are told apart."""
        for kind, piece in text_pieces(text):
            self.add(Draft(kind, piece, readable="full" if kind == "reasoning" else None))

    def reason(self, text: str | None, summary: str | None = None, *, redacted: bool = False) -> None:
        """What the agent thinks in a channel of its own; see `readable`."""
        shown, kind = readable(text, summary, redacted=redacted)
        self.add(Draft("reasoning", shown, readable=kind))

    def call(self, name: Any, arguments: Any, call: Any) -> None:
        """A tool call; arguments in JSON are taken apart."""
        if isinstance(arguments, str):
            arguments = _arguments(arguments)
        tool, known = str(name), None if call is None else str(call)
        if known is not None:
            self._tools[known] = tool
        self.add(call_draft(tool, {} if arguments is None else arguments, known))

    def result(self, content: Any, call: Any, tool: Any = None, error: Any = None) -> None:
        """What a tool answers, with its error if there was one."""
        known = None if call is None else str(call)
        name = self._tools.get(known or "") or (str(tool) if tool else None)
        text = text_of(content)
        if error and (fault := text_of(error)) not in text:
            text = "\n".join(filter(None, [text, fault]))
        if name != THINK or text.strip():
            self.add(Draft("tool_result", text, tool=name, answers_call=known))

    def add(self, draft: Draft) -> None:
        """A step as it is."""
        draft.agent, draft.seconds = self._agent, self._seconds
        self.drafts.append(draft)

    @contextmanager
    def by(self, agent: str | None, seconds: float | None) -> Iterator[None]:
        """Sub-agent and time of the steps that are added meanwhile, as in `Step`."""
        self._agent, self._seconds = agent, seconds
        try:
            yield
        finally:
            self._agent = self._seconds = None

    def turns(self, messages: Any) -> None:
        """Messages, one after the other.

        Raises
        ------
        Damaged
            If there is no list of them.
        """
        if not isinstance(messages, list):
            raise Damaged("has messages that are no list")
        for message in messages:
            self.message(message)

    def message(self, message: Any) -> None:
        """One message.

        Raises
        ------
        Damaged
            If it is none.
        """
        role = message.get("role") if isinstance(message, dict) else None
        if not isinstance(role, str):
            raise Damaged("has a message without a role")
        match role.lower():
            case "assistant" | "model":
                self._assistant(message)
            case "tool" | "function":
                called = message.get("tool_call")
                name = called.get("function") if isinstance(called, dict) else message.get("name")
                error = message.get("error")
                self.result(message.get("content"), message.get("tool_call_id"), name, error)
            case "user" | "human":
                self._user(message.get("content"))
            case "system" | "developer":
                self._tally.drop("system prompt")
            case _:
                self._tally.drop(f"message of role {role[:20]!r}")

    def answer(self, message: Any, usage: Any = None) -> None:
        """A message as a model's answer, with what it cost: reasoning may be charged for and not shown."""
        before = len(self.drafts)
        self.message(message)
        shown = any(draft.kind == "reasoning" for draft in self.drafts[before:])
        if _reasoning_tokens(usage) and not shown:
            self.drafts.insert(before, Draft("reasoning", "", readable="hidden"))

    def _user(self, content: Any) -> None:
        """A user's message; Anthropic's hold the results of tools."""
        said: list[str] = []
        for block in content if isinstance(content, list) else [content]:
            if isinstance(block, dict) and block.get("type") == "tool_result":
                self._result_block(block)
            else:
                said.append(text_of(block))
        if text := "\n".join(filter(None, said)):
            self.user(text)

    def _assistant(self, message: Mapping[str, Any]) -> None:
        self._thoughts(message)
        said: list[str] = []  # neighbouring texts are one text: a fence may begin in one and end in the next
        content = message.get("content")
        for block in content if isinstance(content, list) else [content]:
            kind = block.get("type") if isinstance(block, dict) else None
            if isinstance(block, dict) and isinstance(kind, str) and kind not in (*_TEXT, "refusal"):
                self._flush(said)
                self._block(kind, block, said)
            else:
                said.append(text_of(block))
        if isinstance(refusal := message.get("refusal"), str):
            said.append(refusal)
        self._flush(said)
        for call in _list(message.get("tool_calls")):
            self._tool_call(call)
        if isinstance(call := message.get("function_call"), dict):  # before tools came
            self.call(call.get("name"), call.get("arguments"), None)

    def _thoughts(self, message: Mapping[str, Any]) -> None:
        """Reasoning beside the content, as providers of open models give it."""
        for name in ("reasoning_content", "reasoning"):
            if isinstance(text := message.get(name), str) and text.strip():
                self.reason(text)
                return
        if details := _list(message.get("reasoning_details")):  # OpenRouter's
            parts = [detail for detail in details if isinstance(detail, dict)]
            text, summary = (
                "\n".join(text_of(part.get(name)) for part in parts if part.get(name))
                for name in ("text", "summary")
            )
            self.reason(text, summary)

    def _block(self, kind: str, block: Mapping[str, Any], said: list[str]) -> None:
        if kind == "thinking":
            self.reason(text_of(block.get("thinking", block.get("content"))))
        elif kind == "redacted_thinking":
            self.reason(None, redacted=True)
        elif kind in _CALLS:
            self.call(block.get("name"), block.get("input"), block.get("id"))
        elif kind.endswith("tool_result"):
            self._result_block(block)
        else:
            self._tally.drop(f"content of type {kind[:40]!r}")
            said.append(text_of(block))

    def _result_block(self, block: Mapping[str, Any]) -> None:
        self.result(block.get("content"), block.get("tool_use_id"))

    def _tool_call(self, call: Any) -> None:
        if not isinstance(call, dict):
            raise Damaged("has a tool call that is no object")
        function = call.get("function", call.get("custom"))
        if isinstance(function, dict):
            arguments = function.get("arguments", function.get("input"))
            self.call(function.get("name"), arguments, call.get("id"))
        else:  # AgentDojo's and Inspect's
            self.call(function, call.get("args", call.get("arguments")), call.get("id"))

    def _flush(self, said: list[str]) -> None:
        self.say("\n".join(filter(None, said)))
        said.clear()


def text_of(content: Any) -> str:
    """Content as text, other media as ``[image]``, ``[audio]``, …; never base64.

    Examples
    --------
    >>> print(text_of([{"type": "text", "text": "See:"}, {"type": "image_url", "image_url": {"url": "…"}}]))
    See:
    [image_url]
    """
    match content:
        case None:
            return ""
        case str():
            return content
        case list():
            return "\n".join(text_of(block) for block in content)
        case {"type": str(kind), **rest} if kind in _TEXT or kind == "refusal":
            return text_of(rest.get("text", rest.get("content", rest.get("refusal"))))
        case {"type": "logs", "logs": str(text)}:  # of OpenAI's code interpreter
            return text
        case {"type": str(kind)} if kind.isidentifier():
            return f"[{kind}]"
    return json.dumps(content, ensure_ascii=False)


def _arguments(text: str) -> Any:
    try:
        return parsed(text.encode("utf-8", "replace")) if text.strip() else {}
    except Damaged:  # a model broke the form: it stays the text that it is
        return text


def _reasoning_tokens(usage: Any) -> bool:
    for details in ("completion_tokens_details", "output_tokens_details"):
        match usage:
            case {**names} if isinstance(part := names.get(details), dict):
                return bool(part.get("reasoning_tokens"))
    return False


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
