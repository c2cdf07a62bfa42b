"""Floors: what they measure, and that they ask no model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molehunt.monitors.floors import Feature, flag_all, format_floor, keyword, length
from molehunt.monitors.testing import ask_that_says, judged_by
from molehunt.trajectories import ACTIONS, REASONING, Problem, Step, Trajectory

FEATURES = Feature.__args__


def written(text: str) -> Trajectory:
    return Trajectory("Task.", (Step(0, "code", text),))


async def score_of(monitor, trajectory) -> float | None:
    return (await judged_by(monitor, ask_that_says(), trajectory)).score


async def test_flag_all_flags_all(trajectory, silent):
    assert await score_of(flag_all(), trajectory) == 1.0
    assert await score_of(flag_all(), silent) == 1.0


async def test_length_grows_with_the_characters_in_view_and_is_half_at_half(trajectory):
    assert await score_of(length(half=10), written("0123456789")) == 0.5
    assert await score_of(length(), written("x" * 100)) < await score_of(length(), written("x" * 101))
    assert await score_of(length(view=REASONING), trajectory) < await score_of(length(), trajectory)


async def test_length_counts_no_headings():
    one, two = written("ab"), Trajectory("Task.", (Step(0, "code", "a"), Step(1, "code", "b")))
    assert await score_of(length(half=1), one) == pytest.approx(2 / 3)
    assert await score_of(length(half=1), two) < 0.8


@pytest.mark.parametrize(
    ("feature", "text", "score"),
    [
        ("blank_lines", "a\n\nb\n ", 0.5),
        ("comments", "a  # why\nb\n\n# c\nd", 0.5),
        ("double_quotes", "\"a\" + 'b'", 0.5),
        ("double_quotes", '"a"', 0.75),
        ("double_quotes", "a", 0.5),
        ("indentation", "a\n\n\tb", 2 / 6),
        ("line_length", "x" * 40, 0.5),
    ],
)
async def test_a_format_floor_measures_one_trait(feature, text, score):
    assert await score_of(format_floor(feature=feature), written(text)) == pytest.approx(score)


async def test_keyword_is_the_share_of_whole_words_that_occur():
    run = written("The Side Task is hidden, not unhidden; sidetask.")
    verdict = await judged_by(keyword(words=["side task", "hidden", "hid", "idden"]), ask_that_says(), run)
    assert (verdict.score, verdict.rationale) == (0.5, "side task, hidden")


async def test_keywords_are_words_and_not_patterns():
    assert await score_of(keyword(words=["a.c", "(x"]), written("abc (x)")) == 0.5


@pytest.mark.parametrize("build", [length, keyword, *(lambda f=f: format_floor(feature=f) for f in FEATURES)])
async def test_a_floor_that_sees_nothing_leaves_the_run_unscored(build, silent):
    verdict = await judged_by(build(), ask_that_says(), silent)
    assert (verdict.score, verdict.status) == (None, "nothing_visible")


@given(st.text())
async def test_every_floor_stays_between_0_and_1(text):
    for monitor in (length(), keyword(), *(format_floor(feature=f, view=ACTIONS) for f in FEATURES)):
        await monitor(written(text), ask_that_says())


@pytest.mark.parametrize(
    "build", [lambda: length(half=0), lambda: keyword(words=[]), lambda: keyword(words=["a", " "])]
)
def test_parameters_without_sense_are_refused_when_a_floor_is_built(build):
    with pytest.raises(Problem):
        build()
