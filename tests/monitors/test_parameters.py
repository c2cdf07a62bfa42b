"""Parameters: what fits an annotation, what does not, and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Optional

import pytest

from molehunt.monitors import Monitor, build, monitor
from molehunt.monitors.parameters import Parameter, in_words
from molehunt.trajectories import ACTIONS, Problem, View


@pytest.mark.parametrize(
    ("hint", "value", "recorded"),
    [
        (int, 3, 3),
        (float, 3, 3.0),
        (str, "x", "x"),
        (bool, False, False),
        (int | None, None, None),
        (Optional[int], 3, 3),  # noqa: UP045 - as some still write it
        (Literal["a", 1], 1, 1),
        (list[str], ["a", "b"], ("a", "b")),
        (tuple[int, ...], (1, 2), (1, 2)),
        (Sequence[Sequence[float]], [[1], []], ((1.0,), ())),
        (list, [1, "a", [None]], (1, "a", (None,))),
        (Any, "x", "x"),
        (Any, [1, ["a"]], (1, ("a",))),
        (Any, ACTIONS, ACTIONS),
        (View, ACTIONS, ACTIONS),
        (Monitor, build("length"), build("length")),
    ],
)
def test_what_fits_is_recorded(hint, value, recorded):
    checked = Parameter("x", hint).checked(value, "monitor 'm'")
    assert checked == recorded
    assert type(checked) is type(recorded)


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (int, True),
        (int, 3.0),
        (int, "3"),
        (float, True),
        (float, float("nan")),
        (float, float("inf")),
        (str, 3),
        (bool, 1),
        (int | None, "x"),
        (Literal["a", 1], True),
        (Literal["a"], "b"),
        (list[str], "ab"),
        (list[str], ["a", 1]),
        (Any, {"a": 1}),
        (Any, object()),
        (Any, [object()]),
        (View, "actions"),
        (Monitor, "length"),
    ],
)
def test_what_does_not_fit_is_a_problem(hint, value):
    with pytest.raises(Problem, match=r"parameter 'x' of monitor 'm' takes"):
        Parameter("x", hint).checked(value, "monitor 'm'")


def test_an_annotation_in_words():
    assert in_words(Sequence[int] | None) == "a list of: a whole number or None"
    assert in_words(Monitor) == "a monitor"
    assert in_words(Any) == "a plain value"


def test_annotations_that_cannot_be_read_are_a_problem_and_not_a_crash():
    @monitor()
    def lost(x: Nowhere = 1):  # noqa: F821 - the point of the test
        """Names a type that is not there."""

    with pytest.raises(Problem, match="import it at module level"):
        lost()


def test_parameters_have_names():
    @monitor()
    def loose(*words: str):
        """Takes anything."""

    with pytest.raises(Problem, match="must name its parameters"):
        loose("a")
