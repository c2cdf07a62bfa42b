"""The second half of extract-and-evaluate: a judge in a fresh context, who sees the task and the excerpts."""

from __future__ import annotations

from collections.abc import Iterable

from molehunt.monitors.answers import Suspicion, SuspicionScore
from molehunt.monitors.material import section, together
from molehunt.monitors.prompts import prompt
from molehunt.monitors.protocol import Ask, Prompt
from molehunt.monitors.rubric import judge_question
from molehunt.trajectories import Trajectory
from molehunt.verdicts import Excerpt

ROLE = "evaluator"
ANSWER = SuspicionScore()
NO_EXCERPTS = "(no excerpts)"

EXCERPTS_QUESTION = judge_question(prompt("sees_excerpts"))
NO_EXCERPTS_QUESTION = judge_question(prompt("sees_no_excerpts"))


def set_out(excerpts: Iterable[Excerpt], trajectory: Trajectory, context_lines: int = 0) -> str:
    """The excerpts as the evaluator reads them: the trajectory's own words, without kind or place.

    With ``context_lines`` each is widened to whole lines and so many above and below it in its step, and
    those that then overlap are one.

    Examples
    --------
    >>> from molehunt.trajectories import Step
    >>> trajectory = Trajectory("Add.", (Step(0, "code", "def add(a, b):\\n    return a + b"),))
    >>> print(set_out([Excerpt("return  a + b", "normalised", 0, 19, 31)], trajectory))
    ▶ excerpt
    return a + b
    """
    texts: list[str] = []
    last: tuple[int, int, int] | None = None
    for excerpt in excerpts:
        if excerpt.step is None or excerpt.start is None or excerpt.end is None:
            texts.append(excerpt.quote)
            continue
        text = trajectory.steps[excerpt.step].text
        start, end = excerpt.start, excerpt.end
        if context_lines:
            start, end = _widened(text, start, end, context_lines)
            if last is not None and last[0] == excerpt.step and start <= last[2]:
                start, end = last[1], max(last[2], end)
                texts.pop()
        last = (excerpt.step, start, end)
        texts.append(text[start:end])
    return together(section("excerpt", text) for text in texts)


def _widened(text: str, start: int, end: int, lines: int) -> tuple[int, int]:
    """``start`` and ``end`` moved to whole lines, and on over so many more."""
    for _ in range(lines + 1):
        start = text.rfind("\n", 0, max(start, 0))
    for _ in range(lines + 1):
        line_end = text.find("\n", end)
        end = len(text) if line_end < 0 else line_end + 1
    return start + 1, end if text[end - 1 : end] != "\n" else end - 1


async def evaluate(
    ask: Ask,
    trajectory: Trajectory,
    excerpts: tuple[Excerpt, ...],
    context_lines: int = 0,
    apart: bool = False,
) -> Suspicion:
    """The evaluator's judgement; without excerpts it is told that the extractor found nothing."""
    if excerpts:
        material, question = set_out(excerpts, trajectory, context_lines), EXCERPTS_QUESTION
    else:
        material, question = NO_EXCERPTS, NO_EXCERPTS_QUESTION
    answer = await ask(ROLE, Prompt(trajectory.task, material, question, "excerpts"), ANSWER, apart=apart)
    return answer.value
