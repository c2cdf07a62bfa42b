"""A question to a model: all that can change its answer, and the key under which that answer is kept."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from molehunt.monitors import AnswerForm, AnswerMode, Prompt
from molehunt.monitors.relay import Conversation
from molehunt.scoring.keys import RequestDigests
from molehunt.scoring.messages import Request, request_of
from molehunt.scoring.roles import Binding, check_settings

ALTERNATIVES = 20
"""Alternatives of each token to ask log-probabilities for: as many as providers give."""

SCORE_TOKENS = 32
"""Length of an answer that is read from log-probabilities: a word, or a JSON object of one value."""

_sorted_json = json.JSONEncoder(sort_keys=True, default=str).encode


@dataclass(frozen=True)
class Question:
    """A request to a model, with all that can change the answer.

    Parameters
    ----------
    role : what the model is asked to be.
    binding : the model.
    request : what it is sent.
    settings : of the generation.
    schema : name and JSON schema of the answer, where it has one.
    draw : which of the draws this is for.
    ordinal : which of equal questions within the draw's verdict.
    digests : those of the questions before it, so that what several begin with is digested once.
    """

    role: str
    binding: Binding
    request: Request | Conversation
    settings: Mapping[str, Any] = field(hash=False)
    schema: tuple[str, Mapping[str, Any]] | None = field(default=None, hash=False)
    draw: int = 0
    ordinal: int = 0
    digests: RequestDigests = field(default_factory=RequestDigests, repr=False, compare=False)

    @cached_property
    def key(self) -> str:
        """Digest of everything but the role: who asks does not change what is answered.

        What is digested is the JSON of a list: the request's canonical form, then what else there is.
        """
        rest = [self.binding.connection, dict(self.settings), self.schema, self.draw, self.ordinal]
        digest = self.digests.of(self.request)
        digest.update(f", {_sorted_json(rest)[1:]}".encode("ascii"))
        return digest.hexdigest()

    @property
    def characters(self) -> int:
        """Length of what is sent."""
        return sum(map(len, self.request.texts))


class Ordinals:
    """Numbers equal questions of a verdict: who asks twice wants two samples, not one answer twice."""

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()

    def numbered(self, question: Question) -> Question:
        """``question`` with the number of equal ones before it."""
        ordinal = self._asked[question.key]
        self._asked[question.key] += 1
        return replace(question, ordinal=ordinal) if ordinal else question


def question_of(
    role: str,
    binding: Binding,
    prompt: Prompt,
    answer: AnswerForm[Any],
    mode: AnswerMode,
    boundary_key: bytes,
    draw: int = 0,
    logprobs: bool = False,
    config: Mapping[str, Any] | None = None,
    digests: RequestDigests | None = None,
) -> Question:
    """The question that a monitor asks; see `molehunt.monitors.Ask` and `Question`.

    Raises
    ------
    Problem
        If the monitor asks for a setting that there is not.
    """
    check_settings(config or {}, f"role {role}")
    reads_logprobs, schema = answer.wants_logprobs(mode), answer.schema(mode)
    one_value = schema is None or len(schema["properties"]) == 1
    length = {"max_tokens": SCORE_TOKENS} if reads_logprobs and one_value else {}
    settings = binding.settings({**length, **(config or {})})
    if logprobs or reads_logprobs:
        settings |= {"logprobs": True, "top_logprobs": ALTERNATIVES}
    return Question(
        role=role,
        binding=binding,
        request=request_of(prompt, answer.instructions(mode), boundary_key),
        settings=settings,
        schema=None if schema is None else (answer.name, schema),
        draw=draw,
        digests=digests or RequestDigests(),
    )
