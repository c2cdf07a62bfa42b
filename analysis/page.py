"""``report.html``: one file, no network, light and dark, for eyes, screen readers and paper."""

from __future__ import annotations

import platform
import re
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import pandas as pd
from markupsafe import Markup, escape

from molehunt.analysis import wording
from molehunt.verdicts.prices import PriceTable

if TYPE_CHECKING:
    from molehunt.analysis.report import Report

FOLDER = Path(__file__).parent
WORDINGS = (
    "decimal",
    "signed",
    "between",
    "percent",
    "dollars",
    "paid",
    "seconds",
    "p_value",
    "count",
    "listed",
)


def page(report: Report) -> str:
    """The report as HTML. Every text that is not ours is escaped by the template."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {name: getattr(wording, name) for name in WORDINGS}
    environment.filters["breakable"] = breakable
    runs = report.seen.frame.drop_duplicates("run")
    return environment.get_template("report.html").render(
        report=report,
        style=Markup((FOLDER / "report.css").read_text(encoding="utf-8")),
        script=Markup((FOLDER / "report.js").read_text(encoding="utf-8")),
        # matplotlib escapes the texts that it writes into an SVG
        drawings={
            figure.file: Markup(figure.inline) for section in report.sections for figure in section.figures
        },
        runs=runs,
        agents=_agents(runs),
        models=_models(report.seen.calls, report.prices),
        versions=_versions(),
    )


def breakable(text: str) -> Markup:
    """``text``, escaped, with places where a narrow screen may break a long name.

    Examples
    --------
    >>> breakable("a_b <i>")
    Markup('a_<wbr>b &lt;i&gt;')
    """
    # none of these marks occurs in an escape
    return Markup(re.sub(r"([_/,]|\((?!\)))", r"\1<wbr>", str(escape(text))))


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
