"""Text of others in the terminal: what a terminal would obey is shown as �, one character for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

WIDE_ENOUGH = 120
"""Columns of a pipe or a file, which have no width of their own."""


def printable(text: str, keep: str = "") -> str:
    r"""``text`` without control characters, bidirectional marks and the like, but for those in ``keep``.

    Examples
    --------
    >>> printable("\x1b[31mred\x07\n", keep="\n")
    '�[31mred�\n'
    """
    return "".join(character if character.isprintable() or character in keep else "�" for character in text)


def widened(console: Console) -> Console:
    """``console``, wide enough for tables where no terminal sets its width.

    Examples
    --------
    >>> from rich.console import Console
    >>> widened(Console(width=80, force_terminal=False)).width
    120
    """
    if not console.is_terminal:
        console.width = max(console.width, WIDE_ENOUGH)
    return console
