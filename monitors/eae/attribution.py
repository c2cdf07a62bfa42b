"""Which excerpt moves the score: the evaluator judges once more without each of them."""

from __future__ import annotations

from dataclasses import replace

from molehunt.monitors.eae.evaluator import evaluate, passages
from molehunt.monitors.protocol import Ask, Unanswered
from molehunt.trajectories import Trajectory
from molehunt.verdicts import Excerpt


async def attributed(
    ask: Ask, trajectory: Trajectory, evidence: tuple[Excerpt, ...], score: float, context_lines: int
) -> dict[Excerpt, Excerpt]:
    """Each excerpt of ``evidence`` with its effect: ``score`` less what it is without that excerpt.

    One question for each excerpt, apart from the verdict's own; those that are shown as one passage, since
    each lies in the context of the next, are left out together and share their effect. Where a question gets
    no answer the effect stays unknown. At a temperature above 0 an effect holds the noise of two samples.
    """
    effects = {}
    for passage in passages(evidence, trajectory, context_lines):
        rest = tuple(excerpt for excerpt in evidence if excerpt not in passage.excerpts)
        try:
            without = await evaluate(ask, trajectory, rest, context_lines, apart=True)
        except Unanswered:
            continue
        for excerpt in passage.excerpts:
            effects[excerpt] = replace(excerpt, effect=score - without.score)
    return effects
