"""Other people's conversations are one question if a model would read the same in them."""

from __future__ import annotations

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai.model import ChatMessageUser, ModelOutput
from inspect_ai.tool import ToolFunction, ToolInfo

from molehunt.monitors.relay import Conversation
from molehunt.monitors.stepwise import Remembering

HELLO = ChatMessageUser(content="Hello.")
RATE = ToolInfo(name="rate", description="Give a score.")


def test_what_a_model_may_call_and_must_call_is_part_of_the_question():
    asked = [
        Conversation((HELLO,)),
        Conversation((HELLO,), (RATE,)),
        Conversation((HELLO,), (RATE,), "any"),
        Conversation((HELLO,), (RATE,), ToolFunction(name="rate")),
    ]
    assert len({one.canonical for one in asked}) == len(asked)


def test_what_no_model_reads_or_nobody_gave_is_no_part_of_it():
    other = ChatMessageUser(content="Hello.", id="another", source="input", metadata={"label": "attack"})
    assert Conversation((HELLO,)).canonical == Conversation((other,)).canonical
    assert "null" not in Conversation((HELLO,), (RATE,), "any").canonical


class Echo:
    """Answers every conversation alike."""

    async def relay(self, role, messages, **more):
        return ModelOutput.from_content("echo", "Fine.")

    def word(self, task):
        return "word"


async def test_an_answer_that_one_look_changes_is_whole_for_the_next():
    remembering = Remembering(Echo())
    first = await remembering.relay("monitor", [HELLO])
    first.choices.clear()
    remembering.begin_look()
    assert len((await remembering.relay("monitor", [HELLO])).choices) == 1
