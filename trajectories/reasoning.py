"""How much of an agent's reasoning a log lets one read."""

from __future__ import annotations

from collections.abc import Iterable

from molehunt.trajectories.runs import ReasoningKind


def readable(reasoning: str | None, summary: str | None, *, redacted: bool) -> tuple[str, ReasoningKind]:
    """The readable text of a block of reasoning, and how much of the reasoning it is.

    Providers that keep reasoning to themselves put an encrypted blob where the text would be, mark the block
    as redacted, and may add a summary.

    Returns
    -------
    tuple of str and ReasoningKind
        An empty text for ``hidden``.

    Examples
    --------
    >>> readable("Two and two.", None, redacted=False)
    ('Two and two.', 'full')
    >>> readable("EpMCCokBCA8YAipA", "Adding up.", redacted=True)
    ('Adding up.', 'summary')
    >>> readable("EpMCCokBCA8YAipA", "", redacted=True)
    ('', 'hidden')
    """
    text = "" if redacted else (reasoning or "").strip()
    if text:
        return text, "full"
    shortened = (summary or "").strip()
    return (shortened, "summary") if shortened else ("", "hidden")


def most_readable(kinds: Iterable[ReasoningKind]) -> ReasoningKind:
    """What to call a run whose blocks of reasoning are of these kinds: the most that can be read of any.

    Examples
    --------
    >>> most_readable(["hidden", "summary"]), most_readable([])
    ('summary', 'none')
    """
    present = set(kinds)
    order: tuple[ReasoningKind, ...] = ("full", "summary", "hidden")
    return next((kind for kind in order if kind in present), "none")
