"""Metrics, intervals, comparisons, cost, frontier and report: pure functions of scores, never a model."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from molehunt.analysis.audit import time_to_detection
    from molehunt.analysis.choosing import best_composite
    from molehunt.analysis.comparisons import compare
    from molehunt.analysis.differences import Difference, difference, holm
    from molehunt.analysis.frontier import CostLine, cost_line, on_frontier
    from molehunt.analysis.gains import gain_over_best
    from molehunt.analysis.intervals import Interval, interval
    from molehunt.analysis.less_is_more import tally
    from molehunt.analysis.metrics import (
        METRICS,
        OperatingPoint,
        Roc,
        auroc,
        distinct_scores,
        interpolated_share,
        log_auroc,
        lowest_fpr,
        mcclish_pauroc,
        operating_point,
        pauroc,
        precision,
        roc,
        tpr_at_fpr,
        tpr_at_fpr_interpolated,
    )
    from molehunt.analysis.observations import Observations, observe
    from molehunt.analysis.power import Variance, assumed, tasks_for_difference, tasks_for_width
    from molehunt.analysis.report import Report, make_report, read_tables
    from molehunt.analysis.summary import summarise

_HOMES = {
    "audit": ("time_to_detection",),
    "choosing": ("best_composite",),
    "comparisons": ("compare",),
    "differences": (
        "Difference",
        "difference",
        "holm",
    ),
    "frontier": (
        "CostLine",
        "cost_line",
        "on_frontier",
    ),
    "gains": ("gain_over_best",),
    "intervals": (
        "Interval",
        "interval",
    ),
    "less_is_more": ("tally",),
    "metrics": (
        "METRICS",
        "OperatingPoint",
        "Roc",
        "auroc",
        "distinct_scores",
        "interpolated_share",
        "log_auroc",
        "lowest_fpr",
        "mcclish_pauroc",
        "operating_point",
        "pauroc",
        "precision",
        "roc",
        "tpr_at_fpr",
        "tpr_at_fpr_interpolated",
    ),
    "observations": (
        "Observations",
        "observe",
    ),
    "power": (
        "Variance",
        "assumed",
        "tasks_for_difference",
        "tasks_for_width",
    ),
    "report": (
        "Report",
        "make_report",
        "read_tables",
    ),
    "summary": ("summarise",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "METRICS",
    "CostLine",
    "Difference",
    "Interval",
    "Observations",
    "OperatingPoint",
    "Report",
    "Roc",
    "Variance",
    "assumed",
    "auroc",
    "best_composite",
    "compare",
    "cost_line",
    "difference",
    "distinct_scores",
    "gain_over_best",
    "holm",
    "interpolated_share",
    "interval",
    "log_auroc",
    "lowest_fpr",
    "make_report",
    "mcclish_pauroc",
    "observe",
    "on_frontier",
    "operating_point",
    "pauroc",
    "precision",
    "read_tables",
    "roc",
    "summarise",
    "tally",
    "tasks_for_difference",
    "tasks_for_width",
    "time_to_detection",
    "tpr_at_fpr",
    "tpr_at_fpr_interpolated",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'molehunt.analysis' has no attribute {name!r}")
    return getattr(importlib.import_module(f"molehunt.analysis.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
