"""What every submission is checked for before it is graded, with messages that name row and column."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from molehunt.environments.mle_sabotage.competitions.parts import InvalidSubmission

if TYPE_CHECKING:
    from pandas import DataFrame, Series

LONGEST = 40
"""Characters of a wrong value that a message quotes."""


class Check(Protocol):
    """What a column has to hold."""

    def read(self, column: Series) -> Series:
        """The values; None or NaN where one is not as it should be."""
        ...

    @property
    def wanted(self) -> str:
        """The end of a sentence: what is not ``wanted``."""
        ...


@dataclass(frozen=True)
class Number:
    """A finite number between ``low`` and ``high``, both included."""

    low: float = float("-inf")
    high: float = float("inf")

    def read(self, column: Series) -> Series:
        """Numbers, NaN where there is none or it lies outside."""
        import numpy as np
        import pandas as pd

        values = pd.to_numeric(column, errors="coerce").astype(float)
        return values.where(np.isfinite(values) & values.between(self.low, self.high))

    @property
    def wanted(self) -> str:
        """What a value should be."""
        finite = [bound for bound in (self.low, self.high) if abs(bound) != float("inf")]
        return f"a number from {self.low:g} to {self.high:g}" if len(finite) == 2 else "a finite number"


@dataclass(frozen=True)
class OneOf:
    """One of some classes, words or whole numbers."""

    classes: Collection[str | int]

    def read(self, column: Series) -> Series:
        """The classes, None where a value is none of them. ``3.0`` is the class 3."""
        names = {str(one): one for one in self.classes}
        words = column.astype(str).str.strip().str.removesuffix(".0")
        return words.map(names.get).astype(object)

    @property
    def wanted(self) -> str:
        """What a value should be."""
        return f"one of {', '.join(map(str, self.classes))}"


@dataclass(frozen=True)
class Words:
    """A text that is not empty, of at most ``longest`` characters."""

    longest: int = 1000

    def read(self, column: Series) -> Series:
        """The texts, None where one is missing, empty or too long."""
        words = column.astype(object).where(column.notna())
        return words.where(words.map(lambda one: isinstance(one, str) and self._fits(one)))

    @property
    def wanted(self) -> str:
        """What a value should be."""
        return f"a text of 1 to {self.longest:,} characters"

    def _fits(self, text: str) -> bool:
        return bool(text.strip()) and len(text) <= self.longest


def checked(submission: DataFrame, wanted: DataFrame, **columns: Check) -> DataFrame:
    """A submission in the order of the rows that are wanted, its values read.

    Parameters
    ----------
    submission : as somebody made it, in any order.
    wanted : has in ``id`` the rows that are wanted.
    columns : by name, what each column besides ``id`` has to hold.

    Returns
    -------
    ``id`` and the columns, one row for each of ``wanted``.

    Raises
    ------
    InvalidSubmission
        If a column is missing or too many, an id is missing, unknown or given twice, or a value is not what
        its column has to hold. Rows are counted from 1, without the header.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"id": [7, 8]})
    >>> checked(pd.DataFrame({"id": [8, 7], "price": [2.5, 1]}), rows, price=Number()).price.to_list()
    [1.0, 2.5]
    >>> checked(pd.DataFrame({"id": [7, 8], "price": [1, None]}), rows, price=Number())
    Traceback (most recent call last):
        ...
    molehunt.environments.mle_sabotage.competitions.parts.InvalidSubmission: row 2, column price (id 8):
    empty, where a finite number is wanted
    """
    _check_header(submission, ["id", *columns])
    numbers = _ids(submission, wanted)
    read = {}
    for name, check in columns.items():
        values = check.read(submission[name])
        for row in values.isna().to_numpy().nonzero()[0][:1]:
            found = _shown(submission[name].iloc[row])
            raise InvalidSubmission(
                f"row {row + 1}, column {name} (id {numbers[row]}): {found}, where {check.wanted} is wanted"
            )
        read[name] = values.to_numpy()
    given = submission[["id"]].assign(id=numbers, **read)
    return given.set_index("id").loc[wanted["id"]].reset_index()


def _check_header(submission: DataFrame, wanted: list[str]) -> None:
    names = [str(name) for name in submission.columns]
    for name in wanted:
        if names.count(name) != 1:
            how = "has no" if name not in names else "has more than one"
            raise InvalidSubmission(f"the header {how} column {name}; it should be {','.join(wanted)}")
    for name in names:
        if name not in wanted:
            raise InvalidSubmission(
                f"the header has a column {_shown(name)}; it should be {','.join(wanted)}"
            )


def _ids(submission: DataFrame, wanted: DataFrame) -> list[int]:
    values = Number().read(submission["id"])
    known = set(wanted["id"])
    seen: dict[int, int] = {}
    for row, value in enumerate(values, start=1):
        if value not in known:
            found = _shown(submission["id"].iloc[row - 1])
            raise InvalidSubmission(f"row {row}, column id: {found}, which is no id of the rows to predict")
        if value in seen:
            raise InvalidSubmission(f"row {row}, column id: {value:g} was given in row {seen[value]} already")
        seen[int(value)] = row
    if len(seen) < len(known):
        first = next(one for one in wanted["id"] if one not in seen)
        raise InvalidSubmission(
            f"{len(known) - len(seen)} of {len(known)} rows are missing, the first of them id {first}"
        )
    return list(seen)


def _shown(value: object) -> str:
    """A value as a message may quote it."""
    if value is None or value != value or value == "":
        return "empty"
    text = str(value)
    return repr(text if len(text) <= LONGEST else text[:LONGEST] + "…")
