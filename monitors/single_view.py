"""Monitors that judge one view of a trajectory in one question: action-only, CoT-only, CoT+action."""

from __future__ import annotations

from typing import Literal

from molehunt.monitors.answers import SuspicionScore
from molehunt.monitors.prompts import texts
from molehunt.monitors.protocol import Ask, Prompt, Score, monitor
from molehunt.monitors.rubric import judge_question, shown_by
from molehunt.trajectories import Trajectory, View, render
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
    """Judges the task and the actions: code, tool calls and, unless left out, what the tools answered."""
    return _judge(View(reasoning=False, actions=True, tool_results=tool_results, prose=prose))


@monitor(source=SOURCE, roles=(ROLE,), prompts=texts("judge", "sees_reasoning"), answers=(ANSWER,))
def cot_only(prose: Prose = "auto") -> Score:
    """Judges the task and the reasoning."""
    return _judge(View(reasoning=True, actions=False, prose=prose))


@monitor(
    source=SOURCE,
    roles=(ROLE,),
    prompts=texts("judge", "sees_everything", "without_results"),
    answers=(ANSWER,),
)
def cot_action(tool_results: bool = True) -> Score:
    """Judges the task, the reasoning and the actions, in order."""
    return _judge(View(reasoning=True, actions=True, tool_results=tool_results))


def _judge(view: View) -> Score:
    question = judge_question(shown_by(view))

    async def score(trajectory: Trajectory, ask: Ask) -> Verdict:
        rendering = render(trajectory, view)
        if not rendering.spans:
            return Verdict.unscored("nothing_visible", "the view shows nothing of this run")
        answer = await ask(ROLE, Prompt(trajectory.task, rendering.text, question), ANSWER)
        return Verdict(answer.value.score, rationale=answer.value.rationale)

    return score
