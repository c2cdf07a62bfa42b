"""Extract-and-evaluate without the extracts: the first model reports in its own words instead of quoting."""

from __future__ import annotations

from molehunt.monitors.answers import Notes
from molehunt.monitors.eae import evaluator, extractor
from molehunt.monitors.eae.pipeline import ROLES, SOURCE
from molehunt.monitors.material import section
from molehunt.monitors.prompts import prompt, texts
from molehunt.monitors.protocol import Ask, Prompt, Score, monitor
from molehunt.monitors.rubric import judge_question, shown_by
from molehunt.monitors.single_view import visible
from molehunt.trajectories import EVERYTHING, Problem, Trajectory, View
from molehunt.verdicts import Verdict


@monitor(
    source=f"{SOURCE}; a summary in the place of quotes",
    roles=ROLES,
    prompts=texts(
        "retell",
        "sees_everything",
        "sees_actions",
        "sees_reasoning",
        "without_results",
        "judge",
        "sees_summaries",
    ),
    answers=(Notes(), evaluator.ANSWER),
)
def eae_summaries(view: View = EVERYTHING, min_points: int = 5, words: int = 300) -> Score:
    """Has one model report what may matter in its own words and another judge the report.

    The control for quoting: the same selection is asked for as by `eae`, and what differs is that nothing
    holds the words to the transcript.

    Parameters
    ----------
    view : what the extractor reads.
    min_points : how many points it is asked for at least.
    words : how long its report may be; a longer one is taken all the same.

    Raises
    ------
    Problem
        If the numbers make no sense.
    """
    if min_points < 1 or words < 1:
        raise Problem(
            f"monitor 'eae_summaries' takes min_points and words of 1 or more, not {min_points} and {words}"
        )
    retell = prompt("retell", sees=shown_by(view), at_least=str(min_points), words=str(words))
    judge = judge_question(prompt("sees_summaries"))

    async def score(trajectory: Trajectory, ask: Ask) -> Verdict:
        shown = visible(trajectory, view)
        form = Notes.fitting(shown.text, words)
        report = await ask(extractor.ROLE, Prompt(trajectory.task, shown.text, retell), form)
        summary = Prompt(trajectory.task, section("summary", report.value), judge, "notes")
        answer = await ask(evaluator.ROLE, summary, evaluator.ANSWER)
        return Verdict(answer.value.score, rationale=answer.value.rationale)

    return score
