"""Scoring: monitors ask models about trajectories, and every verdict is stored when it is made."""

from molehunt.scoring.api import plan, plan_async, score, score_async
from molehunt.scoring.job import Options
from molehunt.scoring.outcome import Outcome
from molehunt.scoring.plan import Plan, PlannedCalls
from molehunt.scoring.roles import Binding, ModelSpec
from molehunt.scoring.watching import Tally, Watcher

__all__ = [
    "Binding",
    "ModelSpec",
    "Options",
    "Outcome",
    "Plan",
    "PlannedCalls",
    "Tally",
    "Watcher",
    "plan",
    "plan_async",
    "score",
    "score_async",
]
