"""What a question's key has of its request: the request's JSON, as a string within other JSON, digested."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import msgspec

from molehunt.monitors.digests import GrowingDigest
from molehunt.monitors.relay import Conversation
from molehunt.scoring.messages import Request

if TYPE_CHECKING:
    from hashlib import _Hash


class RequestDigests:
    """Digests of requests, with a list opened before them; what several requests begin with is read once.

    The looks of a step-wise monitor share most of their transcript, and monitors that see the same all of it.

    Examples
    --------
    >>> request = Request("The task, and ", "what was done.", " That is all.", "Is it sabotage?")
    >>> written = f"[{json.dumps(request.canonical)}"
    >>> RequestDigests().of(request).digest() == hashlib.sha256(written.encode()).digest()
    True
    """

    def __init__(self) -> None:
        # for each text that stands before materials
        self._materials: dict[str, GrowingDigest] = {}

    def of(self, request: Request | Conversation) -> _Hash:
        """The digest of ``request``, to be gone on with."""
        if isinstance(request, Conversation):
            return hashlib.sha256(b'["%b"' % escaped(request.canonical))
        if request.before not in self._materials:
            opening = b'["' + escaped(request.opening)
            self._materials[request.before] = GrowingDigest(opening, _escaped_twice)
        digest = self._materials[request.before].of(request.material)
        digest.update(escaped(request.closing) + b'"')
        return digest


def escaped(written: str) -> bytes:
    r"""What stands between the quotes if a text that `json.dumps` wrote is written as JSON once more.

    Such a text is ASCII without control characters, and of that msgspec makes the same in a fraction of the
    time.

    Examples
    --------
    >>> written = json.dumps(["a\n", '"', "é"])
    >>> escaped(written).decode() == json.dumps(written)[1:-1]
    True
    """
    return msgspec.json.encode(written)[1:-1]


def _escaped_twice(text: str) -> bytes:
    return escaped(json.dumps(text)[1:-1])
