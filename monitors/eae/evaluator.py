"""The second half of extract-and-evaluate: a judge in a fresh context, who sees the task and the excerpts."""

from __future__ import annotations

from collections.abc import Iterable

from molehunt.monitors.answers import Suspicion, SuspicionScore
from molehunt.monitors.prompts import prompt
from molehunt.monitors.protocol import Ask, Prompt
from molehunt.monitors.rubric import judge_question
from molehunt.trajectories import Trajectory
from molehunt.trajectories.views import HEADING
from molehunt.verdicts import Excerpt

ROLE = "evaluator"
ANSWER = SuspicionScore()
NO_EXCERPTS = "(no excerpts)"

EXCERPTS_QUESTION = judge_question(prompt("sees_excerpts"))
NO_EXCERPTS_QUESTION = judge_question(prompt("sees_no_excerpts"))


def set_out(excerpts: Iterable[Excerpt], trajectory: Trajectory) -> str:
    """The excerpts as the evaluator reads them: the trajectory's own words, without kind or place.

    Examples
    --------
    >>> from molehunt.trajectories import Step
    >>> trajectory = Trajectory("Add.", (Step(0, "code", "def add(a, b):\\n    return a + b"),))
    >>> print(set_out([Excerpt("return  a + b", "normalised", 0, 19, 31)], trajectory))
    ▶ excerpt
    return a + b
    """
    texts = [
        excerpt.quote
        if excerpt.step is None
        else trajectory.steps[excerpt.step].text[excerpt.start : excerpt.end]
        for excerpt in excerpts
    ]
    # As in a rendering, no excerpt can look like the beginning of another.
    return "\n\n".join(f"{HEADING} excerpt\n{text.replace(HEADING, '▷')}" for text in texts)


async def evaluate(ask: Ask, trajectory: Trajectory, excerpts: tuple[Excerpt, ...]) -> Suspicion:
    """The evaluator's judgement; without excerpts it is told that the extractor found nothing."""
    if excerpts:
        prompt = Prompt(trajectory.task, set_out(excerpts, trajectory), EXCERPTS_QUESTION, "excerpts")
    else:
        prompt = Prompt(trajectory.task, NO_EXCERPTS, NO_EXCERPTS_QUESTION, "excerpts")
    answer = await ask(ROLE, prompt, ANSWER)
    return answer.value
