"""``report.html``: one file, no network, light and dark, for eyes, screen readers and paper."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pandas as pd
from markupsafe import Markup

from molehunt.analysis.comparisons import MOST_PAIRED
from molehunt.analysis.costs import apart
from molehunt.analysis.intervals import TPR_COVERAGE
from molehunt.analysis.misses import ALLOWED_FPR, hardest
from molehunt.analysis.sections import KINDS
from molehunt.analysis.templates import render
from molehunt.verdicts.prices import PriceTable

if TYPE_CHECKING:
    from molehunt.analysis.report import Report


ERRORS_SHOWN = 200
"""Rows of the table of runs on which monitors err; the file has all."""


def page(report: Report, pages: Mapping[str, str] | None = None) -> str:
    """The report as HTML. Every text that is not ours is escaped by the template.

    Parameters
    ----------
    pages : addresses of the pages of trajectories that stand beside it, by trajectory.
    """
    runs = report.seen.frame.drop_duplicates("run")
    figures = [drawing for section in report.sections for drawing in section.drawings]
    figures += [drawing for shown in report.exhibits if shown.picture for drawing in shown.picture.drawings]
    return render(
        "report",
        report=report,
        pages=pages or {},
        # matplotlib escapes the texts that it writes into an SVG
        drawings={figure.file: Markup(figure.inline) for figure in figures},
        errors=hardest(report.seen, report.errors).to_dict("records"),
        n_errors_shown=ERRORS_SHOWN,
        allowed_fpr=ALLOWED_FPR,
        runs=runs,
        kinds=_kinds(report.metrics),
        agents=_agents(runs),
        apart=apart(report.seen.calls, report.seen.bills),
        most_paired=MOST_PAIRED,
        tpr_coverage=TPR_COVERAGE,
        models=_models(report.seen.calls, report.prices),
        versions=_versions(),
    )


def _kinds(metrics: pd.DataFrame) -> dict[str, int]:
    """How many monitors, floors and oracles there are, of those that there are any of."""
    counts = metrics.drop_duplicates("monitor_id")["kind"].value_counts()
    return {kind: int(counts[kind]) for kind in KINDS if kind in counts.index}


def _agents(runs: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {
            "environment": environment,
            "model": model,
            "n_attack": int((rows["label"] == "attack").sum()),
            "n_honest": int((rows["label"] == "honest").sum()),
            "scripted": bool(rows["scripted"].any()),
        }
        for (environment, model), rows in runs.groupby(["environment", "agent_model"], sort=False)
    ]


def _models(calls: pd.DataFrame, prices: PriceTable) -> list[dict[str, Any]]:
    """Who answered, what that took, and at which price it was counted."""
    by = calls.groupby(["role", "asked", "answered"], sort=False)
    return [
        {
            "role": role,
            "asked": asked,
            "answered": answered,
            "n_calls": len(rows),
            "input": float(rows[["input", "cache_read", "cache_write"]].sum(axis="columns").sum()),
            "output": float(rows["output"].sum()),
            "metered": bool(rows["input"].notna().all()),
            "usd_billed": float(rows["usd_billed"].sum(skipna=False)),
            "price": prices.find(str(answered)) or prices.find(str(asked)),
        }
        for (role, asked, answered), rows in by
    ]


def _versions() -> dict[str, str]:
    packages = ("molehunt", "numpy", "pandas", "scipy", "matplotlib")
    return {
        **{name: version(name) for name in packages},
        "Python": platform.python_version(),
        "system": sys.platform,
    }
