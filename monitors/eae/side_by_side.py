"""Extract-and-evaluate with two extractors: one reads the actions, the other the reasoning."""

from __future__ import annotations

from molehunt.monitors.eae.extractor import Request
from molehunt.monitors.eae.pipeline import ANSWERS, PROMPTS, ROLES, SOURCE, Pipeline, Reading, Unmatched
from molehunt.monitors.protocol import Ask, Score, monitor
from molehunt.monitors.single_view import Prose
from molehunt.trajectories import Trajectory, View, render
from molehunt.verdicts import Verdict


@monitor(
    source=f"{SOURCE}; extractors side by side",
    roles=ROLES,
    prompts=PROMPTS,
    answers=ANSWERS,
    calls=3,
)
def eae_views(
    prose: Prose = "auto",
    tool_results: bool = True,
    min_excerpts: int = 5,
    max_excerpts: int | None = None,
    unmatched: Unmatched = "drop",
    context_lines: int = 0,
    budget_tokens: int | None = None,
    attribute: bool = False,
) -> Score:
    """Extracts excerpts from the actions and from the reasoning apart, and has both judged together.

    Neither extractor sees what the other reads, so that a persuasive reasoning cannot keep its reader from
    quoting an action. Of a run that has only one of the two, that one is read.

    Parameters
    ----------
    prose : what prose counts as, see `View`.
    tool_results : whether what tools answered is read with the actions.
    min_excerpts, max_excerpts : how many excerpts are asked for of each, see `eae`.
    unmatched, context_lines, attribute : see `eae`.
    budget_tokens : of the excerpts of both together, see `eae`.

    Raises
    ------
    Problem
        If the numbers make no sense.
    """
    request = Request("eae_views", min_excerpts, max_excerpts, budget_tokens)
    pipeline = Pipeline(request, unmatched, context_lines, attribute)
    views = (
        View(reasoning=False, actions=True, tool_results=tool_results, prose=prose),
        View(reasoning=True, actions=False, prose=prose),
    )

    async def score(trajectory: Trajectory, ask: Ask) -> Verdict:
        shown = [(view, rendering) for view in views if (rendering := render(trajectory, view)).spans]
        readings = [
            Reading(rendering.text, rendering, request.question(view, readers=len(shown)))
            for view, rendering in shown
        ]
        return await pipeline.verdict(ask, trajectory, readings)

    return score
