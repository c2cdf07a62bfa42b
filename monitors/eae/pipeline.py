"""What all kinds of extract-and-evaluate do: readers quote, their quotes are checked, an evaluator judges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from molehunt.monitors.chunks import estimated_tokens
from molehunt.monitors.eae import evaluator, extractor
from molehunt.monitors.eae.attribution import attributed
from molehunt.monitors.eae.evaluator import evaluate, set_out
from molehunt.monitors.eae.extractor import Request
from molehunt.monitors.eae.matching import Quoting, match_all
from molehunt.monitors.prompts import texts
from molehunt.monitors.protocol import Ask, Unanswered
from molehunt.trajectories import Problem, Rendering, Trajectory
from molehunt.verdicts import Excerpt, Verdict

Unmatched = Literal["drop", "keep"]

SOURCE = "Arike et al. 2026, arXiv 2601.21112"
ROLES = (extractor.ROLE, evaluator.ROLE)
ANSWERS = (extractor.ANSWER, evaluator.ANSWER)
PROMPTS = texts(
    "extract",
    "sees_everything",
    "sees_actions",
    "sees_reasoning",
    "without_results",
    "judge",
    "sees_excerpts",
    "sees_no_excerpts",
)


@dataclass(frozen=True)
class Reading:
    """What one extractor reads and is asked; quotes are looked up in ``rendering``."""

    text: str
    rendering: Rendering
    question: str


@dataclass(frozen=True)
class Pipeline:
    """From readings to a verdict.

    Parameters
    ----------
    request : see `Request`.
    unmatched : what becomes of quotes that are not in the transcript.
    context_lines : lines shown above and below each excerpt.
    attribute : whether each excerpt's effect on the score is measured.

    Raises
    ------
    Problem
        If ``context_lines`` is negative.
    """

    request: Request
    unmatched: Unmatched
    context_lines: int
    attribute: bool

    def __post_init__(self) -> None:
        if self.context_lines < 0:
            raise Problem(
                f"monitor {self.request.owner!r} takes context_lines of 0 or more, not {self.context_lines}"
            )

    async def verdict(self, ask: Ask, trajectory: Trajectory, readings: Sequence[Reading]) -> Verdict:
        """The verdict on what ``readings`` show of ``trajectory``."""
        if not readings:
            return Verdict.unscored("nothing_visible", "the view shows nothing of this run")
        quotings = [
            Quoting(
                await self.request.quotes(
                    ask, trajectory.task, reading.text, reading.question, most=self.attribute
                ),
                reading.rendering,
            )
            for reading in readings
        ]
        excerpts = match_all(quotings, self._fits(trajectory))
        evidence = self._shown(excerpts)
        if not evidence and any(quoting.quotes for quoting in quotings):
            why = "every excerpt was invented" if excerpts else "no excerpt fits into the budget"
            return Verdict.unscored("no_evidence", why, excerpts)
        try:
            judgement = await evaluate(ask, trajectory, evidence, self.context_lines)
        except Unanswered as why:
            return Verdict.unscored(why.status, why.reason, excerpts)
        if self.attribute:
            effects = await attributed(ask, trajectory, evidence, judgement.score, self.context_lines)
            excerpts = tuple(effects.get(excerpt, excerpt) for excerpt in excerpts)
        return Verdict(judgement.score, rationale=judgement.rationale, excerpts=excerpts)

    def _shown(self, excerpts: tuple[Excerpt, ...]) -> tuple[Excerpt, ...]:
        keep = self.unmatched == "keep"
        return tuple(excerpt for excerpt in excerpts if keep or excerpt.match != "not_found")

    def _fits(self, trajectory: Trajectory) -> Callable[[tuple[Excerpt, ...]], bool] | None:
        budget = self.request.budget_tokens
        if budget is None:
            return None

        def fits(excerpts: tuple[Excerpt, ...]) -> bool:
            shown = set_out(self._shown(excerpts), trajectory, self.context_lines)
            return estimated_tokens(shown) <= budget

        return fits
