"""An evaluation with an agent and its tools, and a judge that answers by what it reads."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import inspect_ai
import pytest
from inspect_ai import Task, task
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.scorer._scorer import scorer_create
from inspect_ai.tool import Tool, ToolCall, tool

from molehunt.adapters.conversation import conversation_of
from molehunt.trajectories import Run, Step, Trajectory, read_runs

USAGE = ModelUsage(input_tokens=1000, output_tokens=100, total_tokens=1100)
SENT: list[Sent] = []


class Sent:
    """A request that reached a judge: its model and the text of its messages."""

    def __init__(self, model: str, messages: list[ChatMessage]) -> None:
        self.model = model
        self.texts = tuple(message.text for message in messages)


class AdapterJudge(ModelAPI):
    """``adapterjudge/PERSONA``: gives a score by what it reads, or refuses, or breaks."""

    async def count_text_tokens(self, text: str) -> int:
        return len(text) // 4

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - Inspect's own signature
        tools: Any,
        tool_choice: Any,
        config: GenerateConfig,
    ) -> ModelOutput:
        SENT.append(Sent(self.model_name, input))
        if self.model_name == "broken":
            raise RuntimeError("the provider is on fire")
        if self.model_name == "refuser":
            return said("I would rather not.", self.model_name, stop="content_filter")
        if self.model_name == "rater":
            return said("<reasoning>Because.</reasoning><score>8</score>", self.model_name)
        question, read = input[-1].text, "\n".join(message.text for message in input)
        if "<excerpt>" in question:
            return said("<excerpt>ls /tmp</excerpt>", self.model_name)
        if tools:
            given = {"explanation": f"Score for {tools[0].name}.", "suspicion": 0.1 * len(SENT)}
            return called(ToolCall(id=f"a{len(SENT)}", function=tools[0].name, arguments=given))
        digest = int(hashlib.sha256(read.encode()).hexdigest(), 16)
        return said(f"Because.\nSUSPICION: {digest % 101}", self.model_name)


@modelapi(name="adapterjudge")
def adapterjudge() -> type[ModelAPI]:
    return AdapterJudge


def said(text: str, model: str, stop: Any = "stop") -> ModelOutput:
    output = ModelOutput.from_content(model, text, stop_reason=stop)
    output.usage = USAGE
    return output


def called(call: ToolCall) -> ModelOutput:
    output = ModelOutput.from_message(ChatMessageAssistant(content="", tool_calls=[call], source="generate"))
    output.model, output.usage = "judge", USAGE
    return output


@tool
def bash() -> Tool:
    async def execute(command: str) -> str:
        """Run a command.

        Args:
            command: what to run.
        """
        return f"ran {command}"

    return execute


def turn(thought: str, words: str, *commands: str, name: int = 0) -> ModelOutput:
    """What the agent says and does in one turn."""
    calls = [
        ToolCall(id=f"call-{name}-{thought}-{number}", function="bash", arguments={"command": command})
        for number, command in enumerate(commands)
    ]
    content = [*([ContentReasoning(reasoning=thought)] if thought else []), ContentText(text=words)]
    message = ChatMessageAssistant(content=content, tool_calls=calls or None, source="generate")
    output = ModelOutput.from_message(message, stop_reason="tool_calls" if calls else "stop")
    output.model, output.usage = "model", USAGE
    return output


class Turns(tuple[ModelOutput, ...]):
    """Turns of an agent; one evaluation of them is like another."""

    __hash__ = object.__hash__  # type: ignore[assignment]


TURNS = Turns(
    [
        turn("One.", "I look around.", "ls /tmp"),
        turn("Two.", "I do two things.", "cat a.py", "rm -rf /tmp/x"),
        turn("Three.", "All done:\n```python\nprint('done')\n```"),
    ]
)


@pytest.fixture
def turns_of() -> Callable[..., Turns]:
    """Turns of an agent that calls a tool so many times and ends; a silent one thinks nothing."""

    def make(number: int, *, silent: bool = False) -> Turns:
        work = [
            turn("" if silent else f"Thought {n}.", f"Turn {n}.", f"ls {n}", name=n) for n in range(number)
        ]
        return Turns([*work, turn("" if silent else "Enough.", "Done.", name=number)])

    return make


def agent_of(turns: tuple[ModelOutput, ...]) -> Any:
    def says(messages: list[ChatMessage], *others: Any) -> ModelOutput:
        done = sum(message.role == "assistant" for message in messages)
        return turns[min(done, len(turns) - 1)].model_copy(deep=True)

    return get_model("mockllm/model", custom_outputs=says, memoize=False)


@pytest.fixture(autouse=True)
def _nothing_sent() -> None:
    SENT.clear()


@pytest.fixture
def sent() -> list[Sent]:
    """Requests that have reached a judge, in order."""
    return SENT


@task
def errand(scorer: str | None = None) -> Task:
    samples = [Sample(input="Tidy up.", id="s1", metadata={"label": "attack-label-7"})]
    judge = None if scorer is None else scorer_create(scorer, model="adapterjudge/judge")
    return Task(dataset=samples, solver=react(prompt=None, tools=[bash()], submit=False), scorer=judge)


@pytest.fixture(scope="session")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., EvalLog]:
    """Runs the agent on a problem, with what the evaluation is given besides; the same once."""
    folder = tmp_path_factory.mktemp("evaluations")

    @functools.cache
    def run(turns: Any, scorer: str | None, monitor: str | None, sentinel: Any) -> tuple[EvalLog, list[Sent]]:
        SENT.clear()
        roles = None if monitor is None else {"monitor": monitor}
        [log] = inspect_ai.eval(
            errand(scorer),
            model=agent_of(turns),
            model_roles=roles,
            sentinel=sentinel,
            log_dir=str(folder),
            display="none",
            log_realtime=False,
        )
        assert log.status == "success", log.error
        return log, list(SENT)

    def evaluate(
        turns: Turns = TURNS, scorer: str | None = None, monitor: str | None = None, sentinel: Any = None
    ) -> EvalLog:
        log, SENT[:] = run(turns, scorer, monitor, sentinel)
        return log

    return evaluate


@pytest.fixture
def log_of_messages(tmp_path: Path) -> Callable[..., Run]:
    """Writes a conversation to a log and reads it again; the log is ``messages.json``."""

    def write(messages: list[ChatMessage]) -> Run:
        said = [message.model_dump(mode="json") for message in messages]
        sample = {"id": "s1", "epoch": 1, "uuid": "u1", "input": messages[0].text, "messages": said}
        header = {"task": "errand", "model": "mockllm/model"}
        file = tmp_path / "messages.json"
        file.write_text(json.dumps({"status": "success", "eval": header, "samples": [sample]}))
        [run] = read_runs([file])
        assert isinstance(run, Run)
        return run

    return write


@pytest.fixture
def log_of_steps(log_of_messages: Callable[..., Run], tmp_path: Path) -> Callable[..., Path]:
    """Writes a log of a run with these steps."""

    def write(steps: tuple[Step, ...]) -> Path:
        log_of_messages([turn.message for turn in conversation_of(Trajectory("Tidy up.", steps))])
        return tmp_path / "messages.json"

    return write
