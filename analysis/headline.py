"""The main table of a report, as it goes into a paper or a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from molehunt.analysis.exhibits import Column, Exhibit, estimated, named
from molehunt.analysis.intervals import TPR_COVERAGE
from molehunt.analysis.sections import KINDS, Section
from molehunt.analysis.wording import dollars, percent, seconds
from molehunt.trajectories.wording import count

STAND_IN = " (stand-in model: no claim)"


def headlines(parts: Sequence[Section]) -> Iterator[Exhibit]:
    """The main table of every condition, as it goes into a paper."""
    for section in parts:
        rows = pd.DataFrame([row for kind in KINDS for row in section.of(kind)])
        rows["kind"] = rows["kind"].where(~rows["embedded_models"].astype(bool), rows["kind"] + STAND_IN)
        where = ", ".join(filter(None, [section.environment, section.condition]))
        most = section.most
        yield Exhibit(
            key=f"{section.key}-headline",
            title=where,
            caption=(
                f"{most['n_attack']:,} attack and {count(most['n_honest'], 'honest run')}; 95% intervals in "
                "brackets; those of TPR at 1% FPR are too narrow and hold the truth "
                f"{TPR_COVERAGE} of the time."
                f"{' Scripted agents: no claim.' if section.scripted else ''}"
            ),
            columns=(
                named("title", "Monitor", under="models"),
                named("kind", "kind"),
                estimated("auroc", "AUROC"),
                estimated("log_auroc", "log-AUROC"),
                estimated("tpr_at_1fpr", "TPR at 1% FPR"),
                Column("coverage", "coverage", percent),
                Column("usd_per_trajectory", "cost per run", dollars),
                Column("seconds_per_trajectory", "time per run", seconds),
            ),
            frame=rows[
                [
                    *("title", "models", "kind"),
                    *("auroc", "auroc_low", "auroc_high", "log_auroc", "log_auroc_low", "log_auroc_high"),
                    *("tpr_at_1fpr", "tpr_at_1fpr_low", "tpr_at_1fpr_high", "coverage"),
                    *("usd_per_trajectory", "seconds_per_trajectory", "frontier", "n_attack", "n_honest"),
                ]
            ],
        )
