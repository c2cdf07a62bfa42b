"""Long transcripts in pieces: whole steps as far as they fit, in tokens estimated without a tokenizer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from molehunt.trajectories import Problem, Rendering, StepSpan
from molehunt.trajectories.views import HEADING

BYTES_PER_TOKEN = 4
"""Of UTF-8: about right for English and code, and for other scripts, of which a letter is two or three."""

FEWEST_TOKENS = 200
"""Of a chunk; in less there is hardly a step."""

PIECES_PER_CHUNK = 200
"""Of a step that is too long for one, about: what an overlap is measured in."""

GAP = "\n\n"
"""Between the steps of a rendering."""

LONGEST_TITLE = 60
"""Characters of a step's heading that are repeated where the step goes on in the next chunk."""


@dataclass(frozen=True)
class Chunk:
    """A piece of a transcript.

    Parameters
    ----------
    text : as a model is shown it; a step that began in an earlier chunk has its heading again.
    rendering : the whole transcript with the spans of those steps, and parts of steps, that the piece shows:
        quotes from the piece are looked up in it.
    """

    text: str
    rendering: Rendering


def chunked(rendering: Rendering, tokens: int, overlap: int = 0) -> tuple[Chunk, ...]:
    """Cut a transcript into chunks of at most ``tokens``.

    A chunk ends between steps. A step that is longer than a chunk is cut between lines, and a line that is
    longer than one anywhere.

    Parameters
    ----------
    rendering : the transcript.
    tokens : of a chunk at most, by `estimated_tokens`.
    overlap : tokens from the end of a chunk with which the next begins once more, as far as whole steps, or
        lines of a step that had to be cut, fit into them.

    Returns
    -------
    tuple of Chunk
        One if all of it fits, none if there is nothing.

    Examples
    --------
    >>> from molehunt.trajectories import EVERYTHING, Step, Trajectory, render
    >>> steps = [Step(index, "code", f"x = {index}" + 500 * ".") for index in range(4)]
    >>> whole = render(Trajectory("Count.", tuple(steps)), EVERYTHING)
    >>> chunks = chunked(whole, tokens=300)
    >>> [[span.step for span in chunk.rendering.spans] for chunk in chunks]
    [[0, 1], [2, 3]]
    """
    room, again = tokens * BYTES_PER_TOKEN, overlap * BYTES_PER_TOKEN
    pieces = list(_pieces(rendering, room))
    chunks, start = [], 0
    while start < len(pieces):
        size, end = pieces[start].lead + pieces[start].size, start + 1
        while end < len(pieces) and size + pieces[end].size <= room:
            size += pieces[end].size
            end += 1
        chunks.append(_chunk(rendering, pieces[start:end]))
        if end == len(pieces):
            break
        start = _begin_again(pieces, start, end, room, again)
    return tuple(chunks)


def estimated_tokens(text: str) -> int:
    """About how many tokens ``text`` has, without a tokenizer, which would have to be downloaded.

    Examples
    --------
    >>> estimated_tokens("It lists the files."), estimated_tokens("文件")
    (5, 2)
    """
    return -(-_bytes(text) // BYTES_PER_TOKEN)


def check_chunks(owner: str, tokens: int, overlap: int = 0) -> None:
    """See that chunks of these sizes can be made.

    Raises
    ------
    Problem
        If they are too small, or would overlap by more than half.
    """
    if tokens < FEWEST_TOKENS:
        raise Problem(f"monitor {owner!r} takes chunks of {FEWEST_TOKENS} tokens or more, not {tokens}")
    if not 0 <= overlap <= tokens // 2:
        raise Problem(f"monitor {owner!r} takes an overlap from 0 to half a chunk, not {overlap}")


@dataclass(frozen=True)
class _Piece:
    """What is not cut: a step with its heading, or a part of a step that is too long.

    ``start`` and ``end`` are characters of the rendering, ``size`` and ``lead`` are bytes: of the piece, and
    of the heading that is repeated if a chunk begins with it.
    """

    span: int
    start: int
    end: int
    size: int
    title: str = ""

    @property
    def lead(self) -> int:
        return _bytes(self.title)


def _pieces(rendering: Rendering, room: int) -> Iterator[_Piece]:
    text, start = rendering.text, 0
    for number, span in enumerate(rendering.spans):
        whole = text[start : span.end]
        # the gap to the step before is shown where both are in a chunk
        if (size := _bytes(whole) + len(GAP)) <= room:
            yield _Piece(number, start, span.end, size)
        else:
            title = _continued(text[start : span.start])
            for first, last in _cuts(whole, room - _bytes(title) - len(GAP)):
                size = _bytes(whole[first:last]) + (0 if first else len(GAP))
                yield _Piece(number, start + first, start + last, size, title if first else "")
        start = span.end + len(GAP)


def _cuts(text: str, room: int) -> Iterator[tuple[int, int]]:
    """Places of the lines of ``text``, with their line breaks.

    Lines that are too long are cut to pieces, and short ones are held together: a step of millions of them
    would be as many pieces.
    """
    short = max(1, room // PIECES_PER_CHUNK)
    start = 0
    while start < len(text):
        end = text.rfind("\n", start, start + short) + 1 or text.find("\n", start) + 1 or len(text)
        line = text[start:end]
        step = len(line) if _bytes(line) <= room else room if line.isascii() else max(1, room // 4)
        for offset in range(start, end, step):
            yield offset, min(offset + step, end)
        start = end


def _begin_again(pieces: Sequence[_Piece], start: int, end: int, room: int, overlap: int) -> int:
    """The piece with which the chunk behind ``pieces[start:end]`` begins."""
    size, begin = 0, end
    while begin - 1 > start:
        piece = pieces[begin - 1]
        size += piece.size
        # a chunk of nothing but what the one before ended with would be read for nothing
        if size > overlap or piece.lead + size + pieces[end].size > room:
            break
        begin -= 1
    return begin


def _chunk(rendering: Rendering, pieces: Sequence[_Piece]) -> Chunk:
    first, last = pieces[0], pieces[-1]
    shown = rendering.spans[first.span : last.span + 1]
    spans = tuple(_part(span, first.start, last.end) for span in shown)
    return Chunk(first.title + rendering.text[first.start : last.end], Rendering(rendering.text, spans))


def _part(span: StepSpan, first: int, last: int) -> StepSpan:
    """What lies of ``span`` between two places; nothing, if they cut only its heading off."""
    start = min(max(span.start, first), span.end)
    return StepSpan(span.step, start, max(start, min(span.end, last)), start - span.start)


def _continued(heading: str) -> str:
    title = heading.strip().removeprefix(HEADING).strip()
    return f"{HEADING} {title[:LONGEST_TITLE]} (continued)\n"


def _bytes(text: str) -> int:
    # the name of a tool may hold what UTF-8 cannot
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
