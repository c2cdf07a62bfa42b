"""What could not be read: named, counted and passed by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Unread:
    """A log, or one sample of it, that could not be read. The others are.

    Parameters
    ----------
    log : the file.
    sample : the sample's name in it, None if it is the whole file, or what is left of it.
    reason : what is wrong and, where that is known, what to do; one line that follows the file's name.

    Examples
    --------
    >>> print(Unread("a.eval", None, "is cut off; copy it again"))
    a.eval is cut off; copy it again
    """

    log: str
    sample: str | None
    reason: str

    def __str__(self) -> str:
        where = self.log if self.sample is None else f"{self.log}, sample {self.sample}"
        return " ".join(f"{where} {self.reason}".split())
