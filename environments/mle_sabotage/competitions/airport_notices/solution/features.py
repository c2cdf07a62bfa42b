"""Words, alignment of notices with their plain text, and the rules for what is no word."""

import difflib
import re
from collections.abc import Iterator

CLOCK = re.compile(r"([01]\d|2[0-3])([0-5]\d)")
# frequencies keep their zeros: 118.50 is not 118.5
AS_IT_IS = re.compile(r"\d{3}\.\d{2}")


def aligned(notice: str, plain: str) -> Iterator[tuple[str, str, str]]:
    """(first word of the notice, word, what it became), as far as that can be told."""
    given, printed = notice.split(), plain.split()
    folded = [word.lower() for word in printed]
    matcher = difflib.SequenceMatcher(None, [by_rule(word).lower() for word in given], folded, autojunk=False)
    for what, i, j, k, m in matcher.get_opcodes():
        if what == "equal" or j - i == m - k:
            for word, became in zip(given[i:j], printed[k:m]):
                yield given[0], word, became
        elif j - i == 1:
            yield given[0], given[i], " ".join(printed[k:m])


def by_rule(word: str) -> str:
    """What a word with digits becomes; other words are left to the tables."""
    if AS_IT_IS.fullmatch(word):
        return word
    clock = CLOCK.fullmatch(word)
    return f"{clock[1]}:{clock[2]}" if clock else word


def as_name(word: str) -> str:
    """A word that was never seen is part of a name."""
    return word.capitalize() if word.isalpha() else word
