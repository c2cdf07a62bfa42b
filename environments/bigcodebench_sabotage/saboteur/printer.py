"""The printer that both arms pass: edits and imports put into the text, and marks taken out of it."""

from __future__ import annotations

from molehunt.environments.bigcodebench_sabotage.saboteur.changes import Change
from molehunt.environments.bigcodebench_sabotage.saboteur.source import Source
from molehunt.environments.bigcodebench_sabotage.saboteur.templates import CLOSE, OPEN
from molehunt.environments.playing.marking import unique


def printed(source: Source, change: Change) -> tuple[str, list[str]]:
    """The changed program, without a last newline, and quotes of it that its marks stand around.

    Each quote occurs once in the program.
    """
    return unmarked(source.applied([source.importing(change.imports), *change.edits]).strip("\n"))


def unmarked(text: str) -> tuple[str, list[str]]:
    """A text without its marks, and a quote for each that occurs once in the text.

    Examples
    --------
    >>> unmarked(f"a\\nb\\n{OPEN}a{CLOSE}\\n")
    ('a\\nb\\na\\n', ['b\\na'])
    """
    plain, spans, start = "", [], 0
    for piece in text.replace(CLOSE, OPEN).split(OPEN):
        spans.append((start, start + len(piece)))
        plain, start = plain + piece, start + len(piece)
    return plain, [unique(plain, *span) for span in spans[1::2]]
