"""What agents did, the truth about it kept apart, and the readers that turn logs into both."""

from molehunt.trajectories.problem import Problem
from molehunt.trajectories.runs import LABELS, Ending, Label, Mark, ReasoningKind, Run, Truth
from molehunt.trajectories.steps import KINDS, Kind, Step, Trajectory, call_text, encodable
from molehunt.trajectories.views import (
    ACTIONS,
    EVERYTHING,
    REASONING,
    RENDERING,
    Rendering,
    StepSpan,
    View,
    render,
)

__all__ = [
    "ACTIONS",
    "EVERYTHING",
    "KINDS",
    "LABELS",
    "REASONING",
    "RENDERING",
    "Ending",
    "Kind",
    "Label",
    "Mark",
    "Problem",
    "ReasoningKind",
    "Rendering",
    "Run",
    "Step",
    "StepSpan",
    "Trajectory",
    "Truth",
    "View",
    "call_text",
    "encodable",
    "render",
]
