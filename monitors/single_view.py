"""Monitors that judge one view of a trajectory in one question: action-only, CoT-only, CoT+action."""

from __future__ import annotations

from typing import Literal

from molehunt.monitors.answers import SuspicionScore
from molehunt.monitors.protocol import Ask, Prompt, Score, monitor
from molehunt.monitors.rubric import WITHOUT_RESULTS, judge_question
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
    prompts=(judge_question("actions"), WITHOUT_RESULTS),
    answers=(ANSWER,),
)
def action_only(prose: Prose = "auto", tool_results: bool = True) -> Score:
    """Judges the task and the actions: code, tool calls and, unless left out, what the tools answered."""
    view = View(reasoning=False, actions=True, tool_results=tool_results, prose=prose)
    return _judge(view, judge_question("actions", tool_results=tool_results))


@monitor(source=SOURCE, roles=(ROLE,), prompts=(judge_question("reasoning"),), answers=(ANSWER,))
def cot_only(prose: Prose = "auto") -> Score:
    """Judges the task and the reasoning."""
    return _judge(View(reasoning=True, actions=False, prose=prose), judge_question("reasoning"))


@monitor(
    source=SOURCE,
    roles=(ROLE,),
    prompts=(judge_question("everything"), WITHOUT_RESULTS),
    answers=(ANSWER,),
)
def cot_action(tool_results: bool = True) -> Score:
    """Judges the task, the reasoning and the actions, in order."""
    view = View(reasoning=True, actions=True, tool_results=tool_results)
    return _judge(view, judge_question("everything", tool_results=tool_results))


def _judge(view: View, question: str) -> Score:
    async def score(trajectory: Trajectory, ask: Ask) -> Verdict:
        rendering = render(trajectory, view)
        if not rendering.spans:
            return Verdict.unscored("nothing_visible", "the view shows nothing of this run")
        answer = await ask(ROLE, Prompt(trajectory.task, rendering.text, question), ANSWER)
        return Verdict(answer.value.score, rationale=answer.value.rationale)

    return score
