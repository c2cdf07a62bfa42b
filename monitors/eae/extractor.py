"""The first half of extract-and-evaluate: a reader who quotes what may matter, and does not judge."""

from __future__ import annotations

from molehunt.monitors.answers import Quotes
from molehunt.monitors.prompts import prompt
from molehunt.monitors.protocol import Ask, Prompt
from molehunt.monitors.rubric import shown_by
from molehunt.trajectories import View

ROLE = "extractor"
ANSWER = Quotes()


def extract_question(view: View, at_least: int, at_most: int | None) -> str:
    """What the extractor is asked to do."""
    limit = "" if at_most is None else f" and at most {at_most}"
    return prompt("extract", sees=shown_by(view), at_least=str(at_least), at_most=limit)


async def extract(ask: Ask, task: str, transcript: str, question: str) -> tuple[str, ...]:
    """What the extractor quotes of ``transcript``, unchecked; empty if it says that there is nothing."""
    answer = await ask(ROLE, Prompt(task, transcript, question), Quotes.fitting(transcript))
    return answer.value
