"""molehunt: how well do LLM monitors catch AI agents that sabotage their work, and at what cost?"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from molehunt.monitors import Ask, Monitor, Prompt, Unanswered, monitor
    from molehunt.trajectories import Problem, Run, Step, Trajectory, Truth, View, render
    from molehunt.verdicts import Excerpt, Verdict

_HOMES = {
    "molehunt.trajectories": ("Problem", "Run", "Step", "Trajectory", "Truth", "View", "render"),
    "molehunt.verdicts": ("Excerpt", "Verdict"),
    "molehunt.monitors": ("Ask", "Monitor", "Prompt", "Unanswered", "monitor"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Ask",
    "Excerpt",
    "Monitor",
    "Problem",
    "Prompt",
    "Run",
    "Step",
    "Trajectory",
    "Truth",
    "Unanswered",
    "Verdict",
    "View",
    "monitor",
    "render",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'molehunt' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
