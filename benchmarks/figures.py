"""Figures of a benchmark: printed beside their aims and beside those of the committed baseline.

Seconds depend on the machine and on who else works on it; ratios within one run hardly do. So a figure is a
ratio wherever it can be, and only ratios and megabytes are held against the baseline.
"""

from __future__ import annotations

import gc
import json
import resource
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

BASELINE = Path(__file__).with_name("baseline.json")

SLOWER = 1.15
"""Times the baseline's figure; what is below it is noise."""

Unit = Literal["s", "ms", "×", "MB", "%", ""]


@dataclass(frozen=True)
class Figure:
    """One figure.

    Parameters
    ----------
    name : what was measured.
    value : how much of it.
    unit : seconds and milliseconds are of CPU; ``×`` is a ratio, ``%`` a share, and a count has none.
    most : the aim: no more than this; None where the figure only explains others.
    """

    name: str
    value: float
    unit: Unit
    most: float | None = None

    @property
    def compared(self) -> bool:
        """Whether another machine's figure can be held against it."""
        return self.unit in ("×", "MB")

    def in_words(self, value: float) -> str:
        """``value`` in this figure's unit."""
        counted = not self.unit
        return f"{value:,.{0 if counted or value >= 100 else 2}f} {self.unit}".strip()


class Spent:
    """CPU seconds of this process, user and system, over the stretches that were `measured`."""

    def __init__(self) -> None:
        self.seconds = 0.0

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Add what is spent inside."""
        gc.collect()
        started = time.process_time()
        try:
            yield
        finally:
            self.seconds += time.process_time() - started


def megabytes() -> float:
    """Largest memory that this process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def show(benchmark: str, figures: Sequence[Figure], *, keep: bool) -> None:
    """Print ``figures`` with their aims and the baseline's, and say what got slower.

    Parameters
    ----------
    benchmark : under whose name the baseline has them.
    figures : in the order in which they are printed.
    keep : whether they become the baseline.
    """
    known = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    before = known.get(benchmark, {})
    width = max(len(figure.name) for figure in figures)
    for figure in figures:
        line = f"{figure.name:<{width}}  {figure.in_words(figure.value):>10}"
        if figure.most is not None:
            verdict = "holds" if figure.value <= figure.most else "MISSED"
            line += f"  aim ≤ {figure.in_words(figure.most)}: {verdict}"
        earlier = before.get(figure.name)
        if earlier is not None and figure.compared:
            line += f"  (baseline {figure.in_words(earlier)})"
            if figure.value > earlier * SLOWER:
                line += f"  WORSE by {figure.value / earlier - 1:.0%}"
        click.echo(line)
    if keep:
        known[benchmark] = {figure.name: round(figure.value, 3) for figure in figures}
        BASELINE.write_text(json.dumps(dict(sorted(known.items())), indent=2, ensure_ascii=False) + "\n")


keep_option = click.option("--keep", is_flag=True, help="Make these figures the baseline.")
