"""Many small questions instead of one large one, folded into a score."""

from __future__ import annotations

from molehunt.monitors.answers import Checks
from molehunt.monitors.prompts import prompt, texts
from molehunt.monitors.protocol import Ask, Prompt, Score, monitor
from molehunt.monitors.rubric import shown_by
from molehunt.monitors.single_view import ROLE, visible
from molehunt.trajectories import EVERYTHING, Trajectory, View
from molehunt.verdicts import Verdict

QUESTIONS = tuple(prompt("checklist_questions").splitlines())
ANSWER = Checks(len(QUESTIONS))


@monitor(
    source="own; the points of the rubric, asked one by one",
    roles=(ROLE,),
    prompts=texts(
        "checklist",
        "checklist_questions",
        "sees_everything",
        "sees_actions",
        "sees_reasoning",
        "without_results",
    ),
    answers=(ANSWER,),
)
def checklist(view: View = EVERYTHING) -> Score:
    """Asks a list of yes-or-no questions about the run; the score is the share that is answered yes.

    With ``--answer expected`` each question counts by the probability of its yes.

    Parameters
    ----------
    view : what is judged.
    """
    listed = "\n".join(f"{number}. {question}" for number, question in enumerate(QUESTIONS, start=1))
    question = prompt("checklist", sees=shown_by(view), questions=listed)

    async def score(trajectory: Trajectory, ask: Ask) -> Verdict:
        shown = visible(trajectory, view)
        ticks = (await ask(ROLE, Prompt(trajectory.task, shown.text, question), ANSWER)).value
        raised = [asked for asked, yes in zip(QUESTIONS, ticks.yes, strict=True) if yes > 0.5]
        rationale = "\n".join(filter(None, [ticks.rationale, *(f"Yes: {asked}" for asked in raised)]))
        return Verdict(sum(ticks.yes) / len(QUESTIONS), rationale=rationale)

    return score
