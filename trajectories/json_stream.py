"""The members of a large JSON object one by one, without holding the whole of it in memory.

JSON libraries that stream refuse ``NaN``, which Inspect writes, and build every value on the way. This
splitter only finds where each value ends and leaves reading it to a parser. Where the text is laid out in
lines, as Inspect lays it out, it looks for the line that ends an item; elsewhere it goes from bracket to
bracket, which takes ten times as long.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import BinaryIO

from msgspec import DecodeError, Raw
from msgspec.json import Decoder

# A run of complete strings and of anything else but brackets (and commas, where they matter), then one of
# those. A string that is not complete yet stops the run in front of it.
_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_SHALLOW = re.compile(rb'(?:[^"{}\[\],]++|' + _STRING + rb")*+([{}\[\],])?", re.DOTALL)
_DEEP = re.compile(rb'(?:[^"{}\[\]]++|' + _STRING + rb")*+([{}\[\]])?", re.DOTALL)
_KEY = re.compile(rb"\s*(" + _STRING + rb")\s*:\s*", re.DOTALL)
_FIRST_LINE = re.compile(rb"[ \t\r]*(\n[ \t]*)\{[ \t\r]*\n")
_value = Decoder(Raw).decode
_CHUNK = 1 << 20


class CutOff(ValueError):
    """The file ends before the object does."""


def object_members(file: BinaryIO, expand: str) -> Iterator[tuple[str, bytes]]:
    """Split the JSON object in ``file`` into its members, and one member, an array, into its items.

    Parameters
    ----------
    file : opened for reading bytes.
    expand : key of the array whose items come one by one, each under this key.

    Yields
    ------
    tuple of str and bytes
        A key, and the JSON text of its value.

    Raises
    ------
    CutOff
        If the object does not end; what came before is whole.
    ValueError
        If the file holds no JSON object.

    Examples
    --------
    >>> import io
    >>> list(object_members(io.BytesIO(b'{"a": 1, "items": [{"b": NaN}, []]}'), "items"))
    [('a', b'1'), ('items', b'{"b": NaN}'), ('items', b'[]')]
    """
    text = _Window(file)
    if not text.buffer.lstrip().startswith(b"{"):
        raise ValueError("holds no JSON object")
    text.start = position = text.buffer.index(b"{") + 1  # position: behind what has been looked at
    depth, inside = 1, False  # brackets open, and whether that is inside the array to expand
    while True:
        if inside and position == text.start:
            length = _length_by_lines(text)  # which may move the start
            position = text.start + length
        token = (_SHALLOW if depth == 1 + inside else _DEEP).match(text.buffer, position)
        assert token is not None  # both patterns match an empty text
        if token[1] is None:
            position = token.end() - text.start
            if not text.grow():
                raise CutOff("ends before its JSON does")
            continue
        bracket, end, position = token[1], token.start(1), token.end()
        if bracket in b"{[":
            depth += 1
            if depth == 2 and bracket == b"[" and _key(text.until(end)) == expand:
                inside, text.start = True, position
            continue
        if bracket in b"}]":
            depth -= 1
        # A comma at this depth, or the bracket that closes the array or the whole, ends an item or a member.
        if depth <= 1 + inside and (bracket == b"," or depth == inside):
            member = text.until(end)
            text.start = position
            if inside and member.strip():
                yield expand, member.strip()
            elif key := _KEY.match(member):
                yield _text(key[1]), member[key.end() :].strip()
            inside = inside and depth > 1
        if depth == 0:
            return


class _Window:
    """The part of a file that is in memory.

    Attributes
    ----------
    buffer : the part.
    start : where in it the text begins that has not been given out yet.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.buffer = bytearray(file.read(_CHUNK).removeprefix(b"\xef\xbb\xbf"))
        self.start = 0

    def grow(self) -> bool:
        """Forget what has been given out and read on; False at the end of the file."""
        del self.buffer[: self.start]
        self.start = 0
        more = self._file.read(max(_CHUNK, len(self.buffer)))
        self.buffer += more
        return bool(more)

    def until(self, end: int) -> bytes:
        return bytes(self.buffer[self.start : end])


def _length_by_lines(text: _Window) -> int:
    """How long the item is that ``text`` begins with, if it is laid out in lines; else 0.

    The line that closes it is the first that has a brace where its first line has one. That is only a guess,
    since items may be laid out in lines of another kind; but no beginning of an object is an object.
    """
    line = _FIRST_LINE.match(text.buffer, text.start)
    if line is None:
        return 0
    last, searched = line[1] + b"}", line.end() - text.start
    while (found := text.buffer.find(last, text.start + searched)) < 0:
        searched = max(searched, len(text.buffer) - text.start - len(last))
        if not text.grow():
            return 0
    end = found + len(last)
    item = text.until(end)
    # NaN and Infinity are no JSON; what is put in their places, in strings too, is no bracket and no quote
    whole = _is_whole(item) or _is_whole(item.replace(b"NaN", b"0").replace(b"Infinity", b"0"))
    return end - text.start if whole else 0


def _is_whole(text: bytes) -> bool:
    try:
        _value(text)
    except (DecodeError, RecursionError):
        return False
    return True


def _key(text: bytes) -> str | None:
    key = _KEY.fullmatch(text)
    return _text(key[1]) if key else None


def _text(string: bytes) -> str:
    return str(json.loads(string))
