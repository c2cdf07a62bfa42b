"""What an agent says is taken apart into reasoning, code and prose, without losing or moving a word."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from molehunt.trajectories.messages import Draft, call_draft, numbered, text_pieces
from molehunt.trajectories.reasoning import most_readable, readable

parts = st.sampled_from(
    ["```", "````", "```py\n", "\n", "<think>", "</think>", "<thinking>", " ", "a", "`", "x = 1\n"]
)
messages = st.lists(parts, max_size=20).map("".join)


@given(messages)
def test_every_line_without_fence_or_tag_is_kept_as_often_as_it_is_said(text):
    plain = Counter(line.strip() for line in text.split("\n") if line.strip() and not set(line) & set("`<"))
    kept = Counter(line.strip() for _, piece in text_pieces(text) for line in piece.split("\n"))
    assert plain <= kept


@given(messages)
def test_no_piece_is_blank_and_every_piece_is_part_of_the_message(text):
    position = 0
    for kind, piece in text_pieces(text):
        assert kind in ("prose", "code", "reasoning")
        assert piece.strip()
        position = text.index(piece, position) + len(piece)


@given(st.text(st.characters(exclude_characters="`<")))
def test_a_message_without_fences_and_tags_is_prose(text):
    assert text_pieces(text) == ([("prose", text.strip())] if text.strip() else [])


def test_code_is_the_inside_of_a_fence_with_its_indentation():
    assert text_pieces("Do:\n  ```python\n    if x:\n        y()\n  ```\nDone.") == [
        ("prose", "Do:"),
        ("code", "    if x:\n        y()"),
        ("prose", "Done."),
    ]


def test_a_fence_that_is_never_closed_runs_to_the_end():
    assert text_pieces("Here:\n```\nimport os\nos.exit(") == [
        ("prose", "Here:"),
        ("code", "import os\nos.exit("),
    ]


def test_a_longer_fence_holds_shorter_ones():
    assert text_pieces("````md\n```\ninner\n```\n````") == [("code", "```\ninner\n```")]


def test_backticks_within_a_line_are_prose():
    assert text_pieces("Run ```ls``` or `cat`.") == [("prose", "Run ```ls``` or `cat`.")]
    assert text_pieces("```inline``` at the start") == [("prose", "```inline``` at the start")]


def test_think_tags_become_reasoning_wherever_they_are_closed():
    assert text_pieces("<think>\nHm.\n</think>\n\nYes. <thinking>No?</thinking>") == [
        ("reasoning", "Hm."),
        ("prose", "Yes."),
        ("reasoning", "No?"),
    ]


def test_reasoning_that_was_cut_off_runs_to_the_end_if_it_begins_a_line():
    assert text_pieces("<think>I was about to") == [("reasoning", "I was about to")]
    assert text_pieces("The <think> tag is odd.") == [("prose", "The <think> tag is odd.")]


def test_tags_that_are_quoted_or_programmed_are_not_reasoning():
    assert text_pieces("Use `<think>` and `</think>`.") == [("prose", "Use `<think>` and `</think>`.")]
    code = "print('<think>secret</think>')"
    assert text_pieces(f"```py\n{code}\n```") == [("code", code)]


def test_code_that_an_agent_thinks_of_is_reasoning():
    assert text_pieces("<think>\n```py\nx\n```\n</think>ok") == [
        ("reasoning", "```py\nx\n```"),
        ("prose", "ok"),
    ]


def test_results_are_linked_to_the_latest_call_of_their_id():
    again = [call_draft("ls", {}, "c"), Draft("tool_result", "1", answers_call="c")] * 2
    assert [step.answers for step in numbered(again)] == [None, 0, None, 2]


def test_a_result_without_a_known_call_answers_nothing():
    assert numbered([Draft("tool_result", "x", answers_call="gone")])[0].answers is None


def test_arguments_that_are_no_mapping_are_kept():
    assert call_draft("python", "import os", "c").text == "import os"
    assert call_draft("python", ["a"], "c").arguments == {"arguments": ["a"]}


@given(st.text(), st.none() | st.text())
def test_an_encrypted_blob_is_never_readable(blob, summary):
    text, kind = readable(blob, summary, redacted=True)
    assert text == (summary or "").strip()
    assert kind == ("summary" if text else "hidden")


def test_a_run_is_called_by_the_most_that_can_be_read_of_its_reasoning():
    assert most_readable(["hidden", "full", "summary"]) == "full"
    assert most_readable(["hidden"]) == "hidden"
    assert most_readable([]) == "none"
