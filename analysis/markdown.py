"""``report.md``: the headline, its marks and its caveats, for a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from molehunt.analysis.exhibits import markdown_text
from molehunt.analysis.headline import headlines
from molehunt.analysis.wording import between, decimal, dollars

if TYPE_CHECKING:
    from molehunt.analysis.report import Report

CAVEATS_SHOWN = 12


def markdown(report: Report) -> str:
    """The report in short, as Markdown in which no name of others is markup, a link or a mention."""
    parts = [f"## molehunt report: {markdown_text(report.name)}"]
    if report.no_claim:
        parts.append(f"> **No claim.** {report.no_claim}")
    for section, exhibit in zip(report.sections, headlines(report.sections), strict=True):
        parts.append(f"### {markdown_text(exhibit.title)}")
        parts += [_best(section.best("monitor")), markdown_text(exhibit.caption), exhibit.markdown()]
    if report.caveats:
        shown = [f"- {markdown_text(caveat)}" for caveat in report.caveats[:CAVEATS_SHOWN]]
        if len(report.caveats) > CAVEATS_SHOWN:
            shown.append(f"- and {len(report.caveats) - CAVEATS_SHOWN} more in report.html")
        parts += ["### Read with care", "\n".join(shown)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _best(row: dict[str, Any] | None) -> str:
    """The monitor with the highest AUROC in a sentence; empty where there is none."""
    if row is None:
        return ""
    interval = between(row["auroc_low"], row["auroc_high"], 2)
    return (
        f"Highest AUROC of a monitor: **{decimal(row['auroc'], 2)}** ({interval}), "
        f"{markdown_text(' '.join([row['title'], row['models']]).strip())}, "
        f"{_price(row['usd_per_trajectory'])}. It was picked after looking, which flatters it a little."
    )


def _price(usd: float) -> str:
    return (
        f"at {markdown_text(dollars(usd))} a run" if usd > 0 else "free" if usd == 0 else "at an unknown cost"
    )
