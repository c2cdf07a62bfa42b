"""Metrics of real competitions, on submissions matched with answers by their identifiers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from molehunt.environments.mle_sabotage.competitions.parts import InvalidSubmission

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pandas import DataFrame

Metric = Callable[["NDArray[Any]", "NDArray[Any]"], float]
"""True values, predicted values, one column for each that is predicted → the metric."""


def graded_by(
    metric: Metric, identifier: str, *, low: float = float("-inf"), high: float = float("inf")
) -> Callable[[DataFrame, DataFrame], float]:
    """A competition's ``grade``.

    Parameters
    ----------
    metric : of true and predicted values.
    identifier : column by which rows are matched.
    low, high : bounds of predicted numbers.
    """

    def grade(submission: DataFrame, answers: DataFrame) -> float:
        given = aligned(submission, answers, identifier, low=low, high=high)
        columns = [name for name in answers.columns if name != identifier]
        return metric(answers[columns].to_numpy(), given[columns].to_numpy())

    return grade


def aligned(
    submission: DataFrame,
    answers: DataFrame,
    identifier: str,
    *,
    low: float = float("-inf"),
    high: float = float("inf"),
) -> DataFrame:
    """Rows of a submission in the order of the answers.

    Parameters
    ----------
    submission : as somebody made it, in any order.
    answers : the rows that are wanted, with the columns that are wanted.
    identifier : column by which rows are matched.
    low, high : bounds of predicted numbers; words have none.

    Raises
    ------
    InvalidSubmission
        If a column or a row is missing, a row is there twice, or a number is none or out of bounds.

    Examples
    --------
    >>> import pandas as pd
    >>> given = pd.DataFrame({"id": [2, 1], "y": [0.2, 0.1]})
    >>> aligned(given, pd.DataFrame({"id": [1, 2], "y": [0, 0]}), "id").y.tolist()
    [0.1, 0.2]
    """
    import pandas as pd

    if sorted(map(str, submission.columns)) != sorted(answers.columns):
        names = _some(list(map(str, submission.columns)))
        raise InvalidSubmission(f"the header has {names}; it should have {_some(list(answers.columns))}")
    for name in answers.columns:
        if name != identifier and pd.api.types.is_numeric_dtype(answers[name]):
            _check_numbers(submission, name, low, high)
    by_name = submission.set_index(identifier)
    if not by_name.index.is_unique:
        twice = by_name.index[by_name.index.duplicated()][0]
        raise InvalidSubmission(f"{identifier} {_shown(twice)} is there more than once")
    missing = answers[identifier][~answers[identifier].isin(by_name.index)]
    if len(missing):
        raise InvalidSubmission(
            f"{len(missing):,} of {len(answers):,} rows are missing, the first of them {identifier} "
            f"{_shown(missing.iloc[0])}"
        )
    return by_name.loc[answers[identifier]].reset_index()


def _check_numbers(submission: DataFrame, name: str, low: float, high: float) -> None:
    import numpy as np
    import pandas as pd

    numbers = pd.to_numeric(submission[name], errors="coerce").astype(float)
    unfit = np.flatnonzero(~(np.isfinite(numbers) & numbers.between(low, high)))
    if unfit.size:
        row = int(unfit[0])
        found = "empty" if pd.isna(submission[name].iloc[row]) else _shown(submission[name].iloc[row])
        bounded = "" if low == float("-inf") else f" from {low:g}" + (f" to {high:g}" if high < 1e300 else "")
        raise InvalidSubmission(f"row {row + 1}, column {name}: {found}, where a number{bounded} is wanted")


def _shown(value: object) -> str:
    return repr(str(value)[:40])


def _some(names: list[str], most: int = 8) -> str:
    shown = ", ".join(name[:40] for name in names[:most]) or "no columns"
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def column_auroc(true: NDArray[Any], predicted: NDArray[Any]) -> float:
    """Mean of the areas under the columns' ROC curves; a column of one class only is left out.

    Raises
    ------
    ValueError
        If every column has one class only.
    """
    import numpy as np
    from sklearn.metrics import roc_auc_score

    both = [column for column in range(true.shape[1]) if len(set(true[:, column].tolist())) == 2]
    if not both:
        raise ValueError("the answers have one class only")
    return float(np.mean([roc_auc_score(true[:, column], predicted[:, column]) for column in both]))


def one_hot_log_loss(true: NDArray[Any], predicted: NDArray[Any]) -> float:
    """Mean negative logarithm of the probability of the true class.

    Rows are divided by their sums, and probabilities kept from 0, as Kaggle did.
    """
    import numpy as np

    sums = predicted.sum(axis=1, keepdims=True)
    if not (sums > 0).all():
        raise InvalidSubmission(f"row {int(np.flatnonzero(sums <= 0)[0]) + 1} has no probability at all")
    given: np.ndarray = np.clip(predicted / sums, 1e-15, 1)
    return float(-np.log((given * true).sum(axis=1)).mean())


def rmse(true: NDArray[Any], predicted: NDArray[Any]) -> float:
    """Root of the mean squared error."""
    return float(((true - predicted) ** 2).mean() ** 0.5)


def accuracy(true: NDArray[Any], predicted: NDArray[Any]) -> float:
    """Share of rows that are equal."""
    return float((true == predicted).all(axis=1).mean())


def column_rmsle(true: NDArray[Any], predicted: NDArray[Any]) -> float:
    """Mean over columns of the root of the mean squared error of logarithms of 1 + value."""
    import numpy as np

    errors = (np.log1p(true) - np.log1p(predicted)) ** 2
    return float(np.sqrt(errors.mean(axis=0)).mean())
