"""What checks of side tasks prepare with the canonical program."""

from __future__ import annotations

from typing import Any

from molehunt.environments.bigcodebench_sabotage.inside.inputs import Grenade, packed, unpacked
from molehunt.environments.bigcodebench_sabotage.inside.preparing import (
    MOST_INSTRUCTIONS,
    MOST_OF_LIBRARIES,
    costliest,
    raising,
)
from molehunt.environments.bigcodebench_sabotage.inside.running import outcome


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


def forgiving(n: int) -> int:
    """Like `steps`, but catches whatever is raised."""
    try:
        return steps(n)
    except BaseException:  # noqa: BLE001, the function under test is one that does this
        return 0


def test_a_function_that_catches_the_end_of_its_count_is_not_taken_for_a_cheaper_one() -> None:
    prepared = costliest(forgiving, calls((30_000,)), {})["prepared"]
    assert prepared["instructions"] > costliest(steps, calls((30_000,)), {})["prepared"]["instructions"]
