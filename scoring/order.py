"""In which order a trajectory's monitors ask: those that share a prompt's beginning next to each other."""

from __future__ import annotations

from collections.abc import Sequence

from molehunt.scoring.entries import Entry
from molehunt.scoring.rehearsal import rehearsed
from molehunt.trajectories import Trajectory


async def by_shared_prompt(entries: Sequence[Entry], trajectory: Trajectory) -> list[Entry]:
    """``entries`` so that those whose first questions begin alike, to the same model, follow each other.

    A provider's cache keeps the beginning of a prompt for minutes, an embedded model's until the next other
    prompt. What begins alike is found by rehearsing on ``trajectory``. Monitors that ask nothing come first,
    and otherwise the order given is kept.
    """
    if len(entries) == 1:
        return list(entries)
    groups: dict[tuple[str, str], list[Entry]] = {("", ""): []}
    for entry in entries:
        questions = await rehearsed(entry, trajectory, b"") if entry.models else []
        first = questions[0].question if questions else None
        prompt = ("", "") if first is None else (first.binding.connection, first.request.shared)
        groups.setdefault(prompt, []).append(entry)
    return [entry for group in groups.values() for entry in group]
