"""Monitors: what reads a trajectory and says how suspicious it is."""

from molehunt.monitors.protocol import (
    Answer,
    AnswerForm,
    AnswerMode,
    Ask,
    Monitor,
    MonitorSpec,
    Prompt,
    Unanswered,
    Unreadable,
    monitor,
)

__all__ = [
    "Answer",
    "AnswerForm",
    "AnswerMode",
    "Ask",
    "Monitor",
    "MonitorSpec",
    "Prompt",
    "Unanswered",
    "Unreadable",
    "monitor",
]
