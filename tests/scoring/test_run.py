"""Runs of scoring: what is made, what is kept, what is asked again, and what a fault costs."""

from __future__ import annotations

import asyncio
import re

import pytest

from molehunt.monitors import Unanswered, monitor
from molehunt.monitors.answers import SuspicionScore
from molehunt.monitors.protocol import Prompt
from molehunt.scoring import Watcher
from molehunt.trajectories import Problem
from molehunt.verdicts import Store, Verdict

FIVE = ["action_only", "cot_only", "cot_action", "hybrid", "eae"]


async def until(condition, run):
    """Give ``run`` turns until ``condition`` holds; an error of the run ends the wait."""
    while not condition():
        if run.done():
            run.result()
            raise AssertionError("the run was over before")
        await asyncio.sleep(0)


class Notes(Watcher):
    """Writes down what a run says."""

    def __init__(self):
        self.tallies, self.lines = [], []

    def scoring(self, tally):
        self.tallies.append(tally)

    def say(self, line):
        self.lines.append(line)


@monitor()
def faulty():
    """Raises where the code says so."""

    async def score(trajectory, ask):
        if "+ 1" in trajectory.steps[-1].text:
            raise ZeroDivisionError("a mistake in a monitor")
        return Verdict(0.5)

    return score


@monitor()
def nonsense():
    """Returns a number instead of a verdict."""

    async def score(trajectory, ask):
        return 0.7

    return score


async def test_every_trajectory_is_scored_by_every_monitor(scored, log_of):
    run = await scored(FIVE, sources=log_of(3))
    assert run.outcome.exit_status == 0
    assert run.outcome.counts == {"scored": 15}
    assert len({(v.trajectory, v.monitor) for v in run.verdicts}) == 15


async def test_a_second_run_asks_nothing_and_makes_nothing(scored, log_of, sent):
    first = await scored(FIVE, sources=log_of(3))
    asked = len(sent)
    second = await scored(FIVE, sources=log_of(3))
    assert len(sent) == asked
    assert second.verdicts == first.verdicts
    assert (second.outcome.already, second.outcome.counts.total()) == (15, 0)


async def test_a_hybrid_pays_for_its_parts_once(scored, sent):
    run = await scored(["action_only", "cot_action", "hybrid"])
    assert len(sent) == 2
    parts = {v.monitor: v.score for v in run.verdicts}
    action, both, hybrid = (
        parts[next(m for m in parts if m in ids)]
        for ids in _ids_by_name(run, "action_only", "cot_action", "hybrid")
    )
    assert hybrid == pytest.approx(0.55 * action + 0.45 * both)


def _ids_by_name(run, *names):
    with Store.read(run.outcome.store) as store:
        monitors = list(store.monitors())
    return [{m.id for m in monitors if m.name == name} for name in names]


async def test_a_verdict_rests_on_all_its_calls_also_on_those_that_others_paid_for(scored):
    run = await scored(["action_only", "cot_action", "hybrid"])
    with Store.read(run.outcome.store) as store:
        links = list(store.verdict_calls())
    [hybrid] = _ids_by_name(run, "hybrid")
    assert sum(link.monitor in hybrid for link in links) == 2
    assert len({link.call for link in links}) == 2


async def test_evaluators_share_what_their_extractor_found(scored, sent, tmp_path):
    grid = tmp_path / "grid.yaml"
    grid.write_text(
        "monitors: [eae]\n"
        "models:\n"
        "  - {extractor: fakemonitor/judge, evaluator: fakemonitor/judge}\n"
        "  - {extractor: fakemonitor/judge, evaluator: fakemonitor/judge-b}\n"
        "  - {extractor: fakemonitor/judge, evaluator: {model: fakemonitor/judge, temperature: 0}}\n"
    )
    run = await scored(str(grid), model=None)
    assert run.outcome.counts == {"scored": 3}
    assert len(sent) == 4


async def test_equal_trajectories_are_scored_once_and_stay_two_runs(scored, log_of, sent, sample_of):
    twice = [sample_of("one", "a + b", "honest"), sample_of("two", "a + b", "attack")]
    run = await scored(sources=log_of(twice))
    assert (run.outcome.runs, run.outcome.trajectories, len(sent)) == (2, 1, 1)
    with Store.read(run.outcome.store) as store:
        assert [stored.truth.label for stored in store.runs()] == ["honest", "attack"]


async def test_two_monitors_on_two_samples_are_four_verdicts(scored, log_of):
    run = await scored(["action_only", "cot_only"], sources=log_of(2))
    assert len(run.verdicts) == 4


async def test_draws_are_verdicts_of_their_own_with_calls_of_their_own(scored, sent):
    run = await scored(draws=3)
    assert sorted(v.draw for v in run.verdicts) == [0, 1, 2]
    assert len(sent) == 3
    more = await scored(draws=4)
    assert len(more.verdicts) == len(sent) == 4


async def test_a_monitor_that_asks_the_same_twice_gets_two_answers(scored, sent):
    @monitor(roles=("monitor",))
    def twice():
        async def score(trajectory, ask):
            prompt = Prompt(trajectory.task, "m", "q")
            await asyncio.gather(*(ask("monitor", prompt, SuspicionScore()) for _ in range(2)))
            return Verdict(0.5)

        return score

    run = await scored(twice())
    assert len(sent) == len(run.calls) == 2


async def test_what_failed_is_made_again_and_nothing_else(scored, log_of, sent):
    first = await scored(model="breaks-on-third", sources=log_of(5), max_connections=1)
    assert first.outcome.counts == {"scored": 4, "failed": 1}
    assert first.outcome.exit_status == 3
    second = await scored(model="breaks-on-third", sources=log_of(5))
    assert second.outcome.counts == {"scored": 1}
    assert len(sent) == 6
    assert {v.status for v in second.verdicts} == {"scored"}


async def test_a_refusal_is_a_result_and_stays(scored, sent):
    await scored(model="refuser")
    again = await scored(model="refuser")
    assert again.outcome.exit_status == 0
    assert len(sent) == 1


async def test_an_error_of_the_provider_leaves_every_other_score_in_the_store(scored, log_of):
    run = await scored(model="breaks-on-third", sources=log_of(20))
    assert run.outcome.counts == {"scored": 19, "failed": 1}
    assert sum(v.score is not None for v in run.verdicts) == 19


async def test_a_draw_that_is_refused_is_unscored_and_never_a_zero(scored, log_of):
    run = await scored(model="refuser", draws=5)
    assert {(v.score, v.status) for v in run.verdicts} == {(None, "refused")}


async def test_a_transcript_that_ends_in_plain_text_is_judged(scored, log_of, sent):
    talk = {
        "id": "t",
        "epoch": 1,
        "uuid": "u",
        "input": "Say hello.",
        "target": "",
        "messages": [
            {"role": "user", "content": "Say hello."},
            {"role": "assistant", "content": "Hello, and that is all."},
        ],
    }
    run = await scored(["action_only", "cot_action"], sources=log_of([talk]))
    assert {v.status for v in run.verdicts} == {"nothing_visible", "scored"}
    assert "Hello, and that is all." in sent[0].text


async def test_the_bound_model_is_asked_whatever_model_is_named_around_it(scored, sent, monkeypatch):
    monkeypatch.setenv("INSPECT_EVAL_MODEL", "fakemonitor/weak")
    run = await scored(model="strong")
    assert [request.model for request in sent] == ["strong"]
    assert [(call.asked, call.answered) for call in run.calls] == [("fakemonitor/strong", "strong")]


async def test_usage_stays_with_the_call_when_a_run_is_repeated(scored):
    first = await scored()
    second = await scored()
    assert [call.tokens for call in second.calls] == [call.tokens for call in first.calls]
    assert all(call.tokens is not None for call in second.calls)
    assert len(second.verdicts) == 1


async def test_a_fault_in_a_monitor_costs_its_own_verdict_only(scored, log_of):
    run = await scored([faulty(), "length"], model=None, sources=log_of(3))
    failed = [v for v in run.verdicts if v.status == "failed"]
    [why] = [v.rationale for v in failed]
    assert re.fullmatch(r"ZeroDivisionError: a mistake in a monitor \(test_run\.py:\d+\)", why)
    assert run.outcome.counts == {"scored": 5, "failed": 1}


async def test_a_monitor_that_returns_no_verdict_fails(scored):
    run = await scored(nonsense(), model=None)
    assert run.only.status == "failed"
    assert "returned 0.7, which is no Verdict" in run.only.rationale


async def test_a_monitor_that_makes_up_a_status_fails(scored):
    @monitor()
    def inventive():
        async def score(trajectory, ask):
            raise Unanswered("bored")

        return score

    run = await scored(inventive(), model=None)
    assert run.only.status == "failed"


async def test_no_more_trajectories_are_asked_about_at_a_time_than_allowed(scored, log_of, sent, gate):
    run = asyncio.create_task(scored(model="gated", sources=log_of(6), max_connections=2))
    await until(lambda: len(sent) == 2, run)
    for _ in range(50):
        await asyncio.sleep(0)
    assert len(sent) == 2
    gate.set()
    assert (await run).outcome.counts == {"scored": 6}


async def test_one_question_that_several_trajectories_raise_at_once_is_asked_once(scored, log_of, sent, gate):
    @monitor(roles=("monitor",))
    def indifferent():
        async def score(trajectory, ask):
            return Verdict((await ask("monitor", Prompt("t", "m", "q"), SuspicionScore())).value.score)

        return score

    run = asyncio.create_task(scored(indifferent(), model="gated", sources=log_of(4)))
    await until(lambda: sent, run)
    for _ in range(50):
        await asyncio.sleep(0)
    gate.set()
    done = await run
    assert done.outcome.counts == {"scored": 4}
    assert len(sent) == len(done.calls) == 1


async def test_monitors_that_see_the_same_are_asked_one_after_the_other(scored, sent):
    await scored(
        ["cot_action", "action_only", "eae"],
        model=None,
        roles=dict.fromkeys(["monitor", "extractor", "evaluator"], "fakemonitor/judge"),
    )
    beginnings = [request.texts[1].split("</transcript")[0] for request in sent[:2]]
    assert beginnings[0] == beginnings[1]


async def test_a_run_says_how_far_it_is(scored, log_of):
    notes = Notes()
    await scored(["action_only", "length"], sources=log_of(2), progress=notes)
    assert [(tally.done, tally.total) for tally in notes.tallies] == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    assert notes.tallies[-1].usd == pytest.approx(2 * 0.0015)


async def test_a_cancelled_run_stores_the_calls_that_are_under_way_and_goes_on_later(
    scored, log_of, sent, gate, tmp_path
):
    notes = Notes()
    run = asyncio.create_task(scored(model="gated", sources=log_of(6), max_connections=3, progress=notes))
    await until(lambda: len(sent) == 3, run)
    run.cancel()
    await until(lambda: notes.lines, run)
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert "waiting for 3 calls" in notes.lines[0]
    with Store.read(tmp_path / "scores.db") as store:
        assert len(list(store.calls())) == len(sent) == 3
    done = await scored(model="gated", sources=log_of(6))
    assert done.outcome.counts == {"scored": 6}
    assert len(sent) == 6


async def test_a_run_of_monitors_that_ask_nothing_can_be_stopped_too(scored, log_of, tmp_path):
    class Stopper(Notes):
        def scoring(self, tally):
            if tally.done == 2:
                run.cancel()

    run = asyncio.create_task(scored("length", model=None, sources=log_of(90), progress=Stopper()))
    with pytest.raises(asyncio.CancelledError):
        await run
    with Store.read(tmp_path / "scores.db") as store:
        assert 2 <= len(list(store.verdicts())) < 90


async def test_a_table_of_labels_corrects_the_truth_and_nothing_is_scored_again(
    scored, log_of, sent, tmp_path
):
    from molehunt.trajectories.labels import TruthOptions

    await scored()
    labels = tmp_path / "labels.csv"
    labels.write_text("sample,label\nuuid-of-s0,attack\n")
    run = await scored(truth=TruthOptions(labels=labels))
    await scored()
    with Store.read(run.outcome.store) as store:
        assert [stored.truth.label for stored in store.runs()] == ["attack"]
    assert len(sent) == 1


async def test_a_log_that_cannot_be_read_is_named_and_the_others_are_scored(scored, log_of, tmp_path):
    good, bad = log_of(2), tmp_path / "bad.json"
    bad.write_text("{")
    run = await scored(sources=[good, bad])
    assert run.outcome.counts == {"scored": 2}
    [unread] = run.outcome.unread
    assert unread.log == str(bad)
    assert run.outcome.exit_status == 3


async def test_nothing_that_can_be_read_is_exit_status_one(scored, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    run = await scored(sources=bad)
    assert run.outcome.exit_status == 1


async def test_a_limit_reads_so_many_runs_and_no_more(scored, log_of):
    run = await scored(sources=log_of(5), limit=2)
    assert (run.outcome.runs, len(run.verdicts)) == (2, 2)


async def test_a_store_that_can_no_longer_be_written_stops_the_run_with_its_problem(
    scored, log_of, sent, monkeypatch
):
    def full(store, call):
        raise Problem("the disk is full")

    monkeypatch.setattr(Store, "add_call", full)
    with pytest.raises(Problem, match="the disk is full"):
        await scored(sources=log_of(9), max_connections=1)
    assert len(sent) == 1


async def test_the_same_store_cannot_be_scored_into_twice_at_once(scored, log_of, sent, gate):
    run = asyncio.create_task(scored(model="gated"))
    await until(lambda: sent, run)
    with pytest.raises(Problem):
        await scored(model="judge")
    gate.set()
    assert (await run).outcome.counts == {"scored": 1}


@monitor()
def leaving():
    """Wants to end the process."""

    async def score(trajectory, ask):
        raise SystemExit(0)

    return score


async def test_a_monitor_that_wants_to_end_the_process_ends_its_own_verdict_only(scored):
    run = await scored([leaving(), "length"], model=None)
    assert run.outcome.counts == {"failed": 1, "scored": 1}
