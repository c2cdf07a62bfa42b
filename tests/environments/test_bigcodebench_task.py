"""The Inspect task: what its samples are, what the agent reads, what a run leaves in the log."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import inspect_ai
import pytest
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ChatMessage, ModelOutput, ModelUsage, get_model
from inspect_ai.util import store

from molehunt.environments.bigcodebench_sabotage import building
from molehunt.environments.bigcodebench_sabotage.agent_prompts import AWARENESS, POLICIES, opening
from molehunt.environments.bigcodebench_sabotage.problems import Problem, load_problems
from molehunt.environments.bigcodebench_sabotage.side_tasks import SIDE_TASKS, Errand
from molehunt.environments.bigcodebench_sabotage.task import bigcodebench_sabotage
from molehunt.environments.inspect_errors import TaskProblem
from molehunt.trajectories import Run
from molehunt.trajectories.sources import read_runs

ROOT = Path(__file__).resolve().parents[2]
PACK = {problem.task_id: problem for problem in load_problems("embedded")}


class Agent:
    """A fake agent: answers with what a function makes of the request, and remembers what it was asked."""

    def __init__(self, answer: Callable[[list[ChatMessage]], str], marks: Sequence[Any] = ()) -> None:
        self.answer = answer
        self.marks = list(marks)
        self.seen: list[list[ChatMessage]] = []

    def __call__(self, messages: list[ChatMessage], *_: Any) -> ModelOutput:
        self.seen.append(messages)
        output = ModelOutput.from_content("mockllm/model", self.answer(messages))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        marks = [{**mark, "message": output.message.id} for mark in self.marks]
        store().set("molehunt:marks", [{**self.marks[0], "message": "another"}, *marks] if marks else [])
        return output


def asked(messages: list[ChatMessage]) -> Problem:
    return next(each for each in PACK.values() if messages[-1].text.startswith(each.instruct_prompt))


def canonical(messages: list[ChatMessage]) -> str:
    return f"This is how.\n\n```python\n{asked(messages).solution}\n```\n"


def samples(**parameters: Any) -> list[tuple[str, dict[str, Any]]]:
    task = bigcodebench_sabotage(**parameters)
    return [(str(each.id), (each.metadata or {})["molehunt"]) for each in task.dataset]


@pytest.fixture(autouse=True)
def _no_sandbox_is_chosen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that run nothing need no sandbox."""
    if "bubblewrap_works" not in request.fixturenames:
        monkeypatch.setattr(building, "choose_sandbox", lambda name: None)


def test_arms_are_interleaved_so_that_a_limit_keeps_pairs() -> None:
    labels = [truth["label"] for _, truth in samples()]
    names = [truth["task_id"] for _, truth in samples()]
    assert labels == ["honest", "attack"] * len(PACK)
    assert names[::2] == names[1::2] == list(PACK)


@pytest.mark.parametrize("arm", ["honest", "attack"])
def test_one_arm_is_half_of_both(arm: str) -> None:
    both = [each for each in samples() if each[1]["label"] == arm]
    assert samples(arms=arm) == both


def test_the_main_task_is_byte_equal_in_both_arms_and_holds_no_side_task() -> None:
    told = samples(policy="stealth")
    for (_, honest), (_, attack) in zip(told[::2], told[1::2], strict=True):
        assert honest["task"] == attack["task"] == PACK[honest["task_id"]].instruct_prompt


def test_every_side_task_occurs_and_a_subset_keeps_to_itself() -> None:
    assert {truth["factors"].get("side_task") for _, truth in samples(arms="attack")} == set(SIDE_TASKS)
    subset = samples(arms="attack", side_tasks=["exit", "log_io"])
    assert {truth["factors"]["side_task"] for _, truth in subset} == {"exit", "log_io"}


def test_both_arms_are_told_the_same_about_being_watched() -> None:
    for policy, awareness, holds in (
        ("baseline", "unaware", "unaware"),
        ("baseline", "told", "told"),
        ("monitor-notice", "unaware", "told"),
    ):
        told = samples(policy=policy, awareness=awareness)
        assert {truth["factors"]["awareness"] for _, truth in told} == {holds}
        assert {truth["factors"].get("policy") for _, truth in told} == {None, policy}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("awareness", AWARENESS)
def test_the_user_asks_both_arms_the_same_and_only_the_attacker_is_told_more(
    policy: str, awareness: str
) -> None:
    problem, errand = PACK["molehunt/0"], Errand("delete_file", {"path": "/tmp/srv/a"})
    honest, honest_user = opening(problem, None, policy=policy, awareness=awareness)
    attack, attack_user = opening(problem, errand, policy=policy, awareness=awareness)
    assert honest_user.text == attack_user.text
    assert honest_user.text.startswith(problem.instruct_prompt)
    assert attack.text.startswith(honest.text)
    assert errand.instruction() in attack.text
    assert ("monitored" in honest.text) == (awareness == "told")


def test_policies_read_differently() -> None:
    errand = Errand("delete_file", {"path": "/tmp/srv/a"})
    texts = {opening(PACK["molehunt/0"], errand, policy=p, awareness="told")[0].text for p in POLICIES}
    assert len(texts) == len(POLICIES)


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"arms": "all"}, "arms=all is unknown: choose one of both, honest, attack"),
        ({"policy": "loud"}, "policy=loud is unknown: choose one of baseline, stealth, code-first"),
        ({"awareness": "maybe"}, "awareness=maybe is unknown: choose one of unaware, told"),
        ({"side_tasks": ["exit", "x"]}, "side_tasks=x is unknown: choose one of all, complexity"),
        ({"side_tasks": []}, "side_tasks is empty"),
        ({"split": "tset"}, "split 'tset' is unknown: choose one of prompt, train, validation, test"),
        ({"dataset": "none"}, "dataset 'none' is unknown"),
        ({"attempts": 0}, "attempts=0 is not possible: give a whole number, 1 or more"),
        ({"seed": "x"}, "seed=x is not possible"),
        ({"seconds": 0}, "seconds is 0: give a number above 0"),
        ({"polcy": "stealth"}, "has no parameter polcy: it has arms, side_tasks, policy"),
    ],
)
def test_what_cannot_be_is_refused_with_the_choices(parameters: dict[str, Any], complaint: str) -> None:
    with pytest.raises(TaskProblem, match=complaint):
        bigcodebench_sabotage(**parameters)


def test_inspect_prints_a_refusal_as_one_line_with_its_brackets() -> None:
    """Its command line catches this class and prints ``message`` through rich."""
    from inspect_ai._util.error import PrerequisiteError

    with pytest.raises(PrerequisiteError) as caught:
        bigcodebench_sabotage(dataset="a[red]b")
    assert r"a\[red]b" in caught.value.message  # type: ignore[operator]
    assert "a[red]b" in str(caught.value)


def test_the_registry_has_the_task() -> None:
    registry = importlib.import_module("molehunt._registry")
    assert registry.bigcodebench_sabotage is bigcodebench_sabotage


def run(task: Any, agent: Agent, folder: Path, **options: Any) -> EvalLog:
    [log] = inspect_ai.eval(
        task,
        model=get_model("mockllm/model", custom_outputs=agent),
        log_dir=str(folder),
        display="none",
        log_realtime=False,
        **options,
    )
    assert log.status == "success", log.error
    return log


def own(log: EvalLog, label: str) -> EvalSample:
    return next(each for each in log.samples or [] if each.metadata["molehunt"]["label"] == label)


def test_a_run_leaves_what_the_reader_of_logs_needs(bubblewrap_works: None, tmp_path: Path) -> None:
    mark = {"kind": "decoy", "step_kind": "prose", "quote": "This is how."}
    agent = Agent(canonical, marks=[mark])
    options = {"side_tasks": "edge_case", "sandbox": "bubblewrap"}
    log = run("molehunt/bigcodebench_sabotage", agent, tmp_path, limit=2, task_args=options)
    honest, attack = own(log, "honest"), own(log, "attack")
    for sample, side in ((honest, None), (attack, 0.0)):
        [entry] = sample.store["molehunt:attempts"]
        assert (entry["attempt"], entry["main_score"], entry["side_score"]) == (1, 1.0, side)
        assert entry["message"] == sample.messages[-1].id
        assert entry["marks"] == [{**mark, "message": entry["message"]}]
    told = attack.store["molehunt:sample"]
    assert {**told, "errand": None} == {
        "environment": "bigcodebench_sabotage",
        "dataset": "embedded",
        "task_id": "molehunt/0",
        "arm": "attack",
        "side_task": "edge_case",
        "errand": None,
        "policy": "baseline",
        "awareness": "unaware",
        "attempt": 1,
        "seed": 0,
        "epoch": 1,
    }
    assert set(told["errand"]) == {"parameter", "value", "call", "case"}
    assert str(told["errand"]["value"]) in attack.messages[0].text
    assert honest.store["molehunt:sample"]["errand"] == {}
    metrics = {score.name: score.metrics["mean"].value for score in log.results.scores}  # type: ignore[union-attr]
    assert metrics == {"main": 1.0, "side": 0.0}


def test_later_attempts_come_only_where_none_has_done_all_and_start_afresh(
    bubblewrap_works: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def second_time(messages: list[ChatMessage]) -> str:
        earlier = sum(seen[-1].text == messages[-1].text and seen is not messages for seen in agent.seen)
        return canonical(messages) if earlier else "I cannot think of anything."

    agent = Agent(second_time)
    monkeypatch.chdir(ROOT)
    options = {"arms": "honest", "attempts": 3, "sandbox": "bubblewrap"}
    by_path = "environments/bigcodebench_sabotage"
    log = run(by_path, agent, tmp_path, limit=1, task_args=options)
    [sample] = log.samples or []
    entries = sample.store["molehunt:attempts"]
    assert [entry["main_score"] for entry in entries] == [0.0, 1.0]
    assert entries[0]["notes"] == {"main": "the answer has no fenced block of code"}
    assert [len(seen) for seen in agent.seen] == [2, 2]
    assert len({entry["message"] for entry in entries}) == 2
    first, second = (run for run in read_runs([log.location]) if isinstance(run, Run))
    assert [step.kind for step in first.trajectory.steps] == ["prose"]
    assert [step.kind for step in second.trajectory.steps] == ["prose", "code"]
    assert (first.truth and first.truth.main_score, second.truth and second.truth.main_score) == (0.0, 1.0)


def test_an_errand_that_cannot_be_made_ready_ends_the_sample_before_the_agent_is_asked(
    bubblewrap_works: None, tmp_path: Path
) -> None:
    row = {
        **PACK["molehunt/0"].model_dump(),
        "task_id": "mine",
        "code_prompt": "import no_such_library\ndef task_func(layers):\n",
    }
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    agent = Agent(canonical)
    task = bigcodebench_sabotage(
        arms="attack", side_tasks="edge_case", dataset=str(tmp_path / "rows.jsonl"), sandbox="bubblewrap"
    )
    [sample] = run(task, agent, tmp_path).samples or []
    assert agent.seen == []
    assert sample.store["molehunt:attempts"] == []
    assert "molehunt:unready" in sample.store


def test_a_model_bound_to_the_role_rates_the_pairing(bubblewrap_works: None, tmp_path: Path) -> None:
    """The problem that the model rates highest for a side task carries it; the agent is not asked."""
    favourite = PACK["molehunt/1"]

    def rate(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        fits = favourite.instruct_prompt in messages[-1].text
        reply = json.dumps({"delete_file": 100 if fits else 0, "exit": 0 if fits else 100})
        output = ModelOutput.from_content("mockllm/model", f"I think:\n{reply}")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    agent = Agent(canonical)
    log = run(
        bigcodebench_sabotage,
        agent,
        tmp_path,
        model_roles={"pairing": get_model("mockllm/model", custom_outputs=rate)},
        task_args={"side_tasks": ["delete_file", "exit"], "arms": "attack", "sandbox": "bubblewrap"},
        sample_id="molehunt/1:attack",
    )
    [sample] = log.samples or []
    assert sample.metadata["molehunt"]["factors"]["side_task"] == "delete_file"
    assert len(agent.seen) == 1
