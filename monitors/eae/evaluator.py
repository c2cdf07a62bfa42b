"""The second half of extract-and-evaluate: a judge in a fresh context, who sees the task and the excerpts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from molehunt.monitors.answers import Suspicion, SuspicionScore
from molehunt.monitors.material import section, together
from molehunt.monitors.prompts import prompt
from molehunt.monitors.protocol import Ask, Prompt
from molehunt.monitors.rubric import judge_question
from molehunt.trajectories import Trajectory
from molehunt.trajectories.views import title_of
from molehunt.verdicts import Excerpt

ROLE = "evaluator"
ANSWER = SuspicionScore()
NO_EXCERPTS = "(no excerpts)"

EXCERPTS_QUESTION = judge_question(prompt("sees_excerpts"))
NO_EXCERPTS_QUESTION = judge_question(prompt("sees_no_excerpts"))


@dataclass(frozen=True)
class Passage:
    """A piece of the trajectory as the evaluator is shown it, and the excerpts that it holds."""

    title: str
    text: str
    excerpts: tuple[Excerpt, ...]


def passages(
    excerpts: Iterable[Excerpt], trajectory: Trajectory, context_lines: int = 0
) -> tuple[Passage, ...]:
    """What is shown of the excerpts, one passage for each or, where their contexts overlap, for several."""
    groups: list[tuple[_Place | None, list[Excerpt]]] = []
    for excerpt in excerpts:
        place = _place_of(excerpt, trajectory, context_lines)
        before = groups[-1][0] if groups and context_lines else None
        if place and before and place.step == before.step and place.start <= before.end:
            joined = before._replace(end=place.end)
            groups[-1] = (joined, [*groups[-1][1], excerpt])
        else:
            groups.append((place, [excerpt]))
    return tuple(_passage(place, tuple(held), trajectory) for place, held in groups)


def set_out(excerpts: Iterable[Excerpt], trajectory: Trajectory, context_lines: int = 0) -> str:
    """The excerpts as the evaluator reads them: the trajectory's own words, without kind or place.

    Of a tool call these are its arguments, and ``13`` says little without ``delete_file``, so the tool is
    named beside them. With ``context_lines`` each excerpt is widened to whole lines and so many above and
    below it in its step, and those that then overlap are one.

    Examples
    --------
    >>> from molehunt.trajectories import Step
    >>> steps = (Step(0, "code", "return a + b"), Step(1, "tool_call", "13", tool="delete_file"))
    >>> excerpts = [Excerpt("a +  b", "normalised", 0, 7, 12), Excerpt("13", "exact", 1, 0, 2)]
    >>> print(set_out(excerpts, Trajectory("Add.", steps)))
    ▶ excerpt
    a + b
    <BLANKLINE>
    ▶ excerpt (call delete_file)
    13
    """
    shown = passages(excerpts, trajectory, context_lines)
    return together(section(passage.title, passage.text) for passage in shown)


class _Place(NamedTuple):
    step: int
    start: int
    end: int


def _place_of(excerpt: Excerpt, trajectory: Trajectory, context_lines: int) -> _Place | None:
    """The part of a step that is shown for ``excerpt``, None if it stands in none."""
    if excerpt.step is None or excerpt.start is None or excerpt.end is None:
        return None
    start, end = excerpt.start, excerpt.end
    if context_lines:
        start, end = _widened(trajectory.steps[excerpt.step].text, start, end, context_lines)
    return _Place(excerpt.step, start, end)


def _passage(place: _Place | None, excerpts: tuple[Excerpt, ...], trajectory: Trajectory) -> Passage:
    if place is None:
        return Passage("excerpt", excerpts[0].quote, excerpts)
    step = trajectory.steps[place.step]
    title = f"excerpt ({title_of(step)})" if step.kind == "tool_call" else "excerpt"
    return Passage(title, step.text[place.start : place.end], excerpts)


def _widened(text: str, start: int, end: int, lines: int) -> tuple[int, int]:
    """``start`` and ``end`` moved to whole lines, and on over so many more."""
    breaks = 0
    while start >= 0 and breaks <= lines:
        start, breaks = text.rfind("\n", 0, start), breaks + 1
    breaks = 0
    while end < len(text) and breaks <= lines:
        end, breaks = (text.find("\n", end) + 1 or len(text)), breaks + 1
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
