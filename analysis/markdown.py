"""``report.md``: the headline, its marks and its caveats, for a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from molehunt.analysis.exhibits import markdown_text
from molehunt.analysis.headline import headlines

if TYPE_CHECKING:
    from molehunt.analysis.report import Report

CAVEATS_SHOWN = 12


def markdown(report: Report) -> str:
    """The report in short, as Markdown in which no name of others is markup, a link or a mention."""
    parts = [f"## molehunt report: {markdown_text(report.name)}"]
    if report.no_claim:
        parts.append(f"> **No claim.** {report.no_claim}")
    for exhibit in headlines(report.sections):
        parts += [f"### {markdown_text(exhibit.title)}", markdown_text(exhibit.caption), exhibit.markdown()]
    if report.caveats:
        shown = [f"- {markdown_text(caveat)}" for caveat in report.caveats[:CAVEATS_SHOWN]]
        if len(report.caveats) > CAVEATS_SHOWN:
            shown.append(f"- and {len(report.caveats) - CAVEATS_SHOWN} more in report.html")
        parts += ["### Read with care", "\n".join(shown)]
    return "\n\n".join(parts) + "\n"
