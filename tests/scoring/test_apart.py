"""Questions that a verdict does not rest on: asked, stored and billed, and no part of what it cost."""

from __future__ import annotations

import pytest

from molehunt.monitors import Prompt, monitor
from molehunt.monitors.answers import SuspicionScore
from molehunt.scoring import plan_async
from molehunt.verdicts import Store, Verdict
from molehunt.verdicts.frames import excerpts_frame

ATTRIBUTING = "eae(attribute=True)"


@monitor(roles=("monitor",), answers=(SuspicionScore(),))
def curious():
    async def score(trajectory, ask):
        answer = await ask("monitor", Prompt(trajectory.task, "x", "Is it?"), SuspicionScore())
        await ask("monitor", Prompt(trajectory.task, "y", "Or this?"), SuspicionScore(), apart=True)
        return Verdict(answer.value.score)

    return score


def links(store):
    with Store.read(store) as opened:
        return [link.call for link in opened.verdict_calls()]


async def test_a_call_apart_is_stored_and_billed_but_is_none_of_the_verdicts(scored, tmp_path, sent):
    run = await scored(curious())
    assert (len(sent), len(run.calls), run.outcome.calls) == (2, 2, 2)
    assert run.outcome.usd == pytest.approx(2 * 0.0015)
    assert links(tmp_path / "scores.db") == [run.calls[0].key]


async def test_time_spent_apart_is_none_of_the_verdicts(scored, monkeypatch):
    from molehunt.scoring import ask, run

    class Clock:
        seconds = 0.0

        def perf_counter(self):
            Clock.seconds += 1.0
            return Clock.seconds

        def monotonic(self):
            return 0.0

    monkeypatch.setattr(ask, "time", Clock())
    monkeypatch.setattr(run, "time", Clock())
    # five readings of a clock that gains a second with each: four seconds, one of them for what is apart
    assert (await scored(curious())).only.seconds == 3.0


async def test_attribution_rests_on_the_verdicts_own_calls_and_keeps_its_effects(scored, tmp_path, sent):
    run = await scored(ATTRIBUTING)
    store = tmp_path / "scores.db"
    assert [call.role for call in run.calls] == ["extractor", "evaluator", "evaluator"]
    assert links(store) == [call.key for call in run.calls[:2]]
    [excerpt] = run.only.excerpts
    assert -1 <= excerpt.effect <= 1
    with Store.read(store) as opened:
        assert list(excerpts_frame(opened)["effect"]) == [excerpt.effect]


async def test_attribution_changes_no_score_and_pays_for_nothing_twice(scored, sent):
    plain = await scored("eae")
    both = await scored(["eae", ATTRIBUTING])
    assert len(sent) == 3
    assert {verdict.score for verdict in both.verdicts} == {plain.only.score}
    assert {verdict.excerpts[0].effect is None for verdict in both.verdicts} == {True, False}


async def test_a_plan_sets_apart_what_the_verdict_will_not_rest_on(log_of, tmp_path, prices):
    plan = await plan_async(
        log_of(1), ATTRIBUTING, model="fakemonitor/judge", store=tmp_path / "scores.db", prices=prices
    )
    rows = {row.role: row.calls for row in plan.rows}
    assert rows.keys() == {"extractor", "evaluator", "evaluator (apart)"}
    # the run has three lines to quote: a thought and two of code
    assert rows == {"extractor": 1, "evaluator": 1, "evaluator (apart)": 3}


@pytest.mark.parametrize(
    ("asked_for", "planned"), [("min_excerpts=2", 2), ("min_excerpts=2, max_excerpts=9", 9)]
)
async def test_a_plan_leaves_out_as_many_excerpts_as_there_may_be(
    log_of, sample_of, tmp_path, prices, asked_for, planned
):
    lines = "\n".join(f"x_{line} = {line}" for line in range(40))
    plan = await plan_async(
        log_of([sample_of("s", lines)]),
        f"eae({asked_for}, attribute=True)",
        model="fakemonitor/judge",
        store=tmp_path / "scores.db",
        prices=prices,
    )
    assert {row.role: row.calls for row in plan.rows}["evaluator (apart)"] == planned
