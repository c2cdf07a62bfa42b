"""The members of a large JSON object one by one, without holding the whole of it in memory.

JSON libraries that stream refuse ``NaN``, which Inspect writes, and build every value on the way. This
splitter only finds where each value ends and leaves reading it to a parser.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import BinaryIO

# A run of complete strings and of anything else but brackets (and commas, where they matter), then one of
# those. A string that is not complete yet stops the run in front of it.
_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_SHALLOW = re.compile(rb'(?:[^"{}\[\],]++|' + _STRING + rb")*+([{}\[\],])?", re.DOTALL)
_DEEP = re.compile(rb'(?:[^"{}\[\]]++|' + _STRING + rb")*+([{}\[\]])?", re.DOTALL)
_KEY = re.compile(rb"\s*(" + _STRING + rb")\s*:\s*", re.DOTALL)
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
    buffer = bytearray(file.read(_CHUNK).removeprefix(b"\xef\xbb\xbf"))
    if not buffer.lstrip().startswith(b"{"):
        raise ValueError("holds no JSON object")
    start = position = buffer.index(b"{") + 1  # of the text not given out yet, and of what is not looked at
    depth, inside = 1, False  # brackets open, and whether that is inside the array to expand
    while True:
        token = (_SHALLOW if depth == 1 + inside else _DEEP).match(buffer, position)
        assert token is not None  # both patterns match an empty text
        if token[1] is None:
            del buffer[:start]
            position, start = token.end() - start, 0
            if not (more := file.read(max(_CHUNK, len(buffer)))):
                raise CutOff("ends before its JSON does")
            buffer += more
            continue
        bracket, end, position = token[1], token.start(1), token.end()
        if bracket in b"{[":
            depth += 1
            if depth == 2 and bracket == b"[" and _key(bytes(buffer[start:end])) == expand:
                inside, start = True, position
            continue
        if bracket in b"}]":
            depth -= 1
        # A comma at this depth, or the bracket that closes the array or the whole, ends an item or a member.
        if depth <= 1 + inside and (bracket == b"," or depth == inside):
            text = bytes(buffer[start:end])
            start = position
            if inside and text.strip():
                yield expand, text.strip()
            elif key := _KEY.match(text):
                yield _text(key[1]), text[key.end() :].strip()
            inside = inside and depth > 1
        if depth == 0:
            return


def _key(text: bytes) -> str | None:
    key = _KEY.fullmatch(text)
    return _text(key[1]) if key else None


def _text(string: bytes) -> str:
    return str(json.loads(string))
