"""What a run of scoring came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from molehunt.scoring.calls import StopReason
from molehunt.trajectories.unread import Unread
from molehunt.verdicts import Status


@dataclass(frozen=True)
class Outcome:
    """Counts of a run of scoring, and where the verdicts are.

    Parameters
    ----------
    store : the file.
    runs, trajectories : that were read; equal trajectories are scored once.
    made : verdicts that this run made, by monitor (with its models) and status.
    already : verdicts that were in the store before.
    left : verdicts that were asked for and not made, because the run was stopped.
    unread : logs and samples that could not be read.
    usd : dollars billed in this run, as far as prices are known.
    calls, replayed : calls that were paid for, and calls that the store answered.
    unpriced : models that were asked and whose price is not known.
    unmetered : calls that reported no tokens; ``usd`` has them at what they cost at most.
    labels : runs that were read, by label, ``unlabelled`` where nobody has said what they are.
    notes : what the reader should know besides, a line each.
    stopped : why the run ended early, None if it did not.
    failures : what went wrong in failed verdicts, with how often.
    """

    store: Path
    runs: int
    trajectories: int
    made: Mapping[str, Mapping[Status, int]] = field(default_factory=dict)
    already: int = 0
    left: int = 0
    unread: tuple[Unread, ...] = ()
    usd: float = 0.0
    calls: int = 0
    replayed: int = 0
    unpriced: tuple[str, ...] = ()
    unmetered: int = 0
    labels: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stopped: StopReason | None = None
    failures: Mapping[str, int] = field(default_factory=dict)

    @property
    def counts(self) -> Counter[Status]:
        """Verdicts that this run made, by status."""
        return sum(map(Counter, self.made.values()), Counter())

    @property
    def exit_status(self) -> Literal[0, 1, 3]:
        """0 all done; 1 nothing could be done; 3 done in part.

        A refusal, an answer that cannot be read and a transcript that is too long are results.

        Examples
        --------
        >>> from pathlib import Path
        >>> Outcome(Path("s.db"), 2, 2, made={"eae": {"scored": 1, "refused": 1}}).exit_status
        0
        >>> Outcome(Path("s.db"), 2, 2, made={"eae": {"scored": 1, "failed": 1}}).exit_status
        3
        >>> Outcome(Path("s.db"), 2, 2, made={"eae": {"failed": 2}}).exit_status
        1
        """
        failed = self.counts["failed"]
        if not (self.unread or failed or self.left):
            return 0
        return 3 if self.already + self.counts.total() > failed else 1
