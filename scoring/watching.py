"""What a run of scoring tells whoever watches it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tally:
    """How far a run is.

    Parameters
    ----------
    done, total : verdicts.
    unscored : verdicts among those done that hold no score.
    usd : dollars billed so far; None if the price of a model that was asked is not known.
    seconds : since scoring began.
    """

    done: int
    total: int
    unscored: int
    usd: float | None
    seconds: float

    @property
    def seconds_left(self) -> float | None:
        """Time that the rest takes if it goes on like this, None before there is anything to go by.

        Examples
        --------
        >>> Tally(done=10, total=40, unscored=0, usd=0.2, seconds=5.0).seconds_left
        15.0
        """
        return self.seconds / self.done * (self.total - self.done) if self.done else None


class Watcher:
    """Watches a run and says nothing; others override what they want to show."""

    def reading(self, runs: int) -> None:
        """So many runs have been read."""

    def scoring(self, tally: Tally) -> None:
        """A verdict is stored; also called once before the first."""

    def say(self, line: str) -> None:
        """Something that people should know."""

    def close(self) -> None:
        """The run is over."""
