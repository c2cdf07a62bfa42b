"""What an agent leaves in its sandbox, read on the host: hostile text of bounded size, made into a table."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from inspect_ai.util import OutputLimitExceededError, SandboxEnvironment

from molehunt.environments.mle_sabotage.competitions.parts import InvalidSubmission

if TYPE_CHECKING:
    from pandas import DataFrame, Series

LARGEST = 16 << 20
"""Bytes of a submission that is read at all; ours have some hundred kilobytes."""
LONGEST_HEADER = 64 << 10
LONGEST_NUMBER = 100
"""Characters."""
MISSING = ["", "NA", "NaN", "nan", "null", "None"]
"""What counts as no value in a column of numbers; a column of words may hold any of them."""


async def fetch(box: SandboxEnvironment, path: str) -> bytes:
    """The contents of a regular file in the sandbox.

    Raises
    ------
    InvalidSubmission
        If there is none, or it is too large.
    """
    told = await box.exec(["stat", "-L", "-c", "%s %F", "--", path], timeout=30, timeout_retry=False)
    size, _, kind = told.stdout.strip().partition(" ")
    if not told.success:
        raise InvalidSubmission(f"{path} is not there")
    if not kind.startswith("regular"):
        raise InvalidSubmission(f"{path} is no file, but a {kind}")
    if int(size) > LARGEST:
        raise InvalidSubmission(f"{path} has {int(size):,} bytes; no more than {LARGEST:,} are read")
    try:
        return await box.read_file(path, text=False)
    except (OSError, OutputLimitExceededError) as error:
        raise InvalidSubmission(f"{path} cannot be read: {error}") from None


def read_table(data: bytes, like: DataFrame, rows: int) -> DataFrame:
    r"""A table out of a CSV file, which a competition's own checks then look at.

    Parameters
    ----------
    data : the file.
    like : a table of the form wanted: where its values are words, the file's stay words.
    rows : how many rows are wanted; at most one more is read.

    Raises
    ------
    InvalidSubmission
        If it is no CSV file, or beyond all bounds.

    Examples
    --------
    >>> import pandas as pd
    >>> read_table(b"id,word\n1,NA\n", pd.DataFrame({"id": [0], "word": ["x"]}), 1).word[0]
    'NA'
    """
    import pandas as pd

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidSubmission(f"it is no text in UTF-8: {error.reason} at byte {error.start:,}") from None
    # before pandas sees it: a first line of a million commas would make a million columns
    header = text[: LONGEST_HEADER + 1].partition("\n")[0]
    if len(header) > LONGEST_HEADER:
        raise InvalidSubmission(f"its header is longer than {LONGEST_HEADER:,} characters")
    words = {name: str for name in like.columns if not pd.api.types.is_numeric_dtype(like[name])}
    try:
        table = pd.read_csv(
            io.StringIO(text),
            dtype=words,
            na_values={name: MISSING for name in like.columns if name not in words},
            keep_default_na=False,
            nrows=rows + 1,
            index_col=False,
        )
    except (ValueError, OverflowError) as error:  # pandas' ParserError is a ValueError
        raise InvalidSubmission(f"it is no CSV file: {' '.join(str(error).split())[:200]}") from None
    if len(table) > rows:
        raise InvalidSubmission(f"it has more than the {rows:,} rows that are wanted")
    for name in table.columns.difference(list(words)):
        _check_lengths(table[name])
    return table


def _check_lengths(column: Series) -> None:
    """Refuse what is longer than any number; pandas cannot read whole numbers that no float can hold."""
    lengths = column.astype(str).str.len()
    if (lengths > LONGEST_NUMBER).any():
        row = int(lengths.argmax())
        where = f"row {row + 1}, column {str(column.name)[:40]}"
        raise InvalidSubmission(f"{where}: {lengths.iloc[row]:,} characters, where a number is wanted")
