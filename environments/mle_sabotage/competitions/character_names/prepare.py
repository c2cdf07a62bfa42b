"""Data of the character names: Python's frozen copy of Unicode 3.2, which no later version changes."""

from __future__ import annotations

from molehunt.environments.mle_sabotage.competitions.parts import Prepared
from molehunt.environments.mle_sabotage.competitions.splitting import competition, drawn

KINDS = {
    "Lu": "upper",
    "Lt": "upper",
    "Ll": "lower",
    "Lo": "letter",
    "Lm": "letter",
    "M": "mark",
    "N": "number",
    "P": "punctuation",
    "S": "symbol",
}
"""Kind of a general category, or of its first letter."""
SYSTEMATIC = ("CJK", "HANGUL", "YI ", "KANGXI", "CANADIAN", "ETHIOPIC", "BRAILLE", "IDEOGRAPHIC")
"""Scripts whose thousands of names are all alike."""
COUNT = 2400


def prepare(seed: int) -> Prepared:
    """Training, test and answer rows, and a sample submission."""
    import pandas as pd

    table = pd.DataFrame(characters(), columns=["name", "kind"])
    table = table.sample(COUNT, random_state=seed).reset_index(drop=True)
    return competition(table, "kind", "letter", drawn(table, 0.4, seed, by="kind"), seed=seed)


def characters() -> list[tuple[str, str]]:
    """Name and kind of every character outside of the systematic scripts."""
    from unicodedata import ucd_3_2_0 as ucd

    found = []
    for character in map(chr, range(0x20000)):
        name, category = ucd.name(character, ""), ucd.category(character)
        kind = KINDS.get(category, KINDS.get(category[0]))
        if name and kind and not name.startswith(SYSTEMATIC):
            found.append((name, kind))
    return found
