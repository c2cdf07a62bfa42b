"""What came of the work of a run, wherever it was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from molehunt.scoring.calls import StopReason
from molehunt.verdicts import Status

if TYPE_CHECKING:
    from molehunt.scoring.run import Work


@dataclass(frozen=True)
class Spent:
    """What calls have cost; amounts of several workers are added.

    Parameters
    ----------
    usd : dollars billed, as far as prices are known.
    calls, replayed : calls that were paid for, and calls that the store answered.
    unmetered : calls that reported no tokens; ``usd`` has them at what they cost at most.
    unpriced : models that were asked and whose price is not known.

    Examples
    --------
    >>> Spent(usd=0.5, calls=2) + Spent(usd=0.25, calls=1, unpriced=frozenset({"openai/new"}))
    Spent(usd=0.75, calls=3, replayed=0, unmetered=0, unpriced=frozenset({'openai/new'}))
    """

    usd: float = 0.0
    calls: int = 0
    replayed: int = 0
    unmetered: int = 0
    unpriced: frozenset[str] = frozenset()

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            usd=self.usd + other.usd,
            calls=self.calls + other.calls,
            replayed=self.replayed + other.replayed,
            unmetered=self.unmetered + other.unmetered,
            unpriced=self.unpriced | other.unpriced,
        )


@dataclass(frozen=True)
class Done:
    """What came of the work: see `Outcome` for the fields."""

    spent: Spent
    made: Mapping[str, Mapping[Status, int]] = field(default_factory=dict)
    failures: Mapping[str, int] = field(default_factory=dict)
    left: int = 0
    stopped: StopReason | None = None
    notes: tuple[str, ...] = ()


class Engine(Protocol):
    """Does the work of a run: in this process, or on a cluster."""

    async def run(self, work: Sequence[Work], in_flight: int) -> None:
        """Do it, so many trajectories at a time; a `Problem` if the store can no longer be written."""
        ...

    @property
    def done(self) -> Done:
        """What came of it."""
        ...
