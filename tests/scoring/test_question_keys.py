"""Keys of questions, by which replies that were paid for are found again."""

from __future__ import annotations

import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from molehunt.monitors.prompts import SYSTEM
from molehunt.scoring.keys import RequestDigests
from molehunt.scoring.messages import Request
from molehunt.scoring.questions import Question
from molehunt.scoring.roles import Binding

# surrogates and control characters included
texts = st.text(st.characters(exclude_categories=()))


@given(texts, texts, texts, texts, st.lists(st.tuples(texts, texts), max_size=2).map(tuple))
def test_a_question_s_key_is_the_digest_of_its_json_whatever_it_holds(
    before: str, material: str, behind: str, asked: str, again: tuple[tuple[str, str], ...]
) -> None:
    request = Request(before, material, behind, asked, again)
    question = Question("judge", Binding("a/b"), request, {"temperature": 1.0}, draw=2)
    written = json.dumps([SYSTEM, before + material + behind, asked, again])
    content = [written, question.binding.connection, {"temperature": 1.0}, None, 2, 0]
    assert request.canonical == written
    assert question.key == hashlib.sha256(json.dumps(content).encode("ascii")).hexdigest()


@given(st.lists(st.tuples(st.sampled_from(["transcript", "excerpts"]), texts), max_size=4), texts)
def test_a_question_has_the_same_key_after_others_that_begin_alike(
    materials: list[tuple[str, str]], asked: str
) -> None:
    digests, grown = RequestDigests(), ""
    for name, text in materials:
        grown += text
        request = Request(f"<{name}>", grown, f"</{name}>", asked)
        alone = Question("judge", Binding("a/b"), request, {})
        assert Question("judge", Binding("a/b"), request, {}, digests=digests).key == alone.key
