"""Text of others in the terminal: what a terminal would obey is shown as �, one character for one."""

from __future__ import annotations


def printable(text: str, keep: str = "") -> str:
    r"""``text`` without control characters, bidirectional marks and the like, but for those in ``keep``.

    Examples
    --------
    >>> printable("\x1b[31mred\x07\n", keep="\n")
    '�[31mred�\n'
    """
    return "".join(character if character.isprintable() or character in keep else "�" for character in text)
