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
    ending : characters at the end of a text that the next one need not have, such as what closes it.

    Examples
    --------
    >>> growing, texts = GrowingDigest(b"> "), ["a" * 1000, "a" * 1000 + "b" * 1000, "c"]
    >>> all(growing.of(text).digest() == hashlib.sha256(b"> " + text.encode()).digest() for text in texts)
    True
    """

    def __init__(
        self, opening: bytes = b"", written: Callable[[str], bytes] = in_utf8, ending: int = 0
    ) -> None:
        self._opening = hashlib.sha256(opening)
        self._written = written
        self._ending = ending
        # the beginning that has been digested, and its digest
        self._beginning, self._digest = "", self._opening

    def of(self, text: str) -> _Hash:
        """The digest of ``text``, to be gone on with."""
        goes_on = text.startswith(self._beginning)
        begun = len(self._beginning) if goes_on else 0
        digest = (self._digest if goes_on else self._opening).copy()
        # what is short and begins otherwise, such as excerpts, comes between long ones that grow
        kept = max(begun, len(text) - self._ending)
        if kept > len(self._beginning):
            digest.update(self._written(text[begun:kept]))
            self._beginning, self._digest = text[:kept], digest.copy()
            begun = kept
        digest.update(self._written(text[begun:]))
        return digest
