"""A text cut where something begins or ends, so that what was quoted and marked can be shown in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

LONGEST = 20_000
"""Characters of a text that are shown whole; of a longer one, its ends and what was quoted or marked."""

_HEAD, _TAIL = 12_000, 2_000
_AROUND = 300


@dataclass(frozen=True)
class Span:
    """A stretch of a text.

    Parameters
    ----------
    start, end : characters, end excluded.
    kind : exact or normalised for a quote, incriminating or decoy for a mark.
    key : of a quote, for links; empty for a mark.
    by : of a quote, the number of the verdict that gave it.
    """

    start: int
    end: int
    kind: Literal["exact", "normalised", "incriminating", "decoy"]
    key: str = ""
    by: int = 0

    @property
    def is_quote(self) -> bool:
        """Whether a monitor gave it, rather than the environment."""
        return self.kind in ("exact", "normalised")


@dataclass(frozen=True)
class Piece:
    """A stretch of a text in which nothing begins or ends.

    Parameters
    ----------
    text : empty where characters are left out.
    quotes, marks : what covers it.
    begins, ends : the keys of quotes that begin with it, and whether any quote ends with it.
    opens, closes : the kind of a mark that begins, and of one that ends with it, or empty.
    n_left_out : characters that stand here and are not shown.
    """

    text: str
    quotes: tuple[Span, ...] = ()
    marks: tuple[Span, ...] = ()
    begins: tuple[str, ...] = ()
    ends: bool = False
    opens: str = ""
    closes: str = ""
    n_left_out: int = 0


def pieces(text: str, spans: Iterable[Span] = (), longest: int = LONGEST) -> Iterator[Piece]:
    """Pieces of ``text`` in order, which make up all of it unless it is longer than ``longest``.

    Spans that reach beyond the text are cut to it, and empty ones are passed by.

    Examples
    --------
    >>> for piece in pieces("abcdef", [Span(1, 4, "exact", "q", 1), Span(3, 5, "decoy")]):
    ...     print(piece.text, len(piece.quotes), len(piece.marks))
    a 0 0
    bc 1 0
    d 1 1
    e 0 1
    f 0 0
    """
    size = len(text)
    kept = [
        Span(max(span.start, 0), min(span.end, size), span.kind, span.key, span.by)
        for span in spans
        if max(span.start, 0) < min(span.end, size)
    ]
    windows = [(0, size)] if size <= longest else _windows(size, kept)
    edges = {edge for window in windows for edge in window}
    edges |= {edge for span in kept for edge in (span.start, span.end) if _inside(edge, windows)}
    ordered = sorted(edges | {0, size})
    for start, end in pairwise(ordered):
        if not _inside(start, windows) or not _inside(end - 1, windows):
            yield Piece("", n_left_out=end - start)
            continue
        over = [span for span in kept if span.start <= start and end <= span.end]
        marks = tuple(span for span in over if not span.is_quote)
        yield Piece(
            text[start:end],
            quotes=tuple(span for span in over if span.is_quote),
            marks=marks,
            begins=tuple(span.key for span in over if span.is_quote and span.start == start),
            ends=any(span.is_quote and span.end == end for span in over),
            opens=next((span.kind for span in marks if span.start == start), ""),
            closes=next((span.kind for span in marks if span.end == end), ""),
        )


def _windows(size: int, spans: Sequence[Span]) -> list[tuple[int, int]]:
    """What is shown of a text that is too long: its ends, and where spans begin and end."""
    shown = [(0, _HEAD), (size - _TAIL, size)]
    for span in spans:
        shown.append((span.start - _AROUND, min(span.start + _TAIL, span.end + _AROUND)))
        shown.append((max(span.end - _AROUND, span.start), span.end + _AROUND))
    merged: list[tuple[int, int]] = []
    for start, end in sorted((max(start, 0), min(end, size)) for start, end in shown):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _inside(place: int, windows: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in windows)
