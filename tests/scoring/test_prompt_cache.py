"""Monitors that read the same are asked next to each other, so a prompt cache serves all that it can."""

from __future__ import annotations

from dataclasses import replace

import pytest

from molehunt.monitors import build
from molehunt.scoring.entries import entry_of
from molehunt.scoring.order import by_shared_prompt
from molehunt.scoring.roles import Binding
from molehunt.trajectories import Step, Trajectory

RUNS = 8


@pytest.fixture(scope="module")
def rules(from_benchmarks):
    return from_benchmarks("provider_cache")


@pytest.fixture(scope="module")
def bench(from_benchmarks):
    return from_benchmarks("prompt_cache")


@pytest.fixture
def logs(bench, tmp_path):
    return bench.write_logs(tmp_path, RUNS, 12)


@pytest.fixture
def openai(rules):
    return next(one for one in rules.RULES if one.model == "openai/gpt-5")


@pytest.fixture
def anthropic(rules):
    return next(one for one in rules.RULES if one.model == "anthropic/claude-sonnet-4-5")


def entries(*specs):
    binding = Binding("openai/gpt-5")
    monitors = [build(spec) for spec in specs]
    return [entry_of(monitor, dict.fromkeys(monitor.roles, binding), "text") for monitor in monitors]


async def test_monitors_that_share_a_view_follow_each_other_in_the_order_given():
    steps = (Step(0, "reasoning", "Add."), Step(1, "code", "a + b"))
    given = entries("cot_action", "action_only", "eae", "length", "checklist", "cot_only")
    ordered = await by_shared_prompt(given, Trajectory("Add.", steps))
    names = [entry.record.name for entry in ordered]
    assert names == ["length", "cot_action", "eae", "checklist", "action_only", "cot_only"]
    assert await by_shared_prompt(given, Trajectory("Add.", steps)) == ordered


async def test_what_is_asked_comes_in_the_same_order_in_every_run(bench, logs):
    first, second = [await bench.requests_of(logs, together=True) for _ in range(2)]
    assert [parts[-1] for parts in first] == [parts[-1] for parts in second]


async def test_in_our_order_all_possible_hits_are_served_and_monitor_by_monitor_none(
    bench, rules, logs, openai, anthropic
):
    ours, others = [await bench.requests_of(logs, together=both, in_flight=1) for both in (True, False)]
    assert len(ours) == len(others) == RUNS * (len(bench.MONITORS) + 1)
    for provider in (openai, anthropic):
        # long enough to come back to the run that is asked about, too short to come back to one of all
        short = replace(provider, lifetime=RUNS / 2)
        served, possible = rules.billed(ours, short, seconds=1)
        assert bench.missed(served, possible) == 0
        assert bench.share(served) > 0.4
        forgotten, _ = rules.billed(others, short, seconds=1)
        assert bench.share(forgotten) == 0


def test_a_beginning_is_kept_in_steps_from_the_least_length_on(rules, openai):
    cache = rules.PromptCache(openai)
    shared = "ab" * 2400  # 1,200 tokens
    assert cache.ask([(shared, False), ("x" * 400, False)], 0).cache_read == 0
    assert cache.ask([(shared, False), ("y" * 400, False)], 1).cache_read == 1152
    assert cache.ask([(shared[:4000], False), ("y" * 400, False)], 2).cache_read == 0


def test_a_beginning_is_forgotten_some_time_after_its_last_use(rules, openai):
    cache = rules.PromptCache(openai)
    request = [("ab" * 2400, False)]
    times = [0, 200, 400, 701]
    assert [cache.ask(request, now).cache_read for now in times] == [0, 1152, 1152, 0]


def test_where_marks_are_needed_only_what_is_marked_is_written_and_read(rules, anthropic):
    cache = rules.PromptCache(anthropic)
    shared, short = ("ab" * 2400, True), ("ab" * 1000, True)
    first = cache.ask([shared, ("x" * 400, False)], 0)
    assert (first.input, first.cache_read, first.cache_write) == (100, 0, 1200)
    second = cache.ask([shared, ("y" * 400, False)], 1)
    assert (second.input, second.cache_read, second.cache_write) == (100, 1200, 0)
    assert cache.ask([(shared[0], False), ("x" * 400, False)], 2).cache_read == 0
    assert cache.ask([short, ("x" * 400, False)], 3).cache_write == 0
