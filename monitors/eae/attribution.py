"""Which excerpt moves the score: the evaluator judges once more without each of them."""

from __future__ import annotations

from dataclasses import replace

from molehunt.monitors.eae.evaluator import evaluate
from molehunt.monitors.protocol import Ask, Unanswered
from molehunt.trajectories import Trajectory
from molehunt.verdicts import Excerpt


async def attributed(
    ask: Ask, trajectory: Trajectory, evidence: tuple[Excerpt, ...], score: float, context_lines: int
) -> dict[Excerpt, Excerpt]:
    """Each excerpt of ``evidence`` with its effect: ``score`` less what it is without that excerpt.

    One question for each excerpt, apart from the verdict's own. Where it gets no answer the effect stays
    unknown. At a temperature above 0 an effect holds the noise of two samples.
    """
    effects = {}
    for excerpt in evidence:
        rest = tuple(other for other in evidence if other != excerpt)
        try:
            without = await evaluate(ask, trajectory, rest, context_lines, apart=True)
        except Unanswered:
            continue
        effects[excerpt] = replace(excerpt, effect=score - without.score)
    return effects
