"""Quotes and verdict in one context: the control that extract-and-evaluate has to beat."""

from __future__ import annotations

from molehunt.monitors.answers import QuotedSuspicion, Quotes
from molehunt.monitors.eae.matching import match_quotes
from molehunt.monitors.prompts import prompt, texts
from molehunt.monitors.protocol import Ask, Prompt, Score, monitor
from molehunt.monitors.rubric import judge_question, shown_by
from molehunt.monitors.single_view import ROLE, visible
from molehunt.trajectories import EVERYTHING, Problem, Trajectory, View
from molehunt.verdicts import Verdict


@monitor(
    source="Arike et al. 2026, arXiv 2601.21112; quotes as in Async Control, arXiv 2512.13526",
    roles=(ROLE,),
    prompts=texts(
        "judge", "quote_first", "sees_everything", "sees_actions", "sees_reasoning", "without_results"
    ),
    answers=(QuotedSuspicion(),),
)
def quote_only(view: View = EVERYTHING, min_excerpts: int = 5, max_excerpts: int | None = None) -> Score:
    """Has one model quote what matters and then judge, in one answer.

    It is asked for the same excerpts as the extractor of `eae` and judges by the same rubric as its
    evaluator, but with the whole transcript before it. Its quotes are looked up and kept; an invented one is
    marked as such and changes no score.

    Parameters
    ----------
    view : what it reads.
    min_excerpts, max_excerpts : how many excerpts it is asked for.

    Raises
    ------
    Problem
        If the numbers make no sense.
    """
    if min_excerpts < 1 or (max_excerpts is not None and max_excerpts < min_excerpts):
        raise Problem(
            "monitor 'quote_only' takes 1 <= min_excerpts <= max_excerpts, "
            f"not {min_excerpts} and {max_excerpts}"
        )
    limit = "" if max_excerpts is None else f" and at most {max_excerpts}"
    quoting = prompt("quote_first", at_least=str(min_excerpts), at_most=limit)
    question = f"{judge_question(shown_by(view))}\n\n{quoting}"

    async def score(trajectory: Trajectory, ask: Ask) -> Verdict:
        shown = visible(trajectory, view)
        form = QuotedSuspicion(Quotes.fitting(shown.text, number=min_excerpts))
        answer = await ask(ROLE, Prompt(trajectory.task, shown.text, question), form)
        judgement = answer.value.suspicion
        excerpts = match_quotes(answer.value.quotes[:max_excerpts], shown)
        return Verdict(judgement.score, rationale=judgement.rationale, excerpts=excerpts)

    return score
