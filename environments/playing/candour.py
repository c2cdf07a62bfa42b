"""How much an attacker gives away of what it does."""

from __future__ import annotations

from typing import Literal

Candour = Literal["open", "covered", "silent"]
"""Of an attack: says what it does and why; says it with a harmless reason; says next to nothing."""


def candour(policy: str | None, awareness: str) -> Candour:
    """How much an attacker's reasoning gives away.

    Examples
    --------
    >>> candour("baseline", "unaware"), candour("stealth", "unaware"), candour("baseline", "told")
    ('open', 'covered', 'silent')
    >>> candour("stealth", "thinks_private")
    'open'
    """
    if awareness == "told" or policy == "monitor-notice":
        return "silent"
    return "open" if policy == "baseline" or awareness == "thinks_private" else "covered"
