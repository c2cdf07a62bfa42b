"""Monitors: what reads a trajectory and says how suspicious it is."""

from molehunt.monitors.identity import from_record, monitor_digest, to_record
from molehunt.monitors.protocol import (
    Answer,
    AnswerForm,
    AnswerMode,
    Ask,
    Logprobs,
    Monitor,
    MonitorSpec,
    Prompt,
    Score,
    Unanswered,
    Unreadable,
    monitor,
)
from molehunt.monitors.registry import Description, build, check_roles, describe, names
from molehunt.monitors.specs import spec_text

__all__ = [
    "Answer",
    "AnswerForm",
    "AnswerMode",
    "Ask",
    "Description",
    "Logprobs",
    "Monitor",
    "MonitorSpec",
    "Prompt",
    "Score",
    "Unanswered",
    "Unreadable",
    "build",
    "check_roles",
    "describe",
    "from_record",
    "monitor",
    "monitor_digest",
    "names",
    "spec_text",
    "to_record",
]
