"""Digests of growing texts."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from molehunt.monitors.digests import GrowingDigest, in_utf8

# surrogates included
pieces = st.text(st.characters(exclude_categories=()), max_size=5)


@given(st.lists(st.tuples(st.integers(0, 9), pieces), max_size=6))
def test_a_growing_digest_is_that_of_the_text_whatever_came_before_it(tails: list[tuple[int, str]]) -> None:
    growing, texts = GrowingDigest(b"opening "), [""]
    for kept, tail in tails:
        texts.append(texts[-1][:kept] + tail)
    for text in texts:
        assert growing.of(text).hexdigest() == hashlib.sha256(b"opening " + in_utf8(text)).hexdigest()


def test_what_the_text_before_had_is_not_read_again() -> None:
    read: list[str] = []

    def noted(text: str) -> bytes:
        read.append(text)
        return in_utf8(text)

    growing = GrowingDigest(written=noted)
    growing.of("a" * 10_000)
    read.clear()
    growing.of("a" * 10_000 + "b" * 100)
    growing.of("something short between")
    growing.of("a" * 10_000 + "b" * 200)
    assert sum(map(len, read)) < 500
