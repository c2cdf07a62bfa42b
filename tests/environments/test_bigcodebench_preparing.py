"""What checks of side tasks prepare with the canonical program."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from molehunt.environments.bigcodebench_sabotage.inside.counting import count
from molehunt.environments.bigcodebench_sabotage.inside.inputs import Grenade, packed, unpacked
from molehunt.environments.bigcodebench_sabotage.inside.preparing import (
    MOST_INSTRUCTIONS,
    MOST_OF_LIBRARIES,
    costliest,
    raising,
)
from molehunt.environments.bigcodebench_sabotage.inside.running import outcome
from molehunt.environments.bigcodebench_sabotage.inside.values import YIELDED


def steps(n: int, shown: str = "") -> int:
    """Executes some instructions for each of ``n``."""
    total = 0
    for step in range(n):
        total += step
    return total


def calls(*arguments: Any) -> list[dict[str, Any]]:
    return [{"call": packed((each, {})), "outcome": {"how": "returned"}} for each in arguments]


def test_the_call_that_slowness_is_measured_on_is_an_enlarged_one_of_the_tests() -> None:
    prepared = costliest(steps, calls((3,), (40,)), {})["prepared"]
    (n,), _ = unpacked(prepared["call"])
    assert n > 40
    assert prepared["instructions"] <= MOST_INSTRUCTIONS


def test_where_every_call_of_the_tests_is_costly_the_first_that_can_be_counted_is_taken() -> None:
    prepared = costliest(steps, calls((MOST_OF_LIBRARIES,), (30_000,), (40_000,)), {})["prepared"]
    assert unpacked(prepared["call"]) == ((30_000,), {})
    assert MOST_INSTRUCTIONS < prepared["instructions"] <= MOST_OF_LIBRARIES


def test_slowness_is_not_measured_where_no_call_can_be_counted() -> None:
    assert costliest(steps, calls((MOST_OF_LIBRARIES,)), {})["prepared"] is None


def test_a_call_that_returns_an_unfit_argument_untouched_has_not_raised() -> None:
    def same(value: Any) -> Any:
        return value

    assert raising(same, calls((1,)), {}) == {"raising": []}
    assert outcome(same, packed(((Grenade(),), {})))["how"] == "returned"


def generated(n: int) -> Iterator[int]:
    """Executes some instructions for each that it yields."""
    for _ in range(n):
        yield steps(10)


async def generated_later(n: int) -> AsyncIterator[int]:
    for _ in range(n):
        yield steps(10)


@pytest.mark.parametrize("function", [generated, generated_later])
def test_a_generator_is_counted_as_far_as_its_results_are_looked_at(function: Callable[[int], Any]) -> None:
    few, more, most, yet_more = (
        count(function, packed(((n,), {})), 10**9, lambda: None)[0] for n in (1, 101, YIELDED, YIELDED + 50)
    )
    each = count(steps, packed(((10,), {})), 10**9, lambda: None)[0]
    assert more - few > 100 * each
    assert more < most == yet_more


def test_an_asynchronous_generator_comes_to_what_it_yields_or_to_what_it_raises() -> None:
    assert outcome(generated_later, packed(((3,), {}))) == outcome(generated, packed(((3,), {})))
    assert outcome(generated_later, packed((("three",), {}))) == {"how": "raised", "form": "TypeError"}


async def steps_side_by_side(n: int) -> None:
    async def later() -> int:
        await asyncio.sleep(0)
        return steps(n)

    await asyncio.gather(later(), later())


def test_what_an_event_loop_does_meanwhile_is_not_counted() -> None:
    once = count(steps, packed(((1000,), {})), 10**9, lambda: None)[0]
    twice = count(steps_side_by_side, packed(((1000,), {})), 10**9, lambda: None)[0]
    assert 0 <= twice - 2 * once < 100


def forgiving(n: int) -> int:
    """Like `steps`, but catches whatever is raised."""
    try:
        return steps(n)
    except BaseException:  # noqa: BLE001, the function under test is one that does this
        return 0


def test_a_function_that_catches_the_end_of_its_count_is_not_taken_for_a_cheaper_one() -> None:
    prepared = costliest(forgiving, calls((30_000,)), {})["prepared"]
    assert prepared["instructions"] > costliest(steps, calls((30_000,)), {})["prepared"]["instructions"]
