"""Records of a file one by one: JSON lines, a JSON document, or the rows of a table, packed or not."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from pydantic_core import from_json

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.beginnings import MARK, Beginning
from molehunt.trajectories.packed import opened
from molehunt.trajectories.steps import encodable

LONGEST_LINE = 64 << 20
"""Bytes of one record, unpacked."""

LARGEST_DOCUMENT = 256 << 20
"""Bytes of a JSON document that is no JSON lines, unpacked: it is held in memory as a whole."""

_LOOKED_AT = 5
BLANK = b" \t\r\n\0"
"""What may stand behind the last record: a machine that stops while it writes leaves zeros."""


def parsed(text: bytes | memoryview) -> Any:
    r"""A JSON value; lone surrogates, which no encoding can carry, become U+FFFD.

    Raises
    ------
    Damaged
        If it is none, or nested too deeply.

    Examples
    --------
    >>> parsed(b'{"a": "\\ud800", "b": NaN}')
    {'a': '\ufffd', 'b': nan}
    """
    text = bytes(text)
    try:
        return from_json(text)
    except ValueError:
        pass
    try:  # slower, but takes what the other does not
        return _encodable(json.loads(text.decode("utf-8", "replace")))
    except ValueError as error:
        raise Damaged(f"is no JSON, or cut off: {error}") from error
    except RecursionError as error:
        raise Damaged("is nested too deeply to be read") from error


def json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Number and value of each line that is not blank; of a line that cannot be read, a `Damaged`.

    Raises
    ------
    Damaged
        If the file is packed and cannot be unpacked to its end; what came before is whole.
    """
    number = 0
    try:
        with opened(path) as file:
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    _skip_line(file, line)
                    yield number, Damaged(f"is longer than {LONGEST_LINE >> 20} MiB")
                elif text := line.removeprefix(MARK).strip(BLANK):
                    yield number, _parsed_or_damaged(text)
    except Damaged as reason:
        raise Damaged(f"{reason} (after line {number})" if number else str(reason)) from reason


def document(path: Path) -> Any:
    """The value that a file is as a whole.

    Raises
    ------
    Damaged
        If it is no JSON, or larger than `LARGEST_DOCUMENT`.
    """
    with opened(path) as file:
        content = file.read(LARGEST_DOCUMENT + 1)
    if len(content) > LARGEST_DOCUMENT:
        raise Damaged(f"is one JSON document of more than {LARGEST_DOCUMENT >> 20} MiB; make lines of it")
    return parsed(content.removeprefix(MARK).strip(BLANK))


def records(path: Path) -> Iterator[tuple[str, Any]]:
    """Place and value of each record: of each line, or of each item of a JSON document that is an array.

    Raises
    ------
    Damaged
        If the file as a whole cannot be read.
    """
    if Beginning.of(path).is_one_line_a_record:
        yield from ((f"line {number}", value) for number, value in json_lines(path))
        return
    try:
        whole = document(path)
    except Damaged:
        if not _has_lines(path):
            raise
        yield from ((f"line {number}", value) for number, value in json_lines(path))
        return
    for number, value in enumerate(whole if isinstance(whole, list) else [whole], 1):
        yield f"item {number}", value


def table_rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Place and cells of each row of a table in CSV; empty cells are left out, as if there were no column.

    Raises
    ------
    Damaged
        If it is no table to its end; the rows before are whole.
    """
    csv.field_size_limit(LONGEST_LINE)  # of the process; what a file may hold is limited where it is opened
    table = None
    try:
        with opened(path) as file:
            table = csv.DictReader(_text_lines(file))
            for cells in table:
                given = {name: cell for name, cell in cells.items() if isinstance(cell, str) and cell}
                yield f"line {table.line_num}", given
    except csv.Error as error:
        raise Damaged(f"is no table beyond line {table.line_num if table else 0}: {error}") from error


def _has_lines(path: Path) -> bool:
    """Whether one of the first lines is an object, where the first of all is broken."""
    return any(isinstance(value, dict) for _, value in islice(json_lines(path), _LOOKED_AT))


def _text_lines(file: BinaryIO) -> Iterator[str]:
    while line := file.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE:
            raise csv.Error(f"a line is longer than {LONGEST_LINE >> 20} MiB")
        yield line.removeprefix(MARK).decode("utf-8", "replace").replace("\0", "\ufffd")


def _skip_line(file: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = file.readline(1 << 20)


def _parsed_or_damaged(text: bytes) -> Any:
    try:
        return parsed(text)
    except Damaged as reason:
        return reason


def _encodable(value: Any) -> Any:
    match value:
        case str():
            return encodable(value)
        case list():
            return [_encodable(item) for item in value]
        case dict():
            return {encodable(name): _encodable(item) for name, item in value.items()}
    return value
