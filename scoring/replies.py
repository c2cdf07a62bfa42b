"""A model's reply: the part of Inspect's output that is kept, and its form in the store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from molehunt.trajectories import encodable
from molehunt.verdicts import Tokens

if TYPE_CHECKING:
    from inspect_ai.model import Logprob, ModelOutput, ModelUsage


@dataclass(frozen=True)
class Reply:
    """What a model answered.

    Parameters
    ----------
    text : the visible answer, without reasoning.
    stop : why it stopped, in Inspect's words (``stop``, ``max_tokens``, ``content_filter``, …).
    refused : whether the provider says that this is a refusal.
    logprobs : for each output token the log-probabilities of its alternatives; None if there are none.
    output : all that Inspect has of the answer, as JSON, for conversations that are passed on; else None.

    Examples
    --------
    >>> reply = Reply("Score: 7", "stop", logprobs=({"7": -0.1, "8": -2.5},))
    >>> Reply.from_json(reply.to_json()) == reply
    True
    """

    text: str
    stop: str
    refused: bool = False
    logprobs: tuple[Mapping[str, float], ...] | None = None
    output: str | None = None

    def to_json(self) -> str:
        """Compact JSON for the store."""
        tokens = None if self.logprobs is None else [dict(token) for token in self.logprobs]
        whole = [] if self.output is None else [self.output]
        return json.dumps([self.text, self.stop, self.refused, tokens, *whole], separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Reply:
        """The reply that `to_json` wrote."""
        answer, stop, refused, tokens, *whole = json.loads(text)
        return cls(answer, stop, refused, None if tokens is None else tuple(tokens), *whole)

    @classmethod
    def from_output(cls, output: ModelOutput, *, whole: bool = False) -> Reply:
        """What matters of Inspect's output, or ``whole``; one without a choice is an empty answer."""
        everything = output.model_dump_json(exclude_none=True) if whole else None
        if output.empty:
            return cls("", "unknown", output=everything)
        [choice, *_] = output.choices
        content = choice.message.content
        marked = not isinstance(content, str) and any(getattr(part, "refusal", None) for part in content)
        return cls(
            text=encodable(output.completion),
            stop=choice.stop_reason,
            refused=marked or choice.stop_reason == "content_filter",
            logprobs=tuple(map(_alternatives, choice.logprobs.content)) if choice.logprobs else None,
            output=everything,
        )


MOST_TOKENS = 10**9
"""No call has so many; a provider that says so, or less than none, has counted nothing that can be priced."""

TURNED_AWAY = frozenset({"model_length", "content_filter"})
"""Ways to stop that Inspect makes of a provider's error; such a request is not worked on, nor billed."""


def tokens_of(output: ModelOutput, model: str) -> Tokens | None:
    """The tokens of a call as the provider counted them; None where it did not."""
    usage = output.usage
    if usage is None or not _plausible(usage):
        return Tokens() if not output.empty and output.stop_reason in TURNED_AWAY else None
    reasoning = usage.reasoning_tokens or 0
    # xAI alone counts reasoning beside the output instead of within it
    beside = reasoning if model.startswith("grok/") else 0
    return Tokens(
        input=usage.input_tokens,
        cache_read=usage.input_tokens_cache_read or 0,
        cache_write=usage.input_tokens_cache_write or 0,
        output=usage.output_tokens + beside,
        reasoning=reasoning,
    )


def _plausible(usage: ModelUsage) -> bool:
    counts = (
        usage.input_tokens,
        usage.output_tokens,
        usage.input_tokens_cache_read or 0,
        usage.input_tokens_cache_write or 0,
        usage.reasoning_tokens or 0,
    )
    return all(0 <= count < MOST_TOKENS for count in counts)


def _alternatives(token: Logprob) -> dict[str, float]:
    """Log-probabilities of a token and its alternatives, likeliest first.

    Tokens that differ only in bytes share a text; the likelier one stands for both.
    """
    others = [(other.token, other.logprob) for other in token.top_logprobs or []]
    ranked = sorted([(token.token, token.logprob), *others], key=lambda pair: -pair[1])
    alternatives: dict[str, float] = {}
    for text, logprob in ranked:
        # four decimals are finer than what a provider repeats, and halve what is stored
        alternatives.setdefault(text, round(logprob, 4))
    return alternatives
