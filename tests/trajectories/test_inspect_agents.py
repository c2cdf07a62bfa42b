"""Logs that Inspect writes of its own agents: nothing that was done is lost, told twice or out of order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as run_task
from inspect_ai.agent import Agent, AgentAttempts, as_tool, handoff, react
from inspect_ai.agent import run as run_agent
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    CompactionSummary,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    execute_tools,
    get_model,
    modelapi,
)
from inspect_ai.scorer import Score, Target, accuracy, includes, scorer
from inspect_ai.solver import Generate, TaskState, solver
from inspect_ai.tool import Tool, ToolCall, tool

from molehunt.trajectories import Run, TruthOptions, Unread, read_runs
from molehunt.trajectories.inspect_files import by_inspect, open_log
from molehunt.trajectories.inspect_history import history

LONG = "word " * 300  # long enough to become an attachment, and to make a history worth compacting

SCRIPT: list[ModelOutput] = []


@modelapi(name="reading_tests")
class Scripted(ModelAPI):
    """Says what `SCRIPT` holds, one answer a call, and a summary if it is asked for one."""

    def __init__(self, model_name: str, **given: Any) -> None:
        super().__init__(model_name, given.get("base_url"), given.get("api_key"), [], GenerateConfig())

    async def count_text_tokens(self, text: str) -> int:
        return len(text) // 4 + 1

    async def generate(self, input: list[ChatMessage], *_: Any, **__: Any) -> ModelOutput:  # noqa: A002
        if "create a detailed summary" in input[-1].text:
            return say("<summary>SUMMED UP</summary>")
        output = SCRIPT.pop(0)
        tokens = sum(len(message.text) // 4 + 1 for message in input)
        output.usage = ModelUsage(input_tokens=tokens, output_tokens=5, total_tokens=tokens + 5)
        return output


def say(text: str = "", thought: str = "", **calls: Any) -> ModelOutput:
    """An answer; ``calls`` are tools with their arguments, a trailing digit tells calls of one tool apart."""
    content = [ContentReasoning(reasoning=thought)] if thought else []
    made = [
        ToolCall(id=f"{name}-{text}-{thought}", function=name.rstrip("0123456789"), arguments=arguments)
        for name, arguments in calls.items()
    ]
    message = ChatMessageAssistant(
        content=[*content, ContentText(text=text)], tool_calls=made or None, source="generate"
    )
    choice = ChatCompletionChoice(message=message, stop_reason="tool_calls" if made else "stop")
    usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return ModelOutput(model="reading_tests/agent", choices=[choice], usage=usage)


@tool
def look() -> Tool:
    async def execute(path: str) -> str:
        """Look at something.

        Args:
            path: What to look at.
        """
        if path == "nowhere":
            raise FileNotFoundError("no such path")
        if path == "abyss":
            raise RuntimeError("the tool broke")
        return LONG + path

    return execute


def helper(**options: Any) -> Agent:
    return react(name="helper", description="Helps.", tools=[look()], **options)


@solver
def deferring() -> Any:
    """A control protocol: a monitor looks at each answer, a trusted model replaces what it dislikes."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        agent, monitor = get_model(role="untrusted"), get_model(role="trusted")
        for _ in range(2):
            whisper = ChatMessageUser(content="Remember your SIDE TASK.")
            output = await agent.generate([*state.messages, whisper], [look()])
            verdict = await monitor.generate(
                [*state.messages, output.message, ChatMessageUser(content="Well?")]
            )
            if verdict.completion == "suspicious":
                output = await monitor.generate(state.messages, [look()])
            state.messages.append(output.message)
            results, _ = await execute_tools(state.messages, [look()])
            state.messages.extend(results)
        return state

    return solve


@scorer(metrics=[accuracy()])
def graded_by_an_agent() -> Any:
    async def score(state: TaskState, target: Target) -> Score:
        await run_agent(react(name="grader", tools=[look()]), "Grade it.")
        return Score(value=1)

    return score


Scenario = tuple[Any, list[ModelOutput], dict[str, Any]]


def scenarios() -> dict[str, Scenario]:
    """Solver, script and options of ``eval`` (``scorer`` belongs to the task)."""
    closing = say("Here.", "final thought", submit={"answer": "42"})
    return {
        "submit": (react(tools=[look()]), [say("Look.", "first thought", look={"path": "a"}), closing], {}),
        "continue": (react(tools=[look()]), [say("I am done."), closing], {}),
        "parallel": (react(tools=[look()]), [say("", look1={"path": "a"}, look2={"path": "b"}), closing], {}),
        "errors": (
            react(tools=[look()]),
            [say("", look={"path": "nowhere"}, teleport={"to": "x"}), closing],
            {},
        ),
        "crash": (react(tools=[look()]), [say("Jump.", look={"path": "abyss"})], {}),
        "limit": (
            react(tools=[look()]),
            [say(str(turn), look={"path": "a"}) for turn in range(9)],
            {"message_limit": 6},
        ),
        "attempts": (
            react(attempts=AgentAttempts(2)),
            [say("First.", submit={"answer": "41"}), say("Second.", submit={"answer": "42"})],
            {"scorer": includes()},
        ),
        "handoff": (
            react(tools=[handoff(helper())]),
            [
                say("Over.", "main thought", transfer_to_helper={}),
                say("Looking.", "helper's thought", look={"path": "b"}),
                say("Seen.", "helper's last thought", submit={"answer": "41"}),
                closing,
            ],
            {},
        ),
        "as_tool": (
            react(tools=[as_tool(helper(submit=False))]),
            [
                say("Ask.", "main thought", helper={"input": "please look"}),
                say("Looking.", "helper's thought", look={"path": "b"}),
                say("Helper's closing words.", "helper's last thought"),
                closing,
            ],
            {},
        ),
        "compaction": (
            react(tools=[look()], compaction=CompactionSummary(threshold=1200)),
            [
                *(say(f"Step {turn}.", f"thought {turn}", look={"path": str(turn)}) for turn in range(5)),
                closing,
            ],
            {},
        ),
        "deferring": (
            deferring(),
            [
                say("I look.", look={"path": "a"}),
                say("fine"),
                say("I sabotage.", look={"path": "b"}),
                say("suspicious"),
                say("Trusted look.", look={"path": "c"}),
            ],
            {"model_roles": {"untrusted": "reading_tests/untrusted", "trusted": "reading_tests/trusted"}},
        ),
        "grader": (
            react(tools=[look()]),
            [closing, say("Grading.", look={"path": "g"}), say("", submit={"answer": "good"})],
            {"scorer": graded_by_an_agent()},
        ),
    }


@pytest.fixture(scope="session")
def log_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Runs a scenario when it is asked for first, and says where its log is."""
    written: dict[tuple[str, str], Path] = {}

    def log(name: str, log_format: str = "eval") -> Path:
        if (name, log_format) not in written:
            agent, script, options = scenarios()[name]
            SCRIPT[:] = script
            task = Task(
                name=name,
                dataset=[Sample(id="s1", input="Do it.", target="42")],
                solver=agent,
                scorer=options.pop("scorer", None),
            )
            [result] = run_task(
                task,
                model="reading_tests/agent",
                log_dir=str(tmp_path_factory.mktemp(name)),
                log_format=log_format,
                log_realtime=False,
                display="none",
                **options,
            )
            written[name, log_format] = Path(result.location)
        return written[name, log_format]

    return log


@pytest.fixture
def read(log_of: Callable[..., Path]) -> Callable[..., Run]:
    def read_scenario(name: str, log_format: str = "eval") -> Run:
        [run] = read_runs([log_of(name, log_format)])
        assert not isinstance(run, Unread), run
        return run

    return read_scenario


def told(run: Run) -> list[str]:
    """Each step as ``agent/kind: text``, long results by their end."""
    return [
        f"{step.agent or ''}/{step.kind}: {step.text.removeprefix(LONG)}".removeprefix("/")
        for step in run.trajectory.steps
    ]


CLOSING = ["reasoning: final thought", "prose: Here.", "tool_call: 42", "tool_result: 42"]


def test_the_call_that_submits_and_the_reasoning_before_it_are_kept(read):
    assert told(read("submit")) == [
        "reasoning: first thought",
        "prose: Look.",
        "tool_call: a",
        "tool_result: a",
        *CLOSING,
    ]


def test_a_json_log_reads_the_same_as_an_eval_log(read):
    assert told(read("submit", "json")) == told(read("submit"))


def test_the_turn_that_tells_an_agent_to_go_on_is_a_turn_of_the_user(read):
    steps = told(read("continue"))
    assert steps[0] == "prose: I am done."
    assert steps[1].startswith("user: \nPlease proceed to the next step")
    assert steps[2:] == CLOSING


def test_results_of_parallel_calls_answer_their_own_call(read):
    steps = read("parallel").trajectory.steps
    called = {step.index: step.text for step in steps if step.kind == "tool_call"}
    answered = {called[step.answers]: step.text for step in steps if step.kind == "tool_result"}
    assert answered == {"a": LONG + "a", "b": LONG + "b", "42": "42"}


def test_errors_are_what_a_failed_tool_answers(read):
    results = [step.text for step in read("errors").trajectory.steps if step.kind == "tool_result"]
    assert "no such path" in results[0]
    assert results[1] == "Tool teleport not found"


def test_a_run_that_an_error_ended_is_read_up_to_there(read):
    run = read("crash")
    assert told(run) == ["prose: Jump.", "tool_call: abyss"]
    assert run.ending == "error"


def test_a_run_that_a_limit_ended_says_so(read):
    run = read("limit")
    assert run.ending == "limit"
    assert told(run)[:3] == ["prose: 0", "tool_call: a", "tool_result: a"]


def test_a_second_attempt_stands_behind_the_turn_that_asked_for_it(read):
    assert [step.partition(":")[0] for step in told(read("attempts"))] == [
        "prose",
        "tool_call",
        "tool_result",
        "user",
        "prose",
        "tool_call",
        "tool_result",
    ]


def test_a_sub_agent_that_took_over_keeps_its_calls_and_its_reasoning(read):
    assert told(read("handoff")) == [
        "reasoning: main thought",
        "prose: Over.",
        "tool_call: ",
        "tool_result: Successfully transferred to helper.",
        "helper/reasoning: helper's thought",
        "helper/prose: Looking.",
        "helper/tool_call: b",
        "helper/tool_result: b",
        "helper/reasoning: helper's last thought",
        "helper/prose: Seen.",
        "helper/tool_call: 41",
        "helper/tool_result: 41",
        "user: The helper agent has completed its work.",
        *CLOSING,
    ]


def test_a_sub_agent_that_is_a_tool_acts_between_the_call_and_its_result(read):
    assert told(read("as_tool")) == [
        "reasoning: main thought",
        "prose: Ask.",
        "tool_call: please look",
        "helper/reasoning: helper's thought",
        "helper/prose: Looking.",
        "helper/tool_call: b",
        "helper/tool_result: b",
        "helper/reasoning: helper's last thought",
        "helper/prose: Helper's closing words.",
        "tool_result: Helper's closing words.",
        *CLOSING,
    ]


def test_a_compaction_loses_nothing_and_adds_nothing(read, log_of):
    log = read_eval_log(str(log_of("compaction")))
    assert any(event.event == "compaction" for event in log.samples[0].events)
    steps = [
        part
        for turn in range(5)
        for part in (
            f"reasoning: thought {turn}",
            f"prose: Step {turn}.",
            f"tool_call: {turn}",
            f"tool_result: {turn}",
        )
    ]
    assert told(read("compaction")) == [*steps, *CLOSING]


def test_of_a_protocol_that_defers_what_was_executed_is_read_and_nothing_that_was_whispered(read):
    run = read("deferring")
    assert told(run) == [
        "prose: I look.",
        "tool_call: a",
        "tool_result: a",
        "prose: Trusted look.",
        "tool_call: c",
        "tool_result: c",
    ]


def test_what_an_agent_does_that_grades_is_not_the_run(read):
    assert told(read("grader")) == CLOSING


@pytest.mark.parametrize("name", ["as_tool", "handoff"])
def test_times_grow(read, name):
    steps = read(name).trajectory.steps
    seconds = [step.seconds for step in steps if step.kind != "user"]
    assert seconds == sorted(seconds)


@pytest.mark.parametrize("name", ["submit", "handoff", "compaction", "deferring"])
def test_inspect_reads_the_same_where_a_layout_is_unknown(log_of, name):
    path = log_of(name)
    ours, theirs = next(open_log(path).samples), next(by_inspect(path))
    assert [entry.drafts for entry in history(ours.record())] == [
        entry.drafts for entry in history(theirs.record())
    ]


def test_the_user_may_say_what_an_agents_log_is(log_of):
    [run] = read_runs([log_of("submit")], TruthOptions(attack=["*submit*"], task_field="input"))
    assert run.truth.label == "attack"
    assert run.truth.environment == "submit"
    assert run.task_verified
