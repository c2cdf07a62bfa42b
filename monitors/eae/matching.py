"""Quotes held against the trajectory: what a model claims to have read is looked up before it is believed."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

from molehunt.trajectories import Rendering, StepSpan
from molehunt.trajectories.views import HEADING
from molehunt.verdicts import Excerpt, Match

SHORTEST_PART = 8
"""Characters that each part of an abridged quote must have: less stands in any text and proves nothing."""

_HEADING_LINE = re.compile(rf"^{HEADING}.*$", re.MULTILINE)
_ELLIPSIS = re.compile(r"\[?(?:\.\.\.|…)\]?")
# what nobody sees and a model leaves out when it copies: soft hyphens, zero-width characters, turns of the
# writing direction, selectors of variants, tags
_HIDDEN = (
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef"
)
_UNSEEN = re.compile(f"[{_HIDDEN}]+")
_RUN = re.compile(rf"(?P<blank>[\s{_HIDDEN}]*\s[\s{_HIDDEN}]*)|[^\s{_HIDDEN}]+")
_PLAIN = str.maketrans("‘’‚‛“”„‟‐‑‒–—―−", "''''\"\"\"\"-------")


class _Found(NamedTuple):
    """A place where a quote stands."""

    step: int
    start: int
    end: int
    match: Match
    quote: str


@dataclass(frozen=True)
class _Stretch:
    """The text of a visible step, or of that part of it which is shown and begins at ``offset``.

    ``heading`` is the line above the step.
    """

    step: int
    offset: int
    text: str
    heading: str

    @cached_property
    def folded(self) -> tuple[str, array[int]]:
        """The text as `_fold` shows it, and for each of its characters the place in ``text``."""
        pieces: list[str] = []
        places = array("Q")
        for run in _RUN.finditer(self.text):
            blank = run["blank"] is not None
            pieces.append(" " if blank else run.group())
            places.extend([run.start()] if blank else range(*run.span()))
        return "".join(pieces).translate(_PLAIN), places

    def exact(self, quote: str) -> list[_Found]:
        start = self.text.find(quote)
        return [] if start < 0 else [self._found(start, start + len(quote), "exact", quote)]

    def normalised(self, parts: Sequence[_Part]) -> list[_Found]:
        """All of ``parts``, one behind the other, or none."""
        folded, places = self.folded
        found, end = [], 0
        for part in parts:
            start = folded.find(part.folded, end)
            if start < 0:
                return []
            end = start + len(part.folded)
            found.append(self._found(places[start], places[end - 1] + 1, "normalised", part.quote))
        return found

    def _found(self, start: int, end: int, match: Match, quote: str) -> _Found:
        return _Found(self.step, self.offset + start, self.offset + end, match, quote)


class _Whole(NamedTuple):
    """Where a step, of which a reader may be shown a part, stands in a rendering."""

    rendering: str
    begin: int

    def text(self, start: int, end: int) -> str:
        return self.rendering[self.begin + start : self.begin + end]


class _Part(NamedTuple):
    """A quote, or a part of one, as it was written and as `_fold` shows it."""

    quote: str
    folded: str


@dataclass(frozen=True)
class Quoting:
    """What a reader quoted, and what it was shown."""

    quotes: Sequence[str]
    rendering: Rendering


def match_quotes(quotes: Iterable[str], rendering: Rendering) -> tuple[Excerpt, ...]:
    """Look ``quotes`` up in what a model was shown, and say where in which step each stands.

    A quote is looked for letter by letter in each step, from the first, and takes the first place where it
    stands. If it stands nowhere, it is looked for once more without regard to how white space runs, to
    typographic quotes and dashes, and to characters that cannot be seen, such as zero-width spaces: models
    leave them out when they copy. Upper and lower case always count. A quote that its writer has abridged,
    with ``...``, ``…`` or ``[...]``, is found if its parts follow one another in one step and none is shorter
    than `SHORTEST_PART`; each part is then an excerpt of its own, and what the ellipsis left out is in none.
    A quote that runs over the heading of a step is two quotes, one for each step; no step's text can look
    like a heading. A tool call without arguments is nothing but its heading, and is found by it.

    Parameters
    ----------
    quotes : as the model wrote them.
    rendering : what it was shown.

    Returns
    -------
    tuple of Excerpt
        In trajectory order, those that were not found at the end in the order of ``quotes``. What is quoted
        twice is there once, and quotes that overlap are one.

    Examples
    --------
    >>> from molehunt.trajectories import EVERYTHING, Step, Trajectory, render
    >>> trajectory = Trajectory("Add.", (Step(0, "code", "def add(a, b):\\n    return a + b"),))
    >>> shown = render(trajectory, EVERYTHING)
    >>> for excerpt in match_quotes(["os.remove(path)", "return  a + b"], shown):
    ...     print(excerpt.match, excerpt.step, excerpt.start, excerpt.end)
    normalised 0 19 31
    not_found None None None
    """
    return match_all([Quoting(tuple(quotes), rendering)])


def match_all(
    quotings: Sequence[Quoting], fits: Callable[[tuple[Excerpt, ...]], bool] | None = None
) -> tuple[Excerpt, ...]:
    """The excerpts of several readers of one trajectory, of parts or views of it, as those of one.

    Parameters
    ----------
    quotings : each reader's quotes are looked up in what it was shown, as by `match_quotes`.
    fits : whether so many excerpts are acceptable. The first quote of each reader is taken first, then the
        second of each, …, and one with which they are not acceptable is passed by. Everything, by default.

    Returns
    -------
    tuple of Excerpt
        In trajectory order, those that were not found at the end.
    """
    shown = [
        [_stretch_of(span, quoting.rendering.text) for span in quoting.rendering.spans]
        for quoting in quotings
    ]
    wholes = {
        span.step: _Whole(quoting.rendering.text, span.start - span.offset)
        for quoting in quotings
        for span in quoting.rendering.spans
    }
    found: list[_Found] = []
    lost: dict[str, Excerpt] = {}
    for turn in zip_longest(*(quoting.quotes for quoting in quotings), fillvalue=""):
        for quote, stretches in zip(turn, shown, strict=True):
            places, invented = _found_and_invented(quote, stretches)
            if fits is None or fits(_excerpts([*found, *places], lost | invented, wholes)):
                found += places
                lost |= invented
    return _excerpts(found, lost, wholes)


def _stretch_of(span: StepSpan, text: str) -> _Stretch:
    end = span.start - span.offset - 1
    heading = text[text.rfind("\n", 0, end) + 1 : end]
    return _Stretch(span.step, span.offset, text[span.start : span.end], heading)


def _found_and_invented(quote: str, stretches: Sequence[_Stretch]) -> tuple[list[_Found], dict[str, Excerpt]]:
    """The places of a quote, and those pieces of it that stand nowhere."""
    if not quote.strip():
        return [], {}
    found = _calls_without_arguments(_HEADING_LINE.findall(quote), stretches)
    lost: dict[str, Excerpt] = {}
    pieces = [piece.strip() for piece in _HEADING_LINE.split(quote) if piece.strip()]
    for piece in pieces or [quote] * (not found):
        places = _look_up(piece.replace(HEADING, "▷"), stretches)
        found += places
        if not places:
            lost[piece] = Excerpt(piece, "not_found")
    if lost and (title := quote.strip().partition("\n")[0].rstrip()) and not title.startswith(HEADING):
        # some leave the sign of a heading out when they copy it
        heading = f"{HEADING} {title}"
        if any(stretch.heading == heading for stretch in stretches):
            return _found_and_invented(f"{HEADING} {quote.strip()}", stretches)
    return found, lost


def _calls_without_arguments(headings: Iterable[str], stretches: Sequence[_Stretch]) -> list[_Found]:
    """The steps of which ``headings`` are all that there is to quote, each where it first stands."""
    empty: dict[str, int] = {}
    for stretch in stretches:
        if not stretch.text and not stretch.offset:
            empty.setdefault(stretch.heading, stretch.step)
    wanted = dict.fromkeys(heading.rstrip() for heading in headings)
    return [
        _Found(empty[heading], 0, 0, "exact", heading.removeprefix(HEADING).strip())
        for heading in wanted
        if heading in empty
    ]


def _excerpts(
    found: Iterable[_Found], lost: Mapping[str, Excerpt], wholes: Mapping[int, _Whole]
) -> tuple[Excerpt, ...]:
    return (*_merged(found, wholes), *lost.values())


def _look_up(quote: str, stretches: Sequence[_Stretch]) -> list[_Found]:
    """The places of ``quote``, or of its parts if it is abridged; empty if it was invented."""
    for stretch in stretches:
        if places := stretch.exact(quote):
            return places
    whole = _Part(quote, _fold(quote))
    parts = [_Part(part.strip(), _fold(part)) for part in _ELLIPSIS.split(quote) if part.strip()]
    wanted = [[whole]] if whole.folded else []
    if parts and min(len(part.folded) for part in parts) >= SHORTEST_PART:
        wanted.append(parts)
    found = (stretch.normalised(pieces) for pieces in wanted for stretch in stretches)
    return next(filter(None, found), [])


def _merged(found: Iterable[_Found], wholes: Mapping[int, _Whole]) -> list[Excerpt]:
    """One excerpt for all places that overlap, in trajectory order."""
    merged: list[_Found] = []
    for place in sorted(found):
        last = merged[-1] if merged else None
        if last is None or last.step != place.step or last.end <= place.start:
            merged.append(place)
        elif last.end < place.end:
            match: Match = "exact" if last.match == place.match == "exact" else "normalised"
            quote = wholes[place.step].text(last.start, place.end)
            merged[-1] = _Found(place.step, last.start, place.end, match, quote)
    return [Excerpt(place.quote, place.match, place.step, place.start, place.end) for place in merged]


def _fold(text: str) -> str:
    """``text`` with single spaces, plain quotes and dashes, and without what cannot be seen."""
    return " ".join(_UNSEEN.sub("", text).split()).translate(_PLAIN)
