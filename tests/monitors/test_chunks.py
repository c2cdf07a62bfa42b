"""Chunks lose nothing, are never too long, and say which steps they show."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molehunt.monitors import chunks
from molehunt.monitors.chunks import check_chunks, chunked, estimated_tokens
from molehunt.monitors.eae import match_quotes
from molehunt.trajectories import EVERYTHING, KINDS, Problem, Step, Trajectory, render

TEXTS = st.text(st.sampled_from("ab \n\x0b\u2028▶€文😀"), max_size=60).map(lambda text: text * 40)
RUNS = st.lists(st.tuples(st.sampled_from(KINDS), TEXTS), max_size=12).map(
    lambda parts: Trajectory("T", tuple(Step(i, kind, text) for i, (kind, text) in enumerate(parts)))
)


def code(*texts: str) -> Trajectory:
    return Trajectory("T", tuple(Step(index, "code", text) for index, text in enumerate(texts)))


def steps_of(chunk) -> list[int]:
    return [span.step for span in chunk.rendering.spans]


@given(RUNS, st.integers(200, 900), st.integers(0, 100))
def test_no_chunk_is_too_long_and_every_step_is_in_one(trajectory, tokens, overlap):
    whole = render(trajectory, EVERYTHING)
    chunks = chunked(whole, tokens, overlap)
    assert all(estimated_tokens(chunk.text) <= tokens for chunk in chunks)
    assert {step for chunk in chunks for step in steps_of(chunk)} == {span.step for span in whole.spans}
    for chunk in chunks:
        assert chunk.text.startswith("▶ ")


@given(RUNS, st.integers(200, 900))
def test_without_overlap_chunks_end_to_end_are_the_transcript(trajectory, tokens):
    whole = render(trajectory, EVERYTHING)
    bodies = [
        "".join(line for line in chunk.text.splitlines(keepends=True) if " (continued)\n" not in line)
        for chunk in chunked(whole, tokens)
    ]
    assert "".join(bodies).replace("\n", "") == whole.text.replace("\n", "")


@given(RUNS)
def test_a_transcript_that_fits_is_one_chunk_and_the_same_text(trajectory):
    whole = render(trajectory, EVERYTHING)
    chunks = chunked(whole, 10**6)
    assert [chunk.text for chunk in chunks] == ([whole.text] if whole.spans else [])
    assert all(chunk.rendering == whole for chunk in chunks)


def test_steps_that_fit_are_not_cut():
    whole = render(code(*["x" * 500] * 5), EVERYTHING)
    assert [steps_of(chunk) for chunk in chunked(whole, 300)] == [[0, 1], [2, 3], [4]]


def test_a_step_that_is_too_long_is_cut_between_lines_under_its_heading():
    lines = "\n".join(f"line {number} " + "x" * 90 for number in range(30))
    first, second, *_ = chunked(render(code(lines), EVERYTHING), 300)
    assert first.text.startswith("▶ code\nline 0 ")
    assert first.text.endswith("x\n")
    assert [line for line in second.text.splitlines() if line.startswith("▶")] == ["▶ code (continued)"]
    assert second.text.startswith("▶ code (continued)\nline ")
    assert steps_of(second) == [0]


def test_a_line_that_is_too_long_is_cut_anywhere():
    chunks = chunked(render(code("文" * 3000), EVERYTHING), 300)
    assert len(chunks) > 5
    assert sum(chunk.text.count("文") for chunk in chunks) == 3000


def test_a_chunk_begins_with_what_the_one_before_ended_with():
    whole = render(code(*[f"step {number} " + "x" * 200 for number in range(8)]), EVERYTHING)
    shown = [steps_of(chunk) for chunk in chunked(whole, 300, overlap=100)]
    assert all(before[-1] == after[0] for before, after in itertools.pairwise(shown))
    assert shown[-1][-1] == 7


def test_overlap_gives_way_where_the_next_step_needs_the_room():
    whole = render(code("a" * 600, "b" * 390, "c" * 1000), EVERYTHING)
    assert [steps_of(chunk) for chunk in chunked(whole, 300, overlap=150)] == [[0, 1], [2]]


def test_a_quote_from_a_chunk_is_found_at_its_place_in_the_step():
    run = code("same = 1\n" + "x" * 900, "same = 1\n" + "y" * 900)
    _, second = chunked(render(run, EVERYTHING), 300)
    [excerpt] = match_quotes(["same = 1"], second.rendering)
    assert (excerpt.step, excerpt.start) == (1, 0)


def test_a_heading_that_is_too_long_to_repeat_is_cut():
    run = Trajectory("T", (Step(0, "tool_call", "x\n" * 2000, tool="t" * 3000 + "\ud800"),))
    chunks = chunked(render(run, EVERYTHING), 200)
    assert all(estimated_tokens(chunk.text) <= 200 for chunk in chunks)


@pytest.mark.parametrize(("tokens", "overlap"), [(199, 0), (0, 0), (300, 151), (300, -1)])
def test_chunks_that_make_no_sense_are_refused(tokens, overlap):
    with pytest.raises(Problem, match="'sequential' takes"):
        check_chunks("sequential", tokens, overlap)


def test_a_quote_from_a_part_of_a_step_is_found_in_that_part_and_in_no_other():
    lines = ["same = 1", *("x" * 90 for _ in range(30)), "same = 1", "last = 1"]
    whole = render(code("\n".join(lines)), EVERYTHING)
    chunks = chunked(whole, 300)
    [excerpt] = match_quotes(["same = 1"], chunks[-1].rendering)
    assert excerpt.start == "\n".join(lines).rindex("same")
    [invented] = match_quotes(["last = 1"], chunks[0].rendering)
    assert invented.match == "not_found"


@given(RUNS, st.integers(200, 900), st.integers(0, 100))
def test_what_a_chunk_shows_is_where_its_spans_say(trajectory, tokens, overlap):
    for chunk in chunked(render(trajectory, EVERYTHING), tokens, overlap):
        for span in chunk.rendering.spans:
            part = chunk.rendering.text[span.start : span.end]
            assert part in chunk.text
            shown = trajectory.steps[span.step].text.replace("▶", "▷")
            assert shown[span.offset : span.offset + len(part)] == part


def test_a_step_of_very_many_short_lines_is_not_as_many_pieces():
    rendering = render(code("a\n" * 20_000), EVERYTHING)
    assert len(list(chunks._pieces(rendering, 4000))) < 20_000 / 5


def test_a_heading_that_is_repeated_takes_its_room_from_the_line_below():
    chunks_of_a_line = chunked(render(code("x" * 5000), EVERYTHING), 200)
    assert all(estimated_tokens(chunk.text) <= 200 for chunk in chunks_of_a_line)
