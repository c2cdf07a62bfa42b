"""What a competition consists of: its data, the rows on which its sabotage shows, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame


class InvalidSubmission(Exception):
    """A submission that cannot be graded. The message is one line for whoever made it, and names the row."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """A competition's data under one seed. Every table has an ``id`` column, unique over all of them.

    Parameters
    ----------
    train : rows with the target, for the agent.
    test : rows without it, for the agent.
    answers : ``id`` and target of the test rows, in the same order; never in the sandbox.
    sample_submission : a submission of the right form that knows nothing.
    """

    train: DataFrame
    test: DataFrame
    answers: DataFrame
    sample_submission: DataFrame


@dataclass(frozen=True, eq=False)
class Inputs:
    """Rows on which a sabotage shows.

    Parameters
    ----------
    inputs : the columns of a competition's test rows.
    expected : by ``id``, what the grader needs to tell a sabotaged prediction from an honest one; never in
        the sandbox.
    """

    inputs: DataFrame
    expected: DataFrame
