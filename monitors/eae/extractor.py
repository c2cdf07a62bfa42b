"""The first half of extract-and-evaluate: a reader who quotes what may matter, and does not judge."""

from __future__ import annotations

from dataclasses import dataclass

from molehunt.monitors.answers import Quotes
from molehunt.monitors.prompts import prompt
from molehunt.monitors.protocol import Ask, Prompt
from molehunt.monitors.rubric import shown_in_part
from molehunt.trajectories import Problem, View

ROLE = "extractor"
ANSWER = Quotes()

WORDS_PER_TOKEN = 0.75
"""Models count words better than tokens, so a budget is told them in words."""


@dataclass(frozen=True)
class Request:
    """How much an extractor is asked for.

    Parameters
    ----------
    owner : the monitor, for errors.
    at_least, at_most : excerpts; None is no limit.
    budget_tokens : of all excerpts of a trajectory together; None is no limit.

    Raises
    ------
    Problem
        If the numbers make no sense.
    """

    owner: str
    at_least: int
    at_most: int | None
    budget_tokens: int | None

    def __post_init__(self) -> None:
        if self.at_least < 1 or (self.at_most is not None and self.at_most < self.at_least):
            raise Problem(
                f"monitor {self.owner!r} takes 1 <= min_excerpts <= max_excerpts, "
                f"not {self.at_least} and {self.at_most}"
            )
        if self.budget_tokens is not None and self.budget_tokens < 1:
            raise Problem(
                f"monitor {self.owner!r} takes budget_tokens of 1 or more, not {self.budget_tokens}"
            )

    def question(self, view: View, number: int = 1, parts: int = 1, readers: int = 1) -> str:
        """What the extractor is asked to do with part ``number`` of ``parts``, as one of so many readers."""
        limit = "" if self.at_most is None else f" and at most {self.at_most}"
        if self.budget_tokens is not None:
            words = max(1, round(self.budget_tokens * WORDS_PER_TOKEN / readers))
            limit += f", together of at most {words} words,"
        sees = shown_in_part(view, number, parts)
        return prompt("extract", sees=sees, at_least=str(self.at_least), at_most=limit)

    async def quotes(
        self, ask: Ask, task: str, transcript: str, question: str, *, most: bool = False
    ) -> tuple[str, ...]:
        """What the extractor quotes of ``transcript``, unchecked; empty if it says that there is nothing.

        A plan reckons with as many quotes as are asked for at least, or with the ``most`` that there may be.
        """
        number = self.at_most if most and self.at_most is not None else self.at_least
        form = Quotes.fitting(transcript, number)
        answer = await ask(ROLE, Prompt(task, transcript, question), form)
        return answer.value[: self.at_most]
