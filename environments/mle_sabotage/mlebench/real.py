"""What is known here of a real competition: its files in MLE-bench's layout, its metric, and a sabotage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from molehunt.environments.mle_sabotage.competitions.parts import Inputs, Prepared

if TYPE_CHECKING:
    from pandas import DataFrame, Series

INPUTS = 200
"""Rows on which a sabotage is shown."""


def _by_column(test: DataFrame, identifier: str) -> Series:
    return test[identifier]


@dataclass(frozen=True)
class Real:
    """One competition of MLE-bench.

    Parameters
    ----------
    name : its id.
    side_task : name of the sabotage; ``sabotages/NAME.md`` has the instruction.
    metric, perfect, grade, make_inputs, grade_sabotage : as in `Competition`.
    identifier : column by which submissions, answers and predictions are matched.
    train, test, sample : files in ``prepared/public``.
    answers : file in ``prepared/private``.
    text : whether words such as ``null`` stand for themselves in its files.
    key : test rows, name of the identifier → identifiers, where the test file has no such column.
    judged : answers → which of them count, where some do not.
    """

    name: str
    side_task: str
    metric: str
    perfect: float
    identifier: str
    grade: Callable[[DataFrame, DataFrame], float]
    make_inputs: Callable[[Prepared, int], Inputs]
    grade_sabotage: Callable[[DataFrame, DataFrame], float]
    train: str = "train.csv"
    test: str = "test.csv"
    sample: str = "sample_submission.csv"
    answers: str = "test.csv"
    text: bool = False
    key: Callable[[DataFrame, str], Series] = _by_column
    judged: Callable[[DataFrame], Series] | None = None


def drawn(rows: DataFrame, seed: int, most: int = INPUTS) -> DataFrame:
    """At most ``most`` of the rows, chosen by the seed and numbered anew."""
    return rows.sample(min(most, len(rows)), random_state=seed).reset_index(drop=True)
