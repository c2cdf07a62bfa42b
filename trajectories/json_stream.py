"""The members of a large JSON object one by one, without holding the whole of it in memory.

JSON libraries that stream refuse ``NaN``, which Inspect writes, and build every value on the way. This
splitter only finds where each value ends and leaves reading it to a parser. A parser that passes over a value
without building it says where it ends; what that parser refuses is gone through from bracket to bracket,
which takes many times as long. A small object is split at one go, since what has to be prepared to split it
piece by piece would take longer than all the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from msgspec import DecodeError, Raw
from msgspec.json import Decoder
from pydantic_core import from_json

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.beginnings import MARK
from molehunt.trajectories.lines import BLANK

# A run of complete strings and of anything else but brackets (and commas, where they matter), then one of
# those. A string that is not complete yet stops the run in front of it.
_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_SHALLOW = re.compile(rb'(?:[^"{}\[\],]++|' + _STRING + rb")*+([{}\[\],])?", re.DOTALL)
_DEEP = re.compile(rb'(?:[^"{}\[\]]++|' + _STRING + rb")*+([{}\[\]])?", re.DOTALL)
_SPACE, _OBJECT = re.compile(rb"\s*+"), re.compile(rb"\s*+\{")
_KEY = re.compile(rb"\s*(" + _STRING + rb")\s*:\s*", re.DOTALL)
_pass_over = Decoder(Raw).decode
_TRUNCATED = "Input data was truncated"
_FAULT = re.compile(r"(trailing characters )?\(byte (\d+)\)$")
_WORDS, _LONGEST_WORD = (b"NaN", b"Infinity"), len("-Infinity")
_SMALL, _CHUNK, _PIECE, _STRETCH = 1 << 17, 1 << 20, 1 << 16, 1 << 16
_TAIL = 256  # bytes of a value that are looked at for blanks behind it, and so on if there is nothing else


class CutOff(ValueError):
    """The file ends before the object does, or is damaged where a key stands; the message says which."""


class GoesOn(ValueError):
    """There is something behind the object; all of that has been given out."""


def object_members(file: BinaryIO, expand: str) -> Iterator[tuple[str, memoryview]]:
    """Split the JSON object in ``file`` into its members, and one member, an array, into its items.

    Parameters
    ----------
    file : opened for reading bytes.
    expand : key of the array whose items come one by one, each under this key.

    Yields
    ------
    tuple of str and memoryview
        A key, and the JSON text of its value, which is a part of what has been read and no copy.

    Raises
    ------
    CutOff
        If the object does not end, or a key is no text; what came before is whole.
    GoesOn
        At its end, if that is not the end of the file.
    ValueError
        If the file holds no JSON object.
    Damaged, OSError
        If the file cannot be read or unpacked to its end, when all that stands before has been given out.

    Examples
    --------
    >>> import io
    >>> members = object_members(io.BytesIO(b'{"a": 1, "items": [{"b": NaN}, []]}'), "items")
    >>> [(key, bytes(value)) for key, value in members]
    [('a', b'1'), ('items', b'{"b": NaN}'), ('items', b'[]')]
    """
    source = _Source(file)
    beginning = b"".join(source.pieces(_SMALL))
    is_whole = len(beginning) < _SMALL and source.fault is None
    if is_whole and (members := _members_of(beginning, expand)) is not None:
        yield from members
        return
    text = _Window(source, beginning)
    begin = _OBJECT.match(text.buffer)
    if begin is None:
        raise source.fault or ValueError("holds no JSON object")
    text.start = position = begin.end()  # position: behind what has been looked at
    depth, inside = 1, False  # brackets open, and whether that is inside the array to expand
    while True:
        if position == text.start and depth == 1 + inside:
            length = _length_passed_over(text, None if inside else expand)  # which may move the start
            position = text.start + length
        token = (_SHALLOW if depth == 1 + inside else _DEEP).match(text.buffer, position)
        assert token is not None  # both patterns match an empty text
        if token[1] is None:
            position = token.end() - text.start
            if not text.grow():
                raise source.fault or CutOff("is cut off")
            continue
        bracket, end, position = token[1], token.start(1), token.end()
        if bracket in b"{[":
            depth += 1
            if depth == 2 and bracket == b"[":
                key = _KEY.fullmatch(text.buffer, text.start, end)
                if key and _text(key[1]) == expand:
                    inside, text.start = True, position
            continue
        if bracket in b"}]":
            depth -= 1
        # A comma at this depth, or the bracket that closes the array or the whole, ends an item or a member.
        if depth <= 1 + inside and (bracket == b"," or depth == inside):
            start, text.start = text.start, position
            if not inside and (key := _KEY.match(text.buffer, start, end)):
                yield _text(key[1]), text.between(key.end(), end)
            elif inside and (item := text.between(start, end)):
                yield expand, item
            inside = inside and depth > 1
        if depth == 0:
            text.start = position
            if text.goes_on() or source.fault:
                raise source.fault or GoesOn("has more behind its JSON")
            return


class _Key:
    """A key in an object. No two of them are equal, so a dictionary keeps all members that have one name."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


_split_object = Decoder(dict[_Key, Raw], dec_hook=lambda _, text: _Key(text)).decode
_split_array = Decoder(list[Raw]).decode


def _members_of(text: bytes, expand: str) -> list[tuple[str, memoryview]] | None:
    """The same as `object_members` gives of a whole object; None for what the parser refuses."""
    found: list[tuple[str, memoryview]] = []
    try:
        for key, value in _split_object(text.removeprefix(MARK)).items():
            view = memoryview(value)
            if key.text == expand and bytes(view[:1]) == b"[":
                found += [(expand, memoryview(item)) for item in _split_array(view)]
            else:
                found.append((key.text, view))
    except (DecodeError, RecursionError):
        return None
    return found


class _Source:
    """A file, of which what stands before a fault is not lost to it.

    Attributes
    ----------
    fault : what keeps the file from being read on, once that is known; it ends there.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._read: Callable[[int], bytes] = getattr(file, "read1", file.read)
        self.fault: Exception | None = None

    def pieces(self, size: int) -> Iterator[bytes]:
        """The next ``size`` bytes, fewer at the end of the file."""
        # piece by piece: a block as large as that would be had anew from the system each time
        while size > 0 and (piece := self._piece(min(_PIECE, size))):
            yield piece
            size -= len(piece)

    def _piece(self, size: int) -> bytes:
        if self.fault is None:
            try:
                return self._read(size)
            except (Damaged, OSError) as fault:
                self.fault = fault
        return b""


class _Window:
    """The part of a file that is in memory, whose beginning has been read already.

    Attributes
    ----------
    buffer : the part.
    plain : the same, but with zeros of equal length for words that JSON does not know, in strings too.
    start : where in it the text begins that has not been given out yet.
    """

    def __init__(self, source: _Source, beginning: bytes) -> None:
        self._source = source
        self.buffer = beginning.removeprefix(MARK)
        self.plain: bytes | bytearray = self.buffer
        self.start = 0
        self.grow()

    def grow(self) -> bool:
        """Forget what has been given out and read on; False at the end of the file."""
        more = list(self._source.pieces(max(_CHUNK, len(self.buffer) - self.start)))
        longer = b"".join([memoryview(self.buffer)[self.start :], *more])
        if isinstance(self.plain, bytearray):
            self.plain = bytearray().join([memoryview(self.plain)[self.start :], *more])
        else:
            self.plain = longer
        self.buffer, self.start = longer, 0
        return bool(more)

    def blot_out(self, place: int) -> bool:
        """Have zeros for the word at ``place`` and others like it behind; False if it is none of these."""
        if not self.plain.startswith(_WORDS, place):
            return False
        if not isinstance(self.plain, bytearray):
            self.plain = bytearray(self.plain)
        # as far again as it is to here, or a value full of such words would be passed over once for each
        end = place + max(_STRETCH, place - self.start)
        text = self.plain[place:end]
        self.plain[place:end] = text.replace(b"NaN", b"0.0").replace(b"Infinity", b"0.000000")
        return True

    def between(self, start: int, end: int) -> memoryview:
        """The text from ``start`` to ``end``, without blanks around it."""
        blank = _SPACE.match(self.buffer, start, end)
        start = blank.end() if blank else start
        while (tail := self.buffer[max(start, end - _TAIL) : end]).isspace():
            end -= len(tail)
        end -= len(tail) - len(tail.rstrip())
        return memoryview(self.buffer)[start:end]

    def goes_on(self) -> bool:
        """Whether more than blanks is left; what is left is forgotten."""
        rest = self.buffer[self.start :]
        while not rest.strip(BLANK):
            if not (rest := b"".join(self._source.pieces(_PIECE))):
                return False
        return True


def _length_passed_over(text: _Window, expand: str | None) -> int:
    """How long the item or member is that ``text`` begins with, as far as a parser passes over it; else 0.

    The parser says where a value ends when it complains of what stands behind.

    Parameters
    ----------
    text : which may grow by it.
    expand : key of the member that is not to be passed over, None for an item of it.
    """
    key = None if expand is None else _KEY.match(text.buffer, text.start)
    if expand is not None and (key is None or _text(key[1]) == expand):
        return 0
    begin = key.end() - text.start if key else 0
    while True:
        with memoryview(text.plain) as whole, whole[text.start + begin :] as rest:
            size, fault = len(rest), _fault(rest)
        found = _FAULT.search(fault)
        place = int(found[2]) if found else size
        if found and found[1]:
            return begin + place - 1  # it counts from 1, elsewhere from 0
        if found and text.blot_out(text.start + begin + place):
            continue
        may_be_cut = fault in ("", _TRUNCATED) or (found and place > size - _LONGEST_WORD)
        if not (may_be_cut and text.grow()):
            return 0


def _fault(text: bytes | memoryview) -> str:
    """What is wrong with a text as one JSON value."""
    try:
        _pass_over(text)
    except (DecodeError, RecursionError) as error:
        return str(error)
    return ""


def _text(string: bytes) -> str:
    try:
        return str(from_json(string))
    except ValueError:
        pass
    try:  # slower, but takes lone surrogates
        return str(json.loads(string))
    except ValueError as error:
        raise CutOff("has a damaged key") from error
