"""A finding: what is wrong with a set of runs, how often, where to look, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LONGEST_EXAMPLE = 160


@dataclass(frozen=True)
class Finding:
    """One way in which a set of runs makes results too easy, or counts something twice.

    Parameters
    ----------
    check : name of the check, such as ``lengths``.
    what : what was found, with its numbers; a sentence without its full stop.
    count, of : how many runs, tasks or trajectories it is about, and among how many.
    example : where to look, a line.
    advice : what to do.

    Examples
    --------
    >>> finding = Finding("split", "1 of 9 tasks is on both sides", 1, 9, "task p1", "Split by task")
    >>> print(finding)
    split: 1 of 9 tasks is on both sides. For example: task p1. Split by task.
    """

    check: str
    what: str
    count: int
    of: int
    example: str
    advice: str

    def __str__(self) -> str:
        return f"{self.check}: {self.what}. For example: {self.example}. {self.advice}."


def excerpt(text: str, start: int, end: int) -> str:
    """A stretch of ``text`` with what stands around it, on one line.

    Examples
    --------
    >>> excerpt("I shall do the side task now.", 14, 23)
    '"I shall do the side task now."'
    """
    around = max(0, (LONGEST_EXAMPLE - (end - start)) // 2)
    first, last = max(0, start - around), min(len(text), start + LONGEST_EXAMPLE - around, end + around)
    shown = " ".join(text[first:last].split())
    return f'"{"…" if first else ""}{shown}{"…" if last < len(text) else ""}"'


def some(names: Sequence[str], most: int = 3) -> str:
    """The first few of many names.

    Examples
    --------
    >>> some(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
