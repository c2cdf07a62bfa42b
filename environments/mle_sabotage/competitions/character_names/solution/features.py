"""Names as bags of words and pieces of words, with where in the name a word stands."""

from collections.abc import Iterator
from itertools import pairwise

import pandas as pd

SIZES = (2, 3, 4)


def in_sequence(table: pd.DataFrame) -> pd.DataFrame:
    """The rows as they come, numbered from 0 whatever their index was."""
    return table.reset_index(drop=True)


def marked(name: str) -> list[str]:
    """The words, and the first and the last of them said again, as such."""
    words = name.split()
    return [f"first={words[0]}", *words, f"last={words[-1]}", f"before={words[-2:][0]}"]


def parts(name: str) -> Iterator[str]:
    """All that is counted of a name: words, pairs of words, and pieces of words with their edges."""
    words = marked(name)
    yield from words
    for pair in pairwise(words):
        yield " ".join(pair)
    for word in name.split():
        edged = f"^{word}$"
        for size in SIZES:
            for start in range(len(edged) - size + 1):
                yield edged[start : start + size]
