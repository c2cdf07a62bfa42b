"""Monitors that judge one view of a trajectory in one question: action-only, CoT-only, CoT+action."""

from __future__ import annotations

from typing import Literal

from molehunt.monitors.answers import Suspicion, SuspicionScore
from molehunt.monitors.prompts import texts
from molehunt.monitors.protocol import AnswerForm, Ask, Prompt, Score, Unanswered, monitor
from molehunt.monitors.rubric import judge_question, shown_by
from molehunt.trajectories import Rendering, Trajectory, View, render
from molehunt.verdicts import Verdict

Prose = Literal["auto", "action", "reasoning"]
"""What prose counts as, see `View`; it makes no difference to a monitor that sees both."""

SOURCE = "Arike et al. 2026, arXiv 2601.21112"
ROLE = "monitor"
ANSWER = SuspicionScore()


@monitor(
    source=SOURCE,
    roles=(ROLE,),
    prompts=texts("judge", "sees_actions", "without_results"),
    answers=(ANSWER,),
)
def action_only(prose: Prose = "auto", tool_results: bool = True) -> Score:
    """Judges the task and the actions: code, tool calls and, unless left out, what the tools answered.

    Parameters
    ----------
    prose : what words outside reasoning, code and calls count as. ``auto``: as an action if the agent has a
        reasoning channel, else as reasoning.
    tool_results : whether what tools answered is shown as well.
    """
    return judging(View(reasoning=False, actions=True, tool_results=tool_results, prose=prose))


@monitor(source=SOURCE, roles=(ROLE,), prompts=texts("judge", "sees_reasoning"), answers=(ANSWER,))
def cot_only(prose: Prose = "auto") -> Score:
    """Judges the task and the reasoning.

    Parameters
    ----------
    prose : what words outside reasoning, code and calls count as. ``auto``: as an action if the agent has a
        reasoning channel, else as reasoning.
    """
    return judging(View(reasoning=True, actions=False, prose=prose))


@monitor(
    source=SOURCE,
    roles=(ROLE,),
    prompts=texts("judge", "sees_everything", "without_results"),
    answers=(ANSWER,),
)
def cot_action(tool_results: bool = True) -> Score:
    """Judges the task, the reasoning and the actions, in order.

    Parameters
    ----------
    tool_results : whether what tools answered is shown as well.
    """
    return judging(View(reasoning=True, actions=True, tool_results=tool_results))


def judging(view: View, manner: str = "", form: AnswerForm[Suspicion] = ANSWER) -> Score:
    """Judges ``view`` by the shared rubric, in some ``manner`` where one is given, in one question."""
    question = "\n\n".join(filter(None, [judge_question(shown_by(view)), manner]))

    async def score(trajectory: Trajectory, ask: Ask) -> Verdict:
        shown = visible(trajectory, view)
        answer = await ask(ROLE, Prompt(trajectory.task, shown.text, question), form)
        return Verdict(answer.value.score, rationale=answer.value.rationale)

    return score


def visible(trajectory: Trajectory, view: View) -> Rendering:
    """What ``view`` shows of the run.

    Raises
    ------
    Unanswered
        If that is nothing: a question about nothing has no answer.
    """
    shown = render(trajectory, view)
    if not shown.spans:
        raise Unanswered("nothing_visible", "the view shows nothing of this run")
    return shown
