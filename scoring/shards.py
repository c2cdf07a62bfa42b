"""Shards: the runs of one job in n parts, the same parts wherever and whenever they are made."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from molehunt.trajectories import Problem, Run
from molehunt.trajectories.unread import Unread


def share_of(digest: str, shares: int) -> int:
    """To which of so many shares something belongs, from 0, by its hexadecimal digest.

    Examples
    --------
    >>> share_of("ff00ff00ff00ff00", 4)
    0
    """
    # sixteen digits of a digest are as evenly spread as all of it
    return int(digest[:16], 16) % shares


@dataclass(frozen=True)
class Shard:
    """One of ``of`` parts of a job, counted from 1.

    A run belongs to the shard that its trajectory's id says, so that equal trajectories, in whatever files
    they stand, are judged in one shard only.

    Examples
    --------
    >>> Shard.parse("2/4")
    Shard(number=2, of=4)
    """

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard that ``i/n`` names.

        Raises
        ------
        Problem
            If there is no such shard.
        """
        match = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text.strip())
        number, of = map(int, match.groups()) if match else (0, 0)
        if not 1 <= number <= of:
            raise Problem(f"there is no shard {text!r}. Write i/n with i from 1 to n, such as 1/4.")
        return cls(number, of)

    def holds(self, one: Run | Unread) -> bool:
        """Whether ``one`` is of this shard; what cannot be read is told by one shard only, too."""
        if isinstance(one, Run):
            digest = one.trajectory.id
        else:
            # the folder may be another on another machine
            digest = hashlib.sha256(f"{Path(one.log).name}/{one.sample}".encode(errors="replace")).hexdigest()
        return share_of(digest, self.of) == self.number - 1

    def of_all(self, runs: Iterator[Run | Unread]) -> Iterator[Run | Unread]:
        """Those of ``runs`` that are of this shard."""
        return (one for one in runs if self.holds(one))
