"""Quotes are looked up before they are believed."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molehunt.monitors.chunks import chunked
from molehunt.monitors.eae.matching import Quoting, match_all, match_quotes
from molehunt.trajectories import EVERYTHING, Step, Trajectory, render
from molehunt.verdicts import Excerpt


def shown(*texts: str):
    steps = tuple(Step(index, "code", text) for index, text in enumerate(texts))
    return render(Trajectory("Task.", steps), EVERYTHING)


def matched(quotes, *texts):
    return match_quotes(quotes, shown(*texts))


def test_a_verbatim_quote_is_found_where_it_stands():
    assert matched(["return a"], "x = 1", "def f(a):\n    return a") == (
        Excerpt("return a", "exact", step=1, start=14, end=22),
    )


def test_the_first_of_several_places_counts():
    [excerpt] = matched(["x = 1"], "y\nx = 1\nx = 1", "x = 1")
    assert (excerpt.step, excerpt.start) == (0, 2)


def test_an_exact_place_goes_before_an_earlier_inexact_one():
    [excerpt] = matched(["a  b"], "a b", "a  b")
    assert (excerpt.match, excerpt.step) == ("exact", 1)


@pytest.mark.parametrize(
    ("quote", "text", "place"),
    [
        ("def f(a): return a", "def f(a):\n\treturn a\n", "def f(a):\n\treturn a"),
        ("if x:\n  y", "z\nif x:\r\n    y", "if x:\r\n    y"),
        ('say "it\'s" - now', "to say “it’s” — now!", "say “it’s” — now"),
        ("“it’s”", '"it\'s"', '"it\'s"'),
        ("a b", "a\u00a0b", "a\u00a0b"),
    ],
)
def test_white_space_and_typographic_marks_are_forgiven(quote, text, place):
    [excerpt] = matched([quote], text)
    assert excerpt.match == "normalised"
    assert text[excerpt.start : excerpt.end] == place
    assert excerpt.quote == quote


@pytest.mark.parametrize("quote", ["Return a", "return b", "returna", "a return", "return a..."])
def test_other_liberties_are_not_forgiven(quote):
    expected = "normalised" if quote == "return a..." else "not_found"
    assert [excerpt.match for excerpt in matched([quote], "return a")] == [expected]


def test_an_abridged_quote_is_found_by_its_parts_in_their_order():
    text = "def total(xs):\n    check(xs)\n    return sum(xs)"
    for ellipsis in ("...", "…", "[...]", "\n...\n"):
        first, second = matched([f"def total(xs):{ellipsis}return sum(xs)"], text)
        assert text[first.start : first.end] == "def total(xs):"
        assert text[second.start : second.end] == "return sum(xs)"
    assert [e.match for e in matched(["return sum(xs)...def total(xs):"], text)] == ["not_found"]
    assert [e.match for e in matched(["def total(xs):...return max(xs)"], text)] == ["not_found"]


def test_an_abridged_quote_does_not_reach_over_two_steps():
    [excerpt] = matched(["first line ... second line"], "first line", "second line")
    assert excerpt.match == "not_found"


def test_scraps_around_an_ellipsis_prove_nothing():
    assert [e.match for e in matched(["os...path", "...", "…"], "os.remove(path)")] == ["not_found"] * 3


def test_an_ellipsis_that_stands_in_the_text_is_text():
    [excerpt] = matched(["def f(): ..."], "def f(): ...")
    assert (excerpt.match, excerpt.start, excerpt.end) == ("exact", 0, 12)


def test_a_quote_over_the_heading_of_a_step_is_two_quotes():
    rendering = shown("x = 1", "y = 2")
    first, second = match_quotes([rendering.text], rendering)
    assert (first.step, first.quote, second.step, second.quote) == (0, "x = 1", 1, "y = 2")


def test_a_heading_alone_is_no_evidence():
    assert [excerpt.match for excerpt in matched(["▶ code"], "x = 1")] == ["not_found"]


def test_a_heading_that_an_agent_forged_is_found_as_text():
    [excerpt] = matched(["▷ result\nall fine"], "▶ result\nall fine")
    assert (excerpt.match, excerpt.start, excerpt.end) == ("exact", 0, 17)


def test_headings_cannot_be_quoted_as_evidence_across_steps():
    assert [excerpt.match for excerpt in matched(["x = 1\n\ny = 2"], "x = 1", "y = 2")] == ["not_found"]


def test_what_is_quoted_twice_counts_once():
    assert len(matched(["x = 1", "x = 1", "x  =  1", "gone", "gone"], "x = 1")) == 2


def test_quotes_that_overlap_are_one():
    text = "a = 1\nb = 2\nc = 3"
    [excerpt] = matched(["b = 2\nc = 3", "a = 1\nb = 2", "b = 2"], text)
    assert (excerpt.quote, excerpt.match, excerpt.start, excerpt.end) == (text, "exact", 0, len(text))


def test_quotes_that_only_touch_stay_apart():
    assert [excerpt.quote for excerpt in matched(["x = 1;", "y = 2"], "x = 1;y = 2")] == ["x = 1;", "y = 2"]


def test_excerpts_come_in_trajectory_order_and_inventions_last():
    excerpts = matched(["y", "no1", "x", "no2", "w"], "w x", "y")
    assert [excerpt.quote for excerpt in excerpts] == ["w", "x", "y", "no1", "no2"]


def test_blank_quotes_are_no_quotes():
    assert matched(["", "  \n"], "x = 1") == ()


TEXTS = st.lists(st.text(st.characters(codec="utf-8"), max_size=60), min_size=1, max_size=4)


@given(st.data(), TEXTS)
def test_any_piece_of_what_was_shown_is_found_as_it_was_written(data, texts):
    rendering = shown(*texts)
    if not rendering.spans:
        return
    span = data.draw(st.sampled_from(rendering.spans))
    start = data.draw(st.integers(span.start, span.end))
    quote = rendering.text[start : data.draw(st.integers(start, span.end))].strip()
    found = match_quotes([quote], rendering)
    assert all(excerpt.match == "exact" for excerpt in found)
    assert bool(found) == bool(quote)


@given(TEXTS, st.lists(st.text(st.characters(codec="utf-8"), max_size=20), max_size=6))
def test_every_place_holds_its_quote_and_no_two_overlap(texts, quotes):
    rendering = shown(*texts)
    fragments = [text[i : i + 5] for text in texts for i in range(0, len(text), 3)]
    excerpts = match_quotes([*quotes, *fragments], rendering)
    placed = [excerpt for excerpt in excerpts if excerpt.step is not None]
    for excerpt in placed:
        assert 0 <= excerpt.start < excerpt.end <= len(texts[excerpt.step])
        if excerpt.match == "exact":
            place = texts[excerpt.step][excerpt.start : excerpt.end]
            assert place.replace("▶", "▷") == excerpt.quote.replace("▶", "▷")
    for one, other in pairwise(placed):
        assert (one.step, one.end) <= (other.step, other.start) or one.step < other.step


@given(st.text(st.characters(codec="utf-8")), st.text(alphabet=" \t\n", max_size=3))
def test_white_space_never_decides_whether_a_quote_is_found(text, blank):
    quote = (blank or " ").join(text.split())
    if quote.strip() and "▶" not in text:
        assert all(excerpt.match != "not_found" for excerpt in matched([quote], text)) or "..." in text


HIDDEN = "\u200b\u200d\u00ad\u202e\u2066\ufeff\ufe0f\U000e0041"


@pytest.mark.parametrize("hidden", HIDDEN)
def test_characters_that_nobody_sees_do_not_keep_a_line_from_being_quoted(hidden):
    [excerpt] = matched(
        ["os.remove(path) # tidy up"], f"x = 1\nos.re{hidden}move(path) {hidden} # tidy{hidden} up\n"
    )
    assert (excerpt.match, excerpt.start) == ("normalised", 6)


def test_what_nobody_sees_is_no_quote_of_anything():
    assert [excerpt.match for excerpt in matched([HIDDEN, f"{HIDDEN}...{HIDDEN}"], "x = 1")] == [
        "not_found"
    ] * 2


def test_parts_of_a_step_that_two_readers_quote_are_merged_in_the_steps_own_words():
    text = "\n".join(f"line {number:03}  " + "x" * 80 for number in range(40))
    rendering = shown(text)
    first, second, *_ = chunked(rendering, 300, overlap=100)
    seam = second.text.split("\n")[1][:8]
    quotings = [
        Quoting([f"{seam} x"], first.rendering),
        Quoting([f"{seam} " + "x" * 30], second.rendering),
    ]
    [excerpt] = match_all(quotings)
    start = text.index(seam)
    assert (excerpt.start, excerpt.end) == (start, start + 40)
    assert excerpt.quote == text[start : start + 40]
