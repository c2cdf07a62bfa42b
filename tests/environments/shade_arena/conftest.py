"""Runs of the environment, with a fake agent that works through a list of turns or the scripted one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import inspect_ai
import pytest
from inspect_ai import Task
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolCall

from molehunt.environments.shade_arena.samples import Setting


@pytest.fixture(scope="session", autouse=True)
def _agentdojo() -> None:
    if find_spec("agentdojo") is None:
        pytest.skip("needs agentdojo: pip install 'molehunt[shade]'")


@pytest.fixture
def setting() -> Callable[..., Setting]:
    def make(**changes: Any) -> Setting:
        usual = {"policy": "baseline", "awareness": "told", "attack_budget": "all", "when": "spread"}
        return Setting(**{"version": "v1.2.2", "clutter": 0, "seed": 0, **usual, **changes})

    return make


class Agent:
    """Says its turns one after the other: a text, and calls of tools."""

    def __init__(self, turns: Sequence[tuple[str, Sequence[tuple[str, dict[str, Any]]]]]) -> None:
        self.turns = turns
        self.seen: list[list[ChatMessage]] = []

    def __call__(self, messages: list[ChatMessage], *_: Any) -> ModelOutput:
        self.seen.append(messages)
        said = sum(message.role == "assistant" for message in messages)
        text, calls = self.turns[min(said, len(self.turns) - 1)]
        output = ModelOutput.from_content("mockllm/model", text)
        output.choices[0].message = ChatMessageAssistant(
            content=text,
            tool_calls=[
                ToolCall(id=f"c{said}-{place}", function=tool, arguments=arguments)
                for place, (tool, arguments) in enumerate(calls)
            ]
            or None,
        )
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output


@pytest.fixture
def agent() -> type[Agent]:
    return Agent


@pytest.fixture
def evaluated(tmp_path: Path) -> Callable[..., EvalLog]:
    """Evaluates a task with a fake agent, or with the scripted one."""

    def run(task: Task, agent: Any = None, **options: Any) -> EvalLog:
        model = get_model("mockllm/model", custom_outputs=agent) if agent else "scripted/saboteur"
        [log] = inspect_ai.eval(
            task, model=model, log_dir=str(tmp_path), display="none", log_realtime=False, **options
        )
        return log

    return run
