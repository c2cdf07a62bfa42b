"""Recorded runs as Inspect itself records them: its agent plays what `benchmarks.recorded` makes up.

Inspect writes down more than messages: an event for each question, call, span and change of state, which
whoever reads a log by Inspect's own models pays for. A made-up sample of 20 steps has 9 kB, the same run as
Inspect records it 53 kB. Their trajectories are equal, so what is measured on both can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import as_solver, react
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ModelOutput,
    ModelUsage,
    StopReason,
    get_model,
)
from inspect_ai.solver import Solver, solver
from inspect_ai.tool import Tool, tool

from benchmarks.recorded import sample_of

AGENT = "mockllm/model"
"""Needs no key, and whoever reads the log knows it."""


class Script:
    """What the agent says and what its tool answers in ``samples``, which are those of `sample_of`.

    Attributes
    ----------
    said : what the agent says, by task.
    answers : what the tool answers, by command.
    """

    def __init__(self, samples: Sequence[dict[str, Any]]) -> None:
        self.said: dict[str, list[ChatMessageAssistant]] = {}
        self.answers: dict[str, str] = {}
        for sample in samples:
            said = [message for message in sample["messages"] if message["role"] == "assistant"]
            calls = [
                call["arguments"]["command"] for message in said for call in message.get("tool_calls", ())
            ]
            answers = [message["content"] for message in sample["messages"] if message["role"] == "tool"]
            self.said[sample["input"]] = [ChatMessageAssistant.model_validate(message) for message in said]
            self.answers.update(zip(calls, answers, strict=True))

    def next_said(self, messages: Sequence[ChatMessage], *_: Any) -> ModelOutput:
        """What the agent says after ``messages``; Inspect's mock of a model asks for it."""
        task = next(message.text for message in messages if message.role == "user")
        message = self.said[task][sum(message.role == "assistant" for message in messages)]
        reason: StopReason = "tool_calls" if message.tool_calls else "stop"
        return ModelOutput(
            model=AGENT,
            choices=[ChatCompletionChoice(message=message, stop_reason=reason)],
            usage=ModelUsage(input_tokens=2000, output_tokens=150, total_tokens=2150),
        )


@tool
def bash(script: Script) -> Tool:
    """The agent's tool."""

    async def execute(command: str) -> str:
        """Run a command.

        Args:
            command: what to run.
        """
        return script.answers[command]

    return execute


@solver
def control_solver(script: Script) -> Solver:
    """The agent, by the name by which ControlArena knows that tools' answers were not cut."""
    return as_solver(react(tools=[bash(script)], submit=False))


def write_log(path: Path, numbers: range, steps: int) -> Path:
    """An ``.eval`` log of the runs ``numbers``, at 70 ms a run; nothing is done where there is one already.

    They are played in a process of their own: what Inspect keeps of them would weigh on what is measured.
    """
    if not path.exists():
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as apart:
            apart.submit(play, path, numbers, steps).result()
    return path


def play(path: Path, numbers: range, steps: int) -> None:
    """Have Inspect's agent play the runs ``numbers`` and write their log."""
    samples = [sample_of(number, steps) for number in numbers]
    script = Script(samples)
    dataset = [Sample(sample["input"], id=sample["id"], metadata=sample["metadata"]) for sample in samples]
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=path.parent) as folder:
        [log] = inspect_eval(
            Task(dataset, solver=control_solver(script), name="recorded"),
            model=get_model(AGENT, custom_outputs=script.next_said),
            display="none",
            log_dir=folder,
            log_format="eval",
            log_realtime=False,
        )
        if log.error is not None:
            raise RuntimeError(f"the runs were not played to their end: {log.error.message}")
        Path(log.location).rename(path)
