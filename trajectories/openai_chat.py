"""OpenAI's chat messages, one conversation a line, and what other providers write in their form.

A line is a conversation (``messages``, as for fine-tuning), a request with or without its answer, or a line
of a batch; see ``openai.types.chat.ChatCompletionMessageParam`` and ``ChatCompletion``, and for batches
https://platform.openai.com/docs/guides/batch.
"""

from __future__ import annotations

from typing import Any

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.beginnings import Beginning
from molehunt.trajectories.records import Reading, find, record_reader
from molehunt.trajectories.runs import Ending, Run

SOURCE = "openai_chat"

_MESSAGES = ("messages", "body.messages", "request.messages", "request.body.messages")
_ANSWERS = ("", "response.body.", "response.", "completion.", "output.")
_USES = ("messages", "choices", "body", "request", "response", "completion", "output", "usage", "model")


def is_openai_chat(beginning: Beginning) -> bool:
    """Whether a file's first record has chat messages or an answer."""
    record = beginning.record
    messages = first_list(record, _MESSAGES)
    return bool(_answer(record)) or any(
        isinstance(message, dict) and isinstance(message.get("role"), str) for message in messages or ()
    )


def first_list(record: Any, paths: tuple[str, ...]) -> list[Any] | None:
    """The first of ``paths`` at which ``record`` has a list."""
    found = (find(record, path) for path in paths)
    return next((value for value in found if isinstance(value, list)), None)


def _run(reading: Reading, record: dict[str, Any]) -> Run:
    messages, answer = first_list(record, _MESSAGES), _answer(record)
    if messages is None and not answer:
        raise Damaged("has no messages and no answer")
    talk = reading.talk()
    talk.turns(messages or [])
    ending: Ending = "finished"
    choices = answer.get("choices") or []
    if choices:
        choice = choices[0]
        if not isinstance(choice, dict):
            raise Damaged("has an answer that is no object")
        for _ in choices[1:]:
            reading.tally.drop("choices after the first")
        talk.answer({"role": "assistant", **_dict(choice.get("message"))}, answer.get("usage"))
        ending = "limit" if choice.get("finish_reason") == "length" else ending
    model = answer.get("model") or find(record, "body.model") or find(record, "request.model")
    known = {"model": model} if isinstance(model, str) else {}
    return reading.run(talk, record, uses=_USES, known=known, ending=ending)


def _answer(record: dict[str, Any]) -> dict[str, Any]:
    """The completion in a record, empty if there is none."""
    for place in _ANSWERS:
        holder = find(record, place[:-1]) if place else record
        if isinstance(holder, dict) and isinstance(holder.get("choices"), list):
            return holder
    return {}


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


openai_chat_runs = record_reader(SOURCE, _run)
"""Reads conversations, one in memory at a time; see `record_reader`."""
