"""Extract-and-evaluate: one model quotes, another judges the quotes, and neither does both."""

from __future__ import annotations

from molehunt.monitors.eae.extractor import Request
from molehunt.monitors.eae.pipeline import ANSWERS, PROMPTS, ROLES, SOURCE, Pipeline, Reading, Unmatched
from molehunt.monitors.protocol import Ask, Score, monitor
from molehunt.trajectories import EVERYTHING, Trajectory, View, render
from molehunt.verdicts import Verdict


@monitor(
    source=SOURCE,
    roles=ROLES,
    prompts=PROMPTS,
    answers=ANSWERS,
    version=2,
)
def eae(
    view: View = EVERYTHING,
    min_excerpts: int = 5,
    max_excerpts: int | None = None,
    unmatched: Unmatched = "drop",
    context_lines: int = 0,
    budget_tokens: int | None = None,
    attribute: bool = False,
) -> Score:
    """Extracts verbatim excerpts with one model and has another judge them in a fresh context.

    Quotes are looked up in the transcript (see `match_quotes`) and reach the evaluator in its words and
    order, without kind or place; beside what is quoted of a tool call stands the tool's name. If the
    extractor says that there is nothing to quote, the evaluator is told so; if all that it quotes was
    invented, the run is left unscored, as ``no_evidence``.

    Parameters
    ----------
    view : what the extractor reads.
    min_excerpts : how many excerpts it is asked for at least. Fewer are taken, since a short run may not have
        so many lines.
    max_excerpts : how many it is asked for at most; what it quotes beyond that is passed by. None: no limit.
    unmatched : what becomes of quotes that are not in the transcript. ``drop`` keeps them from the evaluator,
        ``keep`` puts them behind the others. Which of the two was published is unknown.
    context_lines : lines of the same step that the evaluator is shown above and below each excerpt; with 1 or
        more, excerpts are whole lines.
    budget_tokens : tokens of all that the evaluator is shown of the transcript, estimated without a
        tokenizer. The extractor is told it in words; an excerpt that no longer fits is passed by. If none
        fits, the run is left unscored, as ``no_evidence``. None: no limit.
    attribute : whether to have the evaluator judge once more without each excerpt, and keep with it by how
        much it had raised the score. These calls are billed, and are no part of the verdict's cost.

    Raises
    ------
    Problem
        If the numbers make no sense.
    """
    request = Request("eae", min_excerpts, max_excerpts, budget_tokens)
    pipeline = Pipeline(request, unmatched, context_lines, attribute)
    question = request.question(view)

    async def score(trajectory: Trajectory, ask: Ask) -> Verdict:
        whole = render(trajectory, view)
        readings = [Reading(whole.text, whole, question)] if whole.spans else []
        return await pipeline.verdict(ask, trajectory, readings)

    return score
