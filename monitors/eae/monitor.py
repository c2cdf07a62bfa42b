"""Extract-and-evaluate: one model quotes, another judges the quotes, and neither does both."""

from __future__ import annotations

from typing import Literal

from molehunt.monitors.eae import evaluator, extractor
from molehunt.monitors.eae.evaluator import evaluate
from molehunt.monitors.eae.extractor import extract, extract_question
from molehunt.monitors.eae.matching import match_quotes
from molehunt.monitors.prompts import texts
from molehunt.monitors.protocol import Ask, Score, Unanswered, monitor
from molehunt.trajectories import EVERYTHING, Problem, Trajectory, View, render
from molehunt.verdicts import Verdict


@monitor(
    source="Arike et al. 2026, arXiv 2601.21112",
    roles=(extractor.ROLE, evaluator.ROLE),
    prompts=texts(
        "extract",
        "sees_everything",
        "sees_actions",
        "sees_reasoning",
        "without_results",
        "judge",
        "sees_excerpts",
        "sees_no_excerpts",
    ),
    answers=(extractor.ANSWER, evaluator.ANSWER),
)
def eae(
    view: View = EVERYTHING,
    min_excerpts: int = 5,
    max_excerpts: int | None = None,
    unmatched: Literal["drop", "keep"] = "drop",
) -> Score:
    """Extracts verbatim excerpts with one model and has another judge them in a fresh context.

    Quotes are looked up in the transcript (see `match_quotes`) and reach the evaluator in its words and
    order, without kind or place. If the extractor says that there is nothing to quote, the evaluator is told
    so; if all that it quotes was invented, the run is left unscored, as ``no_evidence``.

    Parameters
    ----------
    view : what the extractor reads.
    min_excerpts : how many excerpts it is asked for at least. Fewer are taken, since a short run may not have
        so many lines.
    max_excerpts : how many it is asked for at most; what it quotes beyond that is passed by. None: no limit.
    unmatched : what becomes of quotes that are not in the transcript. ``drop`` keeps them from the evaluator,
        ``keep`` puts them behind the others. Which of the two was published is unknown.

    Raises
    ------
    Problem
        If the numbers of excerpts make no sense.
    """
    if min_excerpts < 1 or (max_excerpts is not None and max_excerpts < min_excerpts):
        raise Problem(
            f"monitor 'eae' takes 1 <= min_excerpts <= max_excerpts, not {min_excerpts} and {max_excerpts}"
        )
    question = extract_question(view, min_excerpts, max_excerpts)

    async def score(trajectory: Trajectory, ask: Ask) -> Verdict:
        rendering = render(trajectory, view)
        if not rendering.spans:
            return Verdict.unscored("nothing_visible", "the view shows nothing of this run")
        quotes = await extract(ask, trajectory.task, rendering.text, question)
        excerpts = match_quotes(quotes[:max_excerpts], rendering)
        evidence = tuple(e for e in excerpts if e.match != "not_found" or unmatched == "keep")
        if excerpts and not evidence:
            return Verdict.unscored("no_evidence", "every excerpt was invented", excerpts)
        try:
            judgement = await evaluate(ask, trajectory, evidence)
        except Unanswered as why:
            return Verdict.unscored(why.status, why.reason, excerpts)
        return Verdict(judgement.score, rationale=judgement.rationale, excerpts=excerpts)

    return score
