"""A limit in dollars, and prices that are not known."""

from __future__ import annotations

import asyncio

import pytest

from molehunt.scoring.budget import Budget, OverBudget
from molehunt.scoring.roles import Binding
from molehunt.trajectories import Problem
from molehunt.verdicts import Tokens
from molehunt.verdicts.prices import PriceTable

JUDGE = Binding("fakemonitor/judge")


async def test_a_limit_stops_the_run_before_it_is_passed_and_what_was_made_stays(scored, log_of, sent):
    run = await scored(sources=log_of(40), max_usd=0.04)
    assert run.outcome.stopped == "budget"
    assert run.outcome.exit_status == 3
    assert 0 < run.outcome.counts["scored"] < 40
    assert run.outcome.left == 40 - run.outcome.counts["scored"]
    # a call costs 0.0015 dollars and at most about 0.022, so the limit is used up to one call's worst case
    assert 0.04 - 0.024 < run.outcome.usd <= 0.04
    assert run.outcome.usd == pytest.approx(0.0015 * len(sent))
    assert len(run.verdicts) == run.outcome.counts["scored"]


async def test_a_run_that_was_stopped_by_its_limit_goes_on_under_the_next(scored, log_of, sent):
    await scored(sources=log_of(10), max_usd=0.03)
    rest = await scored(sources=log_of(10))
    assert rest.outcome.exit_status == 0
    assert len(rest.verdicts) == len(sent) == 10


async def test_a_limit_that_not_one_call_fits_leaves_everything_undone(scored, sent):
    run = await scored(max_usd=0.001)
    assert run.outcome.exit_status == 1
    assert sent == []


async def test_a_price_that_is_not_known_is_refused_under_a_limit_before_anything_is_sent(
    scored, sent, tmp_path
):
    with pytest.raises(Problem, match=r"price of fakemonitor/judge is unknown.*--price 'fakemonitor/judge="):
        await scored(max_usd=1.0, prices=PriceTable.load())
    assert sent == []
    assert not (tmp_path / "scores.db").exists()


async def test_without_a_limit_an_unknown_price_is_named_and_not_taken_for_nothing(scored):
    run = await scored(prices=PriceTable.load())
    assert run.outcome.unpriced == ("fakemonitor/judge",)


async def test_replayed_calls_cost_nothing(scored):
    await scored("action_only")
    run = await scored(["action_only", "hybrid(second=cot_action)"])
    assert run.outcome.usd == pytest.approx(0.0015)
    assert (run.outcome.calls, run.outcome.replayed) == (1, 1)


async def test_a_reservation_waits_for_a_call_in_flight_to_give_back_what_it_did_not_need(prices):
    budget = Budget([JUDGE], prices, limit=1.0)
    await budget.reserve(0.8)
    waiting = asyncio.create_task(budget.reserve(0.5))
    await asyncio.sleep(0)
    assert not waiting.done()
    budget.charge("fakemonitor/judge", Tokens(input=100_000), worst_case=0.8)
    budget.release(0.8)
    await waiting
    assert budget.billed == pytest.approx(0.1)


async def test_a_reservation_that_can_never_be_met_is_refused_when_nothing_is_in_flight(prices):
    budget = Budget([JUDGE], prices, limit=1.0)
    with pytest.raises(OverBudget):
        await budget.reserve(1.1)


def test_the_worst_case_covers_dense_text_and_an_answer_of_full_length(prices):
    budget = Budget([JUDGE], prices)
    assert budget.worst_case("fakemonitor/judge", characters=2_000_000, max_tokens=100_000) == pytest.approx(
        1.5
    )


def test_text_that_enters_the_providers_cache_may_cost_more_than_text_that_does_not():
    prices = PriceTable.load(overrides=["fakemonitor/judge=1,5,0.1,1.25"])
    budget = Budget([JUDGE], prices)
    assert budget.worst_case("fakemonitor/judge", 2_000_000, 0) == pytest.approx(1.25)
