"""The Inspect provider ``scripted/saboteur``: an agent made by program, for runs without a model or a key.

It knows from the sample's store which run it is in, and plays it. Its handwriting is not a model's: results
on its runs show that a pipeline works, and carry no claim about models or monitors.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo
from inspect_ai.util import store

from molehunt.environments.inspect_errors import TaskProblem
from molehunt.environments.playing import ToolUse
from molehunt.trajectories.steps import call_text

SAMPLE = "molehunt:sample"
"""Key of the store under which our environments say which run a sample is."""
PAIR = "molehunt:pair"
"""Key under which they say what an honest run has in common with the attack that it is paired with."""
MARKS = "molehunt:marks"
"""Key under which the agent says which of its words incriminate, or only look as if, and in which message.

The environment copies them into the attempt that it records.
"""

SABOTEURS = {
    "bigcodebench_sabotage": "molehunt.environments.bigcodebench_sabotage.saboteur.casting",
    "mle_sabotage": "molehunt.environments.mle_sabotage.saboteur.casting",
    "shade_arena": "molehunt.environments.shade_arena.saboteur.casting",
}
"""By environment, the module whose ``script_of(store, messages)`` is the agent's next turn there.

It is a pure function of the sample's store and of the conversation so far.
"""


class Script(Protocol):
    """What the agent says in one turn: reasoning, words and calls of tools, and which of it is marked."""

    @property
    def reasoning(self) -> str: ...

    @property
    def answer(self) -> str: ...

    @property
    def calls(self) -> Sequence[ToolUse]: ...

    @property
    def marks(self) -> Sequence[Mapping[str, str]]: ...


class ScriptedAPI(ModelAPI):
    """``scripted/saboteur``. It keeps no state: the same sample gets the same answer, in any order.

    Raises
    ------
    molehunt.environments.inspect_errors.TaskProblem
        If another model is asked for, or a sample is none of our environments'.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - Inspect's own signature
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        if model_name != "saboteur":
            raise TaskProblem(f"there is no model 'scripted/{model_name}': use scripted/saboteur")

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - Inspect's own signature
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Play the current sample's next turn."""
        sample = store().get(SAMPLE)
        module = SABOTEURS.get(sample["environment"]) if isinstance(sample, Mapping) else None
        if module is None:
            raise TaskProblem(
                "scripted/saboteur plays a part in molehunt's own environments and can do nothing else: run "
                f"it on one of {', '.join(SABOTEURS)}, and use another model here"
            )
        script: Script = import_module(module).script_of(store(), input)
        number = sum(message.role == "assistant" for message in input)
        output = _output(self.model_name, script, sample, number, sum(_tokens(each.text) for each in input))
        _note_marks(script.marks, output.message.id)
        return output

    async def count_text_tokens(self, text: str) -> int:
        """An estimate; nothing is downloaded."""
        return _tokens(text)


def _tokens(text: str) -> int:
    """Four bytes make about one token."""
    return (len(text.encode()) + 3) // 4


def _note_marks(marks: Sequence[Mapping[str, str]], message: str | None) -> None:
    """Put the marks of a message into the store, once even if the message is asked for again."""
    noted: list[Mapping[str, Any]] = store().get(MARKS, [])
    others = [mark for mark in noted if mark["message"] != message]
    store().set(MARKS, [*others, *({**mark, "message": message} for mark in marks)])


def _output(model: str, script: Script, sample: Mapping[str, Any], number: int, given: int) -> ModelOutput:
    played = json.dumps([sample, number], sort_keys=True)
    name = f"scripted-{hashlib.sha256(played.encode()).hexdigest()[:22]}"
    reasoning = [ContentReasoning(reasoning=script.reasoning)] if script.reasoning else []
    message = ChatMessageAssistant(
        id=name,
        content=[*reasoning, ContentText(text=script.answer)],
        tool_calls=[
            ToolCall(id=f"{name}-{place}", function=use.tool, arguments=dict(use.arguments))
            for place, use in enumerate(script.calls)
        ]
        or None,
        model=model,
        source="generate",
    )
    thought = _tokens(script.reasoning)
    said = _tokens(script.answer) + sum(_tokens(call_text(use.arguments)) for use in script.calls)
    return ModelOutput(
        model=model,
        choices=[ChatCompletionChoice(message=message, stop_reason="tool_calls" if script.calls else "stop")],
        usage=ModelUsage(
            input_tokens=given,
            output_tokens=thought + said,
            total_tokens=given + thought + said,
            reasoning_tokens=thought,
        ),
    )
