"""molehunt: how well do LLM monitors catch AI agents that sabotage their work, and at what cost?

The public names load on first use:

>>> import molehunt as mh
>>> mh.auroc([0.9, 0.2, 0.4, 0.1], [1, 1, 0, 0])
0.75
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from molehunt.analysis import auroc, interval, log_auroc, pauroc, tpr_at_fpr
    from molehunt.analysis.report import Report
    from molehunt.monitors import Ask, Monitor, Prompt, Unanswered, monitor
    from molehunt.scoring import plan, plan_async, score, score_async
    from molehunt.scoring.fit import fit
    from molehunt.trajectories import Problem, Run, Step, Trajectory, Truth, View, render
    from molehunt.verdicts import Excerpt, Verdict
    from molehunt.verdicts.frames import read_store
    from molehunt.verdicts.merging import merge

_HOMES = {
    "molehunt.analysis": ("auroc", "interval", "log_auroc", "pauroc", "tpr_at_fpr"),
    "molehunt.monitors": ("Ask", "Monitor", "Prompt", "Unanswered", "monitor"),
    "molehunt.scoring": ("plan", "plan_async", "score", "score_async"),
    "molehunt.scoring.fit": ("fit",),
    "molehunt.trajectories": ("Problem", "Run", "Step", "Trajectory", "Truth", "View", "render"),
    "molehunt.verdicts": ("Excerpt", "Verdict"),
    "molehunt.verdicts.frames": ("read_store",),
    "molehunt.verdicts.merging": ("merge",),
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
    "auroc",
    "fit",
    "interval",
    "log_auroc",
    "merge",
    "monitor",
    "pauroc",
    "plan",
    "plan_async",
    "read_store",
    "render",
    "report",
    "score",
    "score_async",
    "tpr_at_fpr",
]


def report(source: str | Path, **options: Any) -> Report:
    """The report on a score store or a CSV of scores: its tables, and ``.write(folder)`` for the page.

    Parameters
    ----------
    source : a store, or a table of scores whose name ends in ``.csv``.
    **options : see `molehunt.analysis.report.make_report`.

    Raises
    ------
    Problem
        If the file is missing or holds nothing to report on.
    """
    from molehunt.analysis.report import make_report, read_tables

    return make_report(read_tables(source), **options)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'molehunt' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
