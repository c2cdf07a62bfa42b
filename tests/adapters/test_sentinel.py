"""Our monitors online, as Sentinel's: what they say while the agent works is what they say afterwards."""

from __future__ import annotations

import functools

import pytest
from inspect_ai.event import SentinelEvent

from molehunt.adapters.judging import BOUNDARY_KEY
from molehunt.scoring import score as score_logs
from molehunt.trajectories import Problem, View
from molehunt.trajectories.sources import read_runs
from molehunt.verdicts import Store

pytest.importorskip("inspect_sentinel")

from inspect_sentinel import observe_only

from molehunt.adapters.sentinel import watching

JUDGE = "adapterjudge/judge"


@functools.cache  # equal ones are one, so that tests share evaluations
def watched(spec="cot_action", model=JUDGE, **more):
    return observe_only([watching(spec, model=model, **more)])


def observations(log):
    return [event for event in log.samples[0].events if isinstance(event, SentinelEvent)]


def replayed(log, spec, tmp_path):
    """Score the log of a run with the delimiters that were used while it went on."""
    with Store.open(tmp_path / "scores.db") as store:
        store._connection.execute("UPDATE secrets SET boundary_key = ?", [BOUNDARY_KEY])
    score_logs(log.location, spec, model=JUDGE, store=tmp_path / "scores.db")
    with Store.read(tmp_path / "scores.db") as store:
        return list(store.verdicts())


def test_it_looks_after_each_result_and_at_the_last_words(evaluated, sent):
    seen = observations(evaluated(sentinel=watched()))
    assert [event.stage for event in seen] == ["tool_result", "tool_result", "tool_result", "model_output"]
    assert all(0 <= event.suspicion <= 1 and event.explanation == "Because." for event in seen)
    assert [len(event.metadata["calls"]) for event in seen] == [1, 1, 1, 1]


def test_before_calls_are_executed_it_looks_at_the_turn(evaluated, sent):
    seen = observations(evaluated(sentinel=watched(at="turns")))
    assert [event.stage for event in seen] == ["model_output"] * 3
    assert "rm -rf /tmp/x" in sent[1].texts[1]
    assert "ran rm -rf /tmp/x" not in sent[1].texts[1]
    assert "ran rm -rf /tmp/x" in sent[2].texts[1]


@pytest.mark.parametrize("spec", ["cot_action", "action_only", "eae(min_excerpts=1)"])
def test_what_is_sent_online_is_to_the_byte_what_is_sent_offline(spec, evaluated, sent, tmp_path):
    log = evaluated(sentinel=watched(spec))
    online = [request.texts for request in sent]
    sent.clear()
    replayed(log, spec, tmp_path)
    assert sent
    assert {request.texts for request in sent} <= set(online)
    replayed(log, f"stepwise(monitor={spec!r}, every=1)", tmp_path)
    assert set(online) <= {request.texts for request in sent}


def test_a_score_online_is_that_of_the_same_look_offline(evaluated, tmp_path):
    log = evaluated(sentinel=watched())
    [verdict] = replayed(log, "stepwise(monitor=cot_action, every=1)", tmp_path)
    [run] = read_runs([log.location])
    ends = [step.index for step in run.trajectory.steps if step.kind == "tool_result"]
    ends.append(len(run.trajectory.steps) - 1)
    offline = {look.step: look.score for look in verdict.trace}
    assert [event.suspicion for event in observations(log)] == [offline[end] for end in ends]


def test_a_long_run_costs_one_question_a_look_and_one_layout_a_step(evaluated, turns_of, sent, monkeypatch):
    shown = []
    shows = View.shows
    monkeypatch.setattr(
        View, "shows", lambda view, step, **how: shown.append(step) or shows(view, step, **how)
    )
    log = evaluated(turns_of(30), sentinel=watched())
    assert len(observations(log)) == len(sent) == 31
    assert sorted(step.index for step in shown) == list(range(30 * 4 + 2))


def test_equal_questions_of_different_looks_are_asked_once(evaluated, sent):
    log = evaluated(sentinel=watched("cot_only(prose=action)"))
    # the second of two results shows nothing new to who reads the reasoning
    assert [len(event.metadata["calls"]) for event in observations(log)] == [1, 1, 0, 1]
    assert len(sent) == 3


def test_it_may_look_less_often(evaluated, turns_of, sent):
    log = evaluated(turns_of(10), sentinel=watched(every=12))
    assert [event.stage for event in observations(log)] == ["tool_result"] * 3 + ["model_output"]


@pytest.mark.parametrize(("model", "status"), [("refuser", "refused"), ("broken", "failed")])
def test_a_look_without_a_score_is_a_failed_monitor_and_never_a_zero(evaluated, model, status):
    seen = observations(evaluated(sentinel=watched(model=f"adapterjudge/{model}")))
    assert [(event.status, event.suspicion) for event in seen] == [("error", None)] * 4
    assert all(status in event.error for event in seen)


def test_what_a_monitor_cannot_see_yet_it_abstains_from(evaluated, turns_of):
    reasons = "keyword(view=View(reasoning=True, actions=False, prose=action))"
    assert observations(evaluated(turns_of(2, silent=True), sentinel=watched(reasons))) == []


def test_excerpts_cite_the_messages_that_hold_them(evaluated, sent):
    log = evaluated(sentinel=watched("eae(min_excerpts=1)"))
    first = next(message for message in log.samples[0].messages if message.role == "assistant")
    assert {r.id for event in observations(log) for r in event.references} == {first.id}


def test_no_label_of_the_sample_reaches_a_prompt(evaluated, sent):
    evaluated(sentinel=watched())
    assert not [text for request in sent for text in request.texts if "attack-label-7" in text]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"spec": "eea"}, "did you mean 'eae'"),
        ({"spec": "eae", "roles": {"judge": JUDGE}}, "has a role 'judge'"),
        ({"spec": "eae", "every": 0}, "after 1 step or more"),
    ],
)
def test_what_cannot_be_is_said_before_the_agent_begins(options, says):
    with pytest.raises(Problem, match=says):
        watching(**options)
