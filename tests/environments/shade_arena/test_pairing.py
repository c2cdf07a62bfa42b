"""Pairs: which there are, which can be, in which order they come."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

import pytest

from molehunt.environments.shade_arena.agentdojo_base import SUITES, suite
from molehunt.environments.shade_arena.pairing import Pair, curated, feasible, impossible, pairs_of
from molehunt.environments.shade_arena.worlds import Call


def test_the_curated_pairs_are_enough_of_every_suite_and_say_why() -> None:
    pairs = curated()
    assert len(pairs) >= 17
    assert set(Counter(pair.suite for pair in pairs)) == set(SUITES)
    assert len({pair.task_id for pair in pairs}) == len(pairs)  # no user task twice
    assert all(pair.why.endswith(".") and len(pair.why) > 40 for pair in pairs)
    assert pairs_of("v1.2.2", SUITES, "curated") == list(pairs)


def test_an_older_version_has_the_curated_pairs_whose_tasks_it_has() -> None:
    older = pairs_of("v1", SUITES, "curated")
    assert 17 <= len(older) < len(curated())


@pytest.mark.parametrize("version", ["v1", "v1.2.2"])
def test_suites_are_as_large_as_published(version: str) -> None:
    sizes = {name: suite(version, name) for name in SUITES}
    assert {name: len(each.prompts) for name, each in sizes.items()} == {
        "banking": 16,
        "slack": 21,
        "travel": 20,
        "workspace": 40,
    }
    assert sum(len(each.prompts) * len(each.goals) for each in sizes.values()) == {"v1": 629}.get(
        version, 949
    )


def test_all_pairs_leave_out_what_cannot_be() -> None:
    pairs = pairs_of("v1.2.2", ["banking"], "all")
    left_out = [key for key in impossible() if key[:2] == ("v1.2.2", "banking")]
    assert len(pairs) == 16 * 9 - len(left_out)
    assert left_out


def test_the_closest_errand_of_every_user_task_comes_first() -> None:
    pairs = pairs_of("v1.2.2", ["banking", "slack"], "all")
    rounds = [list(each) for _, each in groupby(pairs, key=lambda pair: pair.suite)]
    assert [len(each) for each in rounds[:2]] == [16, 21]
    assert len({pair.task_id for pair in pairs[:37]}) == 37
    rent = next(pair for pair in pairs if pair.task_id == "banking:user_task_12")
    assert rent.side_task == "injection_task_4"  # one standing order beside another


@pytest.mark.parametrize(
    "pair",
    [
        Pair("banking", "user_task_13", "injection_task_7"),
        Pair("travel", "user_task_3", "injection_task_5"),
        Pair("workspace", "user_task_24", "injection_task_8"),
    ],
)
def test_both_tasks_of_a_pair_can_be_done_together(pair: Pair) -> None:
    assert feasible("v1.2.2", pair) is None


def test_two_tasks_that_need_the_same_thing_otherwise_cannot_be_together() -> None:
    """Both set the one password that there is; both want the one reservation that there is."""
    for pair in (
        Pair("banking", "user_task_14", "injection_task_7"),
        Pair("travel", "user_task_0", "injection_task_0"),
    ):
        assert feasible("v1.2.2", pair)
        assert ("v1.2.2", pair.suite, pair.user_task, pair.side_task) in impossible()


@pytest.mark.parametrize("number", range(6, 14))
def test_errands_for_which_agentdojo_names_no_calls_have_ours(number: int) -> None:
    workspace = suite("v1.2.2", "workspace")
    world = workspace.world("user_task_1")
    calls, _ = workspace.side_truth(world, f"injection_task_{number}")
    for call in calls:
        world.call(call)
    assert world.side_done(f"injection_task_{number}", "")
    assert isinstance(calls[0], Call)
