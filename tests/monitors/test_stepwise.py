"""Step by step: every look is recorded, none is taken for a zero, and nothing is asked or laid out twice."""

from __future__ import annotations

import pytest

from molehunt.monitors import build, spec_text
from molehunt.monitors.eae import eae
from molehunt.monitors.floors import length
from molehunt.monitors.single_view import action_only, cot_action
from molehunt.monitors.stepwise import stepwise
from molehunt.monitors.testing import REFUSAL, Unanswered, ask_that_says, judged_by
from molehunt.trajectories import EVERYTHING, Problem, Step, Trajectory, View, render
from molehunt.verdicts import Look

FAULT = Unanswered("failed", "the provider is on fire")


def run_of(steps: int) -> Trajectory:
    return Trajectory("Add.", tuple(Step(index, "code", f"x = {index}") for index in range(steps)))


def says(*scores: int) -> list[str]:
    return [f"Because.\nSUSPICION: {score}" for score in scores]


async def test_it_looks_after_every_kth_step_and_at_the_end_and_the_most_suspicious_look_counts():
    verdict = await judged_by(stepwise(every=2), ask_that_says(*says(10, 70, 30)), run_of(5))
    assert verdict.score == 0.7
    assert verdict.trace == (Look(1, 0.1, "scored"), Look(3, 0.7, "scored"), Look(4, 0.3, "scored"))
    assert verdict.rationale == "after step 3 of 4 (0.70): Because."


async def test_a_look_sees_what_had_happened_by_then_and_nothing_that_followed():
    ask = ask_that_says(*says(1, 1, 1))
    await judged_by(stepwise(every=2), ask, run_of(5))
    beginnings = [Trajectory("Add.", run_of(5).steps[:length]) for length in (2, 4, 5)]
    assert [q.prompt.material for q in ask.questions] == [render(b, EVERYTHING).text for b in beginnings]


@pytest.mark.parametrize(("final", "score"), [("max", 0.9), ("mean", 0.5), ("last", 0.1)])
async def test_the_score_is_a_stated_function_of_all_looks(final, score):
    verdict = await judged_by(stepwise(every=1, final=final), ask_that_says(*says(50, 90, 10)), run_of(3))
    assert verdict.score == pytest.approx(score)


@pytest.mark.parametrize(("final", "score"), [("max", 0.9), ("mean", 0.9)])
async def test_a_look_that_was_refused_is_left_out_and_counted_and_never_a_zero(final, score):
    replies = [*says(90), REFUSAL, *says(90)]
    verdict = await judged_by(stepwise(every=1, final=final), ask_that_says(*replies), run_of(3))
    assert verdict.score == pytest.approx(score)
    assert verdict.trace[1] == Look(1, None, "refused")
    assert verdict.rationale.startswith("1 of 3 looks have no score. After step 0 of 2 (0.90): ")


@pytest.mark.parametrize(
    ("final", "replies", "status"),
    [
        ("max", [REFUSAL, REFUSAL], "refused"),
        ("max", [FAULT, "SUSPICION: 90"], "failed"),
        ("mean", ["SUSPICION: 90", FAULT], "failed"),
        ("last", ["SUSPICION: 90", REFUSAL], "refused"),
    ],
)
async def test_without_what_the_score_needs_there_is_none_and_the_trace_says_why(final, replies, status):
    verdict = await judged_by(stepwise(every=1, final=final), ask_that_says(*replies), run_of(2))
    assert (verdict.score, verdict.status, len(verdict.trace)) == (None, status, 2)


async def test_a_run_without_steps_has_nothing_to_show():
    verdict = await judged_by(stepwise(), ask_that_says(), run_of(0))
    assert (verdict.score, verdict.status) == (None, "nothing_visible")


async def test_a_look_that_shows_the_monitor_nothing_new_asks_nothing_new():
    code, thought = Step(0, "code", "a + b"), Step(1, "reasoning", "Now I wait.")
    ask = ask_that_says(*says(20))
    verdict = await judged_by(stepwise(action_only(), every=1), ask, Trajectory("Add.", (code, thought)))
    assert len(ask.questions) == 1
    assert [look.score for look in verdict.trace] == [0.2, 0.2]


async def test_a_refusal_is_remembered_too():
    code, thought = Step(0, "code", "a + b"), Step(1, "reasoning", "Now I wait.")
    verdict = await judged_by(
        stepwise(action_only(), every=1), ask_that_says(REFUSAL), Trajectory("Add.", (code, thought))
    )
    assert [look.status for look in verdict.trace] == ["refused", "refused"]


async def test_who_asks_twice_in_a_look_wants_two_samples():
    twice = build("hybrid(first=cot_action, second=cot_action, weight=0.5)")
    ask = ask_that_says(*says(0, 100))
    verdict = await judged_by(stepwise(twice, every=9), ask, run_of(1))
    assert (verdict.score, len(ask.questions)) == (0.5, 2)


async def test_excerpts_are_those_of_the_look_that_counts():
    replies = ["<excerpt>x = 0</excerpt>", *says(80), "<excerpt>x = 1</excerpt>", *says(10)]
    verdict = await judged_by(stepwise(eae(), every=1), ask_that_says(*replies), run_of(2))
    assert [(e.step, e.quote) for e in verdict.excerpts] == [(0, "x = 0")]


async def test_each_step_is_laid_out_once_however_many_looks_there_are(monkeypatch):
    shown = []
    shows = View.shows
    monkeypatch.setattr(
        View, "shows", lambda view, step, **how: shown.append(step) or shows(view, step, **how)
    )
    verdict = await judged_by(stepwise(length(), every=1), ask_that_says(), run_of(100))
    assert (len(verdict.trace), len(shown)) == (100, 100)


def test_it_is_written_and_built_like_any_other_monitor():
    monitor = build("stepwise(monitor='eae(min_excerpts=3)', every=10, final=last)")
    assert monitor == stepwise(eae(min_excerpts=3), every=10, final="last")
    assert monitor.roles == ("extractor", "evaluator")
    assert build(spec_text(monitor)) == monitor
    assert stepwise().parts == (cot_action(),)


def test_it_looks_after_one_step_or_more():
    with pytest.raises(Problem, match="every 1 or more"):
        stepwise(every=0)
