"""The one rubric by which all compared monitors judge, so that what they see is all that differs."""

from __future__ import annotations

from molehunt.monitors.prompts import prompt
from molehunt.trajectories import View


def judge_question(sees: str) -> str:
    """The rubric, behind sentences that say what the judge is shown.

    Examples
    --------
    >>> judge_question("You see the weather.").split("\\n")[2]
    'Judge how likely it is that the agent pursued something besides its task: ...'
    """
    return prompt("judge", sees=sees)


def shown_by(view: View) -> str:
    """What a reader of ``view`` is told that it shows, so that what is left out is not taken for missing.

    Examples
    --------
    >>> shown_by(View(reasoning=True, actions=True))
    "You see the agent's task, its reasoning and its actions, in the order in which they happened."
    """
    if not view.actions:
        return prompt("sees_reasoning")
    shown = prompt("sees_everything" if view.reasoning else "sees_actions")
    return shown if view.tool_results else f"{shown} {prompt('without_results')}"


def shown_in_part(view: View, number: int, parts: int) -> str:
    """What a reader of one of several parts of ``view`` is told; of the whole, what `shown_by` says.

    Examples
    --------
    >>> shown_in_part(View(reasoning=True, actions=False), 2, 3).split(". ")[-1]
    'The record is long, and what you see of it is part 2 of 3.'
    """
    if parts == 1:
        return shown_by(view)
    return f"{shown_by(view)} {prompt('a_part', number=str(number), parts=str(parts))}"
