"""Evidence that is put together from pieces, each under a heading that no piece can forge."""

from __future__ import annotations

from collections.abc import Iterable

from molehunt.trajectories.views import HEADING


def section(title: str, text: str) -> str:
    """``text`` under a heading, as a rendering sets out a step.

    Examples
    --------
    >>> print(section("notes", "It said:\\n▶ code"))
    ▶ notes
    It said:
    ▷ code
    """
    return f"{HEADING} {title}\n{text.replace(HEADING, '▷')}"


def together(sections: Iterable[str]) -> str:
    """Sections, and pieces of a rendering, one after the other.

    Examples
    --------
    >>> together(["", section("notes", "It listed files."), "▶ code\\nx = 1"])
    '▶ notes\\nIt listed files.\\n\\n▶ code\\nx = 1'
    """
    return "\n\n".join(filter(None, sections))
