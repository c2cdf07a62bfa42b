"""What a run would ask, before it asks."""

from __future__ import annotations

import pytest

from molehunt.monitors import Prompt, monitor
from molehunt.monitors.answers import Notes, SuspicionScore
from molehunt.monitors.eae import eae, eae_views
from molehunt.monitors.hybrid import hybrid
from molehunt.monitors.single_view import action_only
from molehunt.scoring import plan_async
from molehunt.trajectories import ACTIONS, REASONING, View, render
from molehunt.verdicts import Verdict
from molehunt.verdicts.prices import PriceTable

FIVE = ["action_only", "cot_only", "cot_action", "hybrid", "eae", "length"]


@pytest.fixture
def planned(log_of, tmp_path, prices):
    async def plan(monitors, samples=3, **options):
        options = {"prices": prices, "model": "fakemonitor/judge", **options}
        return await plan_async(log_of(samples), monitors, store=tmp_path / "scores.db", **options)

    return plan


async def test_a_plan_counts_the_calls_that_the_run_then_makes(planned, scored, log_of, sent):
    plan = await planned(FIVE)
    assert sent == []
    run = await scored(FIVE, sources=log_of(3))
    assert plan.calls == len(sent) == run.outcome.calls
    assert (plan.verdicts, plan.already) == (18, 0)


async def test_a_plan_writes_nothing_not_even_an_empty_store(planned, tmp_path):
    await planned(FIVE)
    assert not (tmp_path / "scores.db").exists()


async def test_a_plan_counts_what_the_store_has_already(planned, scored, log_of):
    await scored("action_only", sources=log_of(3))
    plan = await planned(["action_only", "hybrid"])
    assert (plan.verdicts, plan.already, plan.calls) == (3, 3, 3)
    [hybrid] = plan.rows
    assert (hybrid.calls, hybrid.free) == (3, 3)


async def test_tokens_are_estimated_from_the_text_and_priced(planned):
    plan = await planned("action_only", samples=1)
    [row] = plan.rows
    assert 300 < row.input_tokens < 1000
    assert row.usd == pytest.approx((row.input_tokens + 5 * row.output_tokens) / 1e6)
    assert plan.usd == row.usd


async def test_a_price_that_is_not_known_is_a_gap_and_not_nothing(planned):
    plan = await planned("action_only", prices=PriceTable.load())
    assert plan.usd is None


async def test_every_draw_is_planned(planned):
    assert (await planned("action_only", draws=3)).calls == 9


async def test_what_floors_cost_is_nothing(planned):
    plan = await planned("length", model=None)
    assert (plan.calls, plan.usd, plan.rows) == (0, 0, ())


async def test_equal_trajectories_are_planned_once(planned, sample_of):
    twice = [sample_of("one", "a + b"), sample_of("two", "a + b")]
    plan = await planned("action_only", samples=twice)
    assert (plan.runs, plan.trajectories, plan.calls) == (2, 1, 1)


LONG = [
    "sequential(chunk_tokens=200)",
    "hierarchical(chunk_tokens=200)",
    "hierarchical_sequential(first=hierarchical(chunk_tokens=200), second=sequential(chunk_tokens=200))",
    "eae_chunked(chunk_tokens=200, overlap_tokens=0)",
    "eae_views",
    "eae_summaries",
    "quote_only",
    "checklist",
    "variant",
]


async def test_calls_on_long_runs_are_counted_as_they_will_be_made(planned, scored, log_of, sample_of, sent):
    runs = [
        sample_of(f"s{n}", "\n".join(f"x_{n}_{line} = {line}" for line in range(60 * n)), task=f"Task {n}.")
        for n in (1, 3)
    ]
    plan = await planned(LONG, samples=runs)
    run = await scored(LONG, sources=log_of(runs))
    assert run.outcome.counts == {"scored": 2 * len(LONG)}
    assert plan.calls == len(sent) == run.outcome.calls
    # the hybrid asks what its parts have asked
    assert {row.calls for row in plan.rows if row.monitor.startswith("hierarchical_sequential")} == {0}


async def test_of_calls_that_an_answer_decides_on_the_most_are_planned(
    planned, scored, log_of, sample_of, sent
):
    long = [sample_of("s", "\n".join(f"x_{line} = {line}" for line in range(900)))]
    plan = await planned("trace(window_tokens=200)", samples=long)
    assert {row.role: row.calls for row in plan.rows} == {"triage": 1, "inspector": 6, "judge": 1}
    await scored("trace(window_tokens=200)", sources=log_of(long))
    assert len(sent) == 3  # the model picked one window


async def test_what_one_model_passes_on_is_part_of_what_the_next_is_planned_to_read(planned, sample_of):
    long = [sample_of("s", "\n".join(f"x_{line} = {line}" for line in range(300)))]
    brief, full = [
        (await planned(f"hierarchical(chunk_tokens=400, words={words})", samples=long)).rows[1].input_tokens
        for words in (10, 200)
    ]
    assert full > brief + 500


@monitor(roles=("monitor",), answers=(Notes(), SuspicionScore()))
def noting(view: View):
    async def score(trajectory, ask):
        material = render(trajectory, view).text
        notes = await ask("monitor", Prompt(trajectory.task, material, "Note."), Notes(5))
        judged = Prompt(trajectory.task, notes.value, "Judge.", "notes")
        return Verdict((await ask("monitor", judged, SuspicionScore())).value.score)

    return score


@pytest.mark.parametrize(
    ("first", "second"), [(action_only(), eae()), (noting(ACTIONS), noting(REASONING)), (eae(), eae_views())]
)
async def test_what_follows_from_answers_is_planned_once_alone_and_as_a_part(
    planned, scored, sent, first, second
):
    monitors = [first, second, hybrid(first=first, second=second)]
    plan = await planned(monitors, samples=1)
    await scored(monitors)
    assert plan.calls == len(sent)
    assert {row.calls for row in plan.rows if row.monitor.startswith("hybrid")} == {0}
