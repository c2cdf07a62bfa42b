"""A provider's prompt cache by its documented rules, simulated, so that orders of asking can be compared.

What a provider caches is the beginning of a prompt, in whole tokens, if it is long enough, until it has not
been asked for some minutes. Here four characters are a token, and time is what the simulation says it is.
"""

from __future__ import annotations

import datetime
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from molehunt.verdicts import Tokens

CHARACTERS_PER_TOKEN = 4
MINUTE = 60.0


@dataclass(frozen=True)
class Rules:
    """What a provider says about its cache.

    Parameters
    ----------
    model : whose prices hold, as the price table names it.
    minimum : tokens that a beginning must have to be kept.
    step : beginnings are kept at every so many tokens from there on; 0 if only where the request marks them.
    lifetime : seconds after its last use for which a beginning is kept.
    read, source : the day on which this was read, and where.
    """

    model: str
    minimum: int
    step: int
    lifetime: float
    read: datetime.date
    source: str

    @property
    def marked(self) -> bool:
        """Whether a request has to mark what is to be kept, and writing it has a price of its own."""
        return not self.step


_READ = datetime.date(2026, 12, 1)
_OPENAI = "https://developers.openai.com/docs/guides/prompt-caching"
_ANTHROPIC = "https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching"
# as a gateway's documentation quotes Anthropic's, with the models that have come since
_MINIMUMS = "https://docs.orq.ai/docs/proxy/prompt-caching"

# OpenAI: kept for five to ten minutes without use; the five are counted on
RULES = (
    Rules("openai/gpt-4.1", 1024, 128, 5 * MINUTE, _READ, _OPENAI),
    Rules("openai/gpt-5", 1024, 128, 5 * MINUTE, _READ, _OPENAI),
    Rules("anthropic/claude-sonnet-4-5", 1024, 0, 5 * MINUTE, _READ, _ANTHROPIC),
    Rules("anthropic/claude-sonnet-4-6", 2048, 0, 5 * MINUTE, _READ, _MINIMUMS),
    Rules("anthropic/claude-opus-4-6", 4096, 0, 5 * MINUTE, _READ, _MINIMUMS),
)


class PromptCache:
    """The cache of one model.

    Parameters
    ----------
    rules : of its provider.

    Examples
    --------
    >>> cache = PromptCache(replace(RULES[0], minimum=2, step=2))
    >>> cache.ask([("a shared beginning", True), ("one question", False)], now=0)
    Tokens(input=7, cache_read=0, cache_write=0, output=0, reasoning=0)
    >>> cache.ask([("a shared beginning", True), ("another one", False)], now=1).cache_read
    4
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._used: dict[bytes, float] = {}

    def ask(self, parts: Sequence[tuple[str, bool]], now: float) -> Tokens:
        """How the tokens of a request are billed.

        Parameters
        ----------
        parts : texts in the order in which they are sent, and whether the request marks the end of each.
        now : seconds of the simulation at which it is sent.
        """
        whole = "".join(text for text, _ in parts)
        total = math.floor(len(whole) / CHARACTERS_PER_TOKEN)
        kept = _digests(whole, self._ends(parts, total))
        alive = [length for length, digest in kept.items() if self._is_alive(digest, now)]
        read, last = max(alive, default=0), max(kept, default=0)
        self._used.update(dict.fromkeys(kept.values(), now))
        written = last - read if self.rules.marked else 0
        return Tokens(input=total - read - written, cache_read=read, cache_write=written)

    def _ends(self, parts: Sequence[tuple[str, bool]], total: int) -> list[int]:
        """Where beginnings end that are kept, in tokens."""
        if not self.rules.marked:
            return list(range(self.rules.minimum, total + 1, self.rules.step))
        ends, length = [], 0
        for text, mark in parts:
            length += len(text)
            if mark and length // CHARACTERS_PER_TOKEN >= self.rules.minimum:
                ends.append(length // CHARACTERS_PER_TOKEN)
        return ends

    def _is_alive(self, digest: bytes, now: float) -> bool:
        used = self._used.get(digest)
        return used is not None and now - used <= self.rules.lifetime


def _digests(text: str, lengths: Sequence[int]) -> dict[int, bytes]:
    """The digest of each beginning of ``text``, their lengths in tokens and ascending."""
    digests, start = {}, 0
    beginning = hashlib.blake2b(digest_size=16)
    for length in lengths:
        end = length * CHARACTERS_PER_TOKEN
        beginning.update(text[start:end].encode())
        digests[length], start = beginning.copy().digest(), end
    return digests


def billed(
    requests: Sequence[Sequence[tuple[str, bool]]], rules: Rules, seconds: float
) -> tuple[list[Tokens], list[Tokens]]:
    """How requests are billed in their order, and how they would be if nothing were forgotten.

    Parameters
    ----------
    requests : the parts of each, see `PromptCache.ask`.
    rules : of the provider.
    seconds : from one request to the next.
    """
    cache, unforgetful = PromptCache(rules), PromptCache(replace(rules, lifetime=math.inf))
    times = [number * seconds for number in range(len(requests))]
    return (
        [cache.ask(parts, now) for parts, now in zip(requests, times, strict=True)],
        [unforgetful.ask(parts, now) for parts, now in zip(requests, times, strict=True)],
    )
