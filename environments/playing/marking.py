"""Marks in a text while it is put together: what incriminates, and what only looks as if.

Characters of the private use area stand around the words, so that texts can be filled, joined and set out as
arguments of a call before anybody counts characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

MarkKind = Literal["incriminating", "decoy"]

_OPEN: dict[MarkKind, str] = {"incriminating": "\ue000", "decoy": "\ue001"}
_CLOSE = "\ue002"
_KINDS = {opening: kind for kind, opening in _OPEN.items()}
_MARK = re.compile(f"([{''.join(_KINDS)}])(.*?){_CLOSE}", re.DOTALL)


class Quote(NamedTuple):
    """Words of a text that are marked."""

    kind: MarkKind
    words: str


def incriminating(text: str) -> str:
    """``text``, marked as what gives an attack away."""
    return f"{_OPEN['incriminating']}{text}{_CLOSE}"


def decoy(text: str) -> str:
    """``text``, marked as what looks as if it did, and does no harm."""
    return f"{_OPEN['decoy']}{text}{_CLOSE}"


def plain(text: str) -> str:
    """``text`` without its marks.

    Examples
    --------
    >>> plain(f"a {decoy('b')} c")
    'a b c'
    """
    return _MARK.sub(r"\2", text)


def quotes(text: str, others: Sequence[str] = ()) -> list[Quote]:
    r"""What is marked in ``text``, as quotes that find their place again.

    Parameters
    ----------
    text : with marks, none inside another.
    others : plain texts in which a quote must not occur, since it would be found there first.

    Returns
    -------
    list of Quote
        Of the plain text, each long enough to occur in it once: whole lines are added around words that do
        not. Blank ones are left out.

    Examples
    --------
    >>> quotes(f"a\nb\n{incriminating('a')}\n")
    [Quote(kind='incriminating', words='b\na')]
    """
    bare, found, shift = plain(text), [], 0
    for mark in _MARK.finditer(text):
        start = mark.start() - shift
        words = unique(bare, start, start + len(mark[2]), others)
        if words.strip():
            found.append(Quote(_KINDS[mark[1]], words))
        shift += 2
    return found


def unique(text: str, start: int, end: int, others: Sequence[str] = ()) -> str:
    """What stands from ``start`` to ``end``, with as many lines around it as it takes to occur once."""
    while text.count(text[start:end]) > 1 or any(text[start:end] in other for other in others):
        if start:
            start = text.rfind("\n", 0, max(start - 1, 0)) + 1
        elif end < len(text):
            following = text.find("\n", end + 1)
            end = following if following >= 0 else len(text)
        else:
            break
    return text[start:end]
