"""OpenAI's Responses: lists of items, one conversation a line.

A line is a request with its ``input``, an answer with its ``output``, both, or a line of a batch; see
``openai.types.responses.ResponseInputItemParam``, ``ResponseOutputItem`` and ``ResponseReasoningItem``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.beginnings import Beginning
from molehunt.trajectories.conversation import Conversation, text_of
from molehunt.trajectories.mapping import Tally
from molehunt.trajectories.records import Reading, find, record_reader
from molehunt.trajectories.runs import Run

SOURCE = "openai_responses"

_INPUTS = ("input", "body.input", "request.input", "request.body.input")
_OUTPUTS = ("output", "response.body.output", "response.output")
_USES = ("input", "output", "items", "body", "request", "response", "object", "status", "model")
_ITEM = re.compile(r"message|reasoning|\w+_call(_output)?")
# What a call of a built-in tool does, in the order of what says most.
_DOINGS = ("action", "operation", "actions", "code", "queries", "input", "arguments", "pending_safety_checks")
_ANSWERS = ("output", "outputs", "results", "result")
_NO_STEP = frozenset({"item_reference", "compaction", "compaction_trigger", "mcp_list_tools"})


def is_openai_responses(beginning: Beginning) -> bool:
    """Whether a file's first record has items, or is an answer of this API."""
    record = beginning.record
    values = [find(record, place) for place in ("items", *_INPUTS, *_OUTPUTS)]
    items = [item for value in values if isinstance(value, list) for item in value if isinstance(item, dict)]
    answers = (record, find(record, "response"), find(record, "response.body"))
    is_answer = any(isinstance(one, dict) and one.get("object") == "response" for one in answers)
    is_request = find(record, "url") == "/v1/responses"
    return is_answer or is_request or any(_ITEM.fullmatch(str(item.get("type"))) for item in items)


def _run(reading: Reading, record: dict[str, Any]) -> Run:
    given = next((value for value in (find(record, place) for place in _INPUTS) if value is not None), None)
    made = next((value for value in (find(record, place) for place in _OUTPUTS) if value is not None), None)
    items = [*_items(given), *_items(record.get("items")), *_items(made)]
    if not items:
        raise Damaged("has no items, neither as input nor as output")
    talk = reading.talk()
    for item in items:
        _take(talk, item, reading.tally)
    answers = [record, *(find(record, place) for place in ("response.body", "response"))]
    known = {}
    for name in ("model", "body.model", "request.model", "response.body.model", "response.model"):
        if isinstance(model := find(record, name), str):
            known["model"] = model
    if any(isinstance(one, dict) and one.get("previous_response_id") for one in answers):
        reading.tally.guess("it goes on from an earlier response, whose steps are not here")
    cut_off = any(isinstance(one, dict) and one.get("status") == "incomplete" for one in answers)
    return reading.run(talk, record, uses=_USES, known=known, ending="limit" if cut_off else "finished")


def _items(value: Any) -> list[Any]:
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    return value if isinstance(value, list) else []


def _take(talk: Conversation, item: Any, tally: Tally) -> None:
    if not isinstance(item, dict):
        raise Damaged("has an item that is no object")
    kind = item.get("type", "message")
    if not isinstance(kind, str):
        raise Damaged("has an item whose type is no word")
    if kind == "message":
        talk.message(item)
    elif kind == "reasoning":
        summary = text_of(item.get("summary"))
        talk.reason(text_of(item.get("content")), summary)
    elif kind in ("function_call", "custom_tool_call", "mcp_call"):
        call = item.get("call_id", item.get("id"))
        talk.call(item.get("name"), item.get("arguments", item.get("input")), call)
        if kind == "mcp_call" and (item.get("output") is not None or item.get("error")):
            talk.result(item.get("output"), call, error=item.get("error"))
    elif kind.endswith(("_output", "_response")) and "call_id" in item:
        talk.result(item.get("output"), item.get("call_id"))
    elif kind in _NO_STEP:
        tally.drop(f"item of type {kind!r}")
    else:
        _built_in(talk, kind, item, tally)


def _built_in(talk: Conversation, kind: str, item: Mapping[str, Any], tally: Tally) -> None:
    """A call of a tool that the provider has: what it was to do, and what came of it if the item says so."""
    if not kind.endswith("_call"):
        tally.drop(f"item of type {kind[:40]!r}")
        return
    call = item.get("call_id", item.get("id"))
    doing = {name: item[name] for name in _DOINGS if item.get(name)}
    only = next(iter(doing.values())) if len(doing) == 1 else doing
    talk.call(kind.removesuffix("_call"), only if isinstance(only, dict) else doing, call)
    answers = [item[name] for name in _ANSWERS if item.get(name)]
    if answers and kind != "image_generation_call":
        talk.result(answers[0], call)


openai_responses_runs = record_reader(SOURCE, _run)
"""Reads conversations, one in memory at a time; see `record_reader`."""
