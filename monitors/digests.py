"""Digests of texts of which one begins as the other did: what they share is read once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import _Hash


def in_utf8(text: str) -> bytes:
    """Bytes of any text, lone surrogates too."""
    return text.encode(errors="surrogatepass")


class GrowingDigest:
    """SHA-256 of texts such as a run's transcript after five steps, after ten, and so on.

    To digest each of them from its first character would take time that grows with the square of the number
    of steps.

    Parameters
    ----------
    opening : bytes before every text.
    written : makes bytes of a stretch of text; those of stretches, end to end, are those of the whole.

    Examples
    --------
    >>> growing, texts = GrowingDigest(b"> "), ["a" * 1000, "a" * 1000 + "b" * 1000, "c"]
    >>> all(growing.of(text).digest() == hashlib.sha256(b"> " + text.encode()).digest() for text in texts)
    True
    """

    def __init__(self, opening: bytes = b"", written: Callable[[str], bytes] = in_utf8) -> None:
        self._opening = hashlib.sha256(opening)
        self._written = written
        # the longest text so far, as it was given and not a copy of it, and its digest
        self._longest, self._digest = "", self._opening

    def of(self, text: str) -> _Hash:
        """The digest of ``text``, to be gone on with."""
        goes_on = text.startswith(self._longest)
        begun = len(self._longest) if goes_on else 0
        digest = (self._digest if goes_on else self._opening).copy()
        digest.update(self._written(text[begun:]))
        # what is short and begins otherwise, such as excerpts, comes between long ones that grow
        if len(text) > len(self._longest):
            self._longest, self._digest = text, digest.copy()
        return digest
