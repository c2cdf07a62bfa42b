"""What agents did, the truth about it kept apart, and the readers that turn logs into both."""

from molehunt.trajectories.growing import Growing
from molehunt.trajectories.labels import LabelRow, TruthOptions, read_labels
from molehunt.trajectories.problem import Problem
from molehunt.trajectories.runs import LABELS, Ending, Label, Mark, ReasoningKind, Run, Truth
from molehunt.trajectories.sources import log_files, read_runs
from molehunt.trajectories.steps import KINDS, Kind, Step, Trajectory, call_text, encodable
from molehunt.trajectories.unread import Unread
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
    "Growing",
    "Kind",
    "Label",
    "LabelRow",
    "Mark",
    "Problem",
    "ReasoningKind",
    "Rendering",
    "Run",
    "Step",
    "StepSpan",
    "Trajectory",
    "Truth",
    "TruthOptions",
    "Unread",
    "View",
    "call_text",
    "encodable",
    "log_files",
    "read_labels",
    "read_runs",
    "render",
]
