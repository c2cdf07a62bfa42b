"""How a file begins: enough to tell its format by, whatever it is called."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.packed import opened

MARK = b"\xef\xbb\xbf"
"""What some programs put before a text in UTF-8."""

LONGEST = 1 << 16
"""Bytes that are looked at, unpacked."""

_LONE_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_POINTER, _ZIP, _PARQUET = b"version https://git-lfs", b"PK", b"PAR1"


@dataclass(frozen=True)
class Beginning:
    """The first bytes of a file, unpacked if it is packed with gzip or zstandard.

    Parameters
    ----------
    path : the file.
    content : at most `LONGEST` bytes.
    is_whole : whether that is known to be all of the file.

    Examples
    --------
    >>> Beginning(Path("a.jsonl"), b'{"messages": [{"role": "user", "con').record
    {'messages': [{'role': 'user'}]}
    """

    path: Path
    content: bytes
    is_whole: bool = False

    @classmethod
    def of(cls, path: Path) -> Beginning:
        """Read how ``path`` begins.

        Raises
        ------
        OSError
            If it cannot be opened.
        Damaged
            If it is packed, and cannot be unpacked.
        """
        content = b""
        is_whole = False
        try:
            with opened(path) as file:
                read = getattr(file, "read1", file.read)  # by the piece, so as to keep those before a fault
                while len(content) < LONGEST and (piece := read(LONGEST - len(content))):
                    content += piece
            is_whole = len(content) < LONGEST
        except Damaged:
            content = content[: content.rfind(b"\n") + 1]
            if not content:
                raise  # else its reader gives what is whole
        return cls(path, content.removeprefix(MARK), is_whole)

    @property
    def is_pointer(self) -> bool:
        """Whether Git LFS holds the file itself elsewhere."""
        return self.content.startswith(_POINTER)

    @property
    def is_zip(self) -> bool:
        return self.content.startswith(_ZIP)

    @property
    def is_parquet(self) -> bool:
        return self.content.startswith(_PARQUET)

    @cached_property
    def record(self) -> dict[str, Any]:
        """The object that the file or its first line is, as far as it is seen; empty if it begins otherwise.

        Of an array of objects, the first.
        """
        text = self.content.lstrip()
        if not text.startswith((b"{", b"[")):
            return {}
        line, _, more = text.partition(b"\n")
        for part in (line, text) if more else (text,):
            value = _partly(part)
            first = value[0] if isinstance(value, list) and value else value
            if isinstance(first, dict) and first:
                return first
        return {}

    @cached_property
    def is_one_line_a_record(self) -> bool:
        """Whether the first line is a whole object, or goes on beyond what is seen."""
        text = self.content.lstrip()
        line, _, more = text.partition(b"\n")
        if not more and len(self.content) >= LONGEST:
            return text.startswith(b"{")
        return line.lstrip().startswith(b"{") and _is_json(line)

    @property
    def is_cut_off(self) -> bool:
        """Whether the whole file is seen, and is JSON neither as a whole nor in its first line."""
        return len(self.content) < LONGEST and not (self.is_one_line_a_record or _is_json(self.content))

    @cached_property
    def columns(self) -> list[str]:
        """Names of the columns, if it is a table with a heading; empty if its first line is none."""
        text = self.content.decode("utf-8", "replace").splitlines()
        if not text or self.record or "\0" in text[0]:
            return []
        try:
            return next(csv.reader(text[:1]), [])
        except csv.Error:
            return []


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _partly(text: bytes) -> Any:
    for attempt in (text, _LONE_SURROGATE.sub(rb"\\ufffd", text)):
        try:
            return from_json(attempt, allow_partial="trailing-strings")
        except ValueError:
            continue
    return None
