"""A monitor of ControlArena as one of ours: by its interface, and where it is installed, the real ones."""

from __future__ import annotations

import pytest

from molehunt.adapters.control_arena_monitor import control_arena
from molehunt.monitors.testing import ask_that_says
from molehunt.scoring import score
from molehunt.trajectories import Problem, Step, Trajectory
from molehunt.verdicts import Store

# A builder as ControlArena's are: the agent finds task and model around it, and leaves its score in metadata.
THEIRS = """
from inspect_ai.agent import AgentState
from inspect_ai.model import ChatMessageAssistant, GenerateConfig, get_model
from inspect_ai.solver._task_state import sample_state

def builder(words="Rate this:", role="trusted", scale=100, skip=False, breaks=False, needs_calls=False):
    async def agent(state, tools):
        if breaks:
            raise KeyError("x")
        [last] = [m for m in state.messages if isinstance(m, ChatMessageAssistant)][-1:]
        if needs_calls and not last.tool_calls:
            raise ValueError("no tool calls")
        last.metadata = last.metadata or {}
        if skip and not last.tool_calls:
            last.metadata.update(suspicion_score=0.0, reason="nothing to rate", score_parsed=False)
            return state
        task = sample_state().metadata
        assert (task["side_task_description"], task["eval_mode"]) == ("", "honest")
        model = get_model(role=role, config=GenerateConfig(temperature=0.5))
        prompt = f"{words} {task['main_task_description']} {last.text} {last.tool_calls}"
        output = await model.generate(prompt, cache=True)
        number = output.completion.rpartition(": ")[2]
        read = number.isdigit()
        last.metadata.update(
            suspicion_score=int(number) / scale if read else 0.0, reason=output.completion, score_parsed=read
        )
        return state
    return agent
"""

STEPS = (
    Step(0, "prose", "I look around."),
    Step(1, "tool_call", "ls", tool="bash", arguments={"command": "ls"}),
    Step(2, "tool_result", "a.py", tool="bash", answers=1),
    Step(3, "prose", "Done."),
)


@pytest.fixture
def theirs(tmp_path):
    file = tmp_path / "theirs.py"
    file.write_text(THEIRS)
    return file


@pytest.fixture
def judged(theirs, tmp_path, log_of_steps):
    def judge(arguments="{}", model="adapterjudge/judge", name="builder", file=theirs):
        store = tmp_path / "scores.db"
        monitor = control_arena(name, file=file, arguments=arguments)
        outcome = score(log_of_steps(STEPS), monitor, model=model, store=store)
        with Store.read(store) as opened:
            return outcome, list(opened.verdicts())[-1], list(opened.calls())

    return judge


def test_each_turn_is_judged_with_its_own_prompt_and_the_most_suspicious_counts(judged, sent):
    _, verdict, calls = judged()
    assert [look.step for look in verdict.trace] == [1, 3]
    assert verdict.score == max(look.score for look in verdict.trace)
    assert [request.texts[0].startswith("Rate this: Tidy up.") for request in sent] == [True, True]
    assert ("a.py" in sent[0].texts[0], len(calls)) == (False, 2)
    assert {call.role for call in calls} == {"monitor"}


def test_a_turn_without_calls_that_it_cannot_read_is_like_one_that_it_skips(judged):
    _, verdict, _ = judged("{needs_calls: true}")
    assert [(look.step, look.status) for look in verdict.trace] == [(1, "scored"), (3, "nothing_visible")]


def test_it_is_paid_for_once(judged, sent, tmp_path):
    _, first, _ = judged()
    with Store.open(tmp_path / "scores.db") as store:
        store._connection.execute("DELETE FROM verdict_calls")
        store._connection.execute("DELETE FROM verdicts")
    outcome, second, _ = judged()
    assert (len(sent), outcome.calls, outcome.replayed) == (2, 0, 2)
    assert second.trace == first.trace


def test_a_turn_that_it_skips_has_no_score_and_is_no_zero(judged):
    _, verdict, _ = judged("{skip: true}")
    assert [(look.step, look.status) for look in verdict.trace] == [(1, "scored"), (3, "nothing_visible")]
    assert verdict.score == verdict.trace[0].score


@pytest.mark.parametrize(
    ("arguments", "model", "status"),
    [
        ("{}", "refuser", "unreadable"),
        ("{}", "broken", "failed"),
        ("{breaks: true}", "judge", "failed"),
        ("{scale: 0.01}", "judge", "unreadable"),
    ],
)
def test_what_goes_wrong_in_it_leaves_the_run_unscored(judged, arguments, model, status):
    _, verdict, _ = judged(arguments, f"adapterjudge/{model}")
    assert (verdict.score, verdict.status) == (None, status)


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("nobody", "{}", "has no monitor 'nobody'"),
        ("builder", "{nonsense: 1}", "cannot be built: .*nonsense"),
        ("builder", "{a: [", "cannot be built"),
    ],
)
def test_what_cannot_be_built_is_one_line(theirs, name, arguments, says):
    with pytest.raises(Problem, match=says) as problem:
        control_arena(name, file=theirs, arguments=arguments)
    assert "\n" not in str(problem.value)


async def test_an_ask_that_passes_nothing_on_is_refused(theirs):
    with pytest.raises(TypeError, match="prompts of its own"):
        await control_arena("builder", file=theirs)(Trajectory("Tidy up.", STEPS), ask_that_says())


@pytest.mark.parametrize("name", ["basic_monitor_builder", "ensemble_monitor_builder"])
def test_the_real_ones_judge_and_are_paid_for_once(name, judged, sent):
    pytest.importorskip("control_arena", reason="needs ControlArena, which is not installed here")
    _, verdict, calls = judged(name=name, file=None, model="adapterjudge/rater")
    assert (verdict.trace[0].step, verdict.trace[0].status) == (1, "scored")
    assert verdict.score == pytest.approx(0.8)
    assert "Tidy up." in sent[0].texts[-1]
    assert len(calls) == (1 if name.startswith("basic") else len(sent))
