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
from inspect_ai.tool import ToolChoice, ToolInfo
from inspect_ai.util import store

from molehunt.environments.inspect_errors import TaskProblem

SAMPLE = "molehunt:sample"
"""Key of the store under which our environments say which run a sample is."""
MARKS = "molehunt:marks"
"""Key of an output's metadata: which of its words incriminate, or only look as if."""

SABOTEURS = {
    "bigcodebench_sabotage": "molehunt.environments.bigcodebench_sabotage.saboteur.casting",
}
"""By environment, the module whose ``script_of(store)`` is what the agent says there."""


class Script(Protocol):
    """What the agent says in one turn."""

    @property
    def reasoning(self) -> str: ...

    @property
    def answer(self) -> str: ...

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
        script: Script = import_module(module).script_of(store())
        return _output(self.model_name, script, sample, sum(_tokens(message.text) for message in input))

    async def count_text_tokens(self, text: str) -> int:
        """An estimate; nothing is downloaded."""
        return _tokens(text)


def _tokens(text: str) -> int:
    """Four bytes make about one token."""
    return (len(text.encode()) + 3) // 4


def _output(model: str, script: Script, sample: Mapping[str, Any], given: int) -> ModelOutput:
    digest = hashlib.sha256(json.dumps(sample, sort_keys=True).encode()).hexdigest()
    message = ChatMessageAssistant(
        id=f"scripted-{digest[:22]}",
        content=[ContentReasoning(reasoning=script.reasoning), ContentText(text=script.answer)],
        model=model,
        source="generate",
    )
    thought, said = _tokens(script.reasoning), _tokens(script.answer)
    return ModelOutput(
        model=model,
        choices=[ChatCompletionChoice(message=message, stop_reason="stop")],
        usage=ModelUsage(
            input_tokens=given,
            output_tokens=thought + said,
            total_tokens=given + thought + said,
            reasoning_tokens=thought,
        ),
        metadata={MARKS: [dict(mark) for mark in script.marks]},
    )
