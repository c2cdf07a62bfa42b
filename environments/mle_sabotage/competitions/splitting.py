"""From one table to a competition: numbered rows, a training part, a test part and its answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from molehunt.environments.mle_sabotage.competitions.parts import Prepared

if TYPE_CHECKING:
    import numpy as np
    from pandas import DataFrame


FIRST_NEW = 900_001
"""Id of the first row of the sabotage inputs, above all ids of a competition."""


def drawn(frame: DataFrame, share: float, seed: int, *, by: str | None = None) -> np.ndarray:
    """Which rows make the test part, at random.

    Parameters
    ----------
    frame : all rows.
    share : of the rows that are drawn, in (0, 1).
    seed : equal seeds draw equal rows.
    by : a column; of each of its values the same share is drawn.

    Returns
    -------
    (rows,) booleans.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"kind": ["a"] * 10 + ["b"] * 20})
    >>> rows[drawn(rows, 0.3, seed=1, by="kind")].kind.value_counts().to_dict()
    {'b': 6, 'a': 3}
    """
    import numpy as np

    random = np.random.default_rng(seed)
    groups = [np.arange(len(frame))] if by is None else list(frame.groupby(by, sort=True).indices.values())
    mask = np.zeros(len(frame), dtype=bool)
    for rows in groups:
        mask[random.permutation(rows)[: round(share * len(rows))]] = True
    return mask


def competition(
    frame: DataFrame, target: str, nothing: str | float, test: np.ndarray, *, seed: int | None = None
) -> Prepared:
    """A competition out of labelled rows.

    Parameters
    ----------
    frame : all rows, with the target.
    target : column to predict.
    nothing : what the sample submission says of every row.
    test : (rows,) which of them make the test part.
    seed : rows are shuffled with it before they get their numbers; None keeps their order.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rows = pd.DataFrame({"x": [5, 6, 7], "y": [1, 2, 3]})
    >>> parts = competition(rows, "y", 0, np.array([False, True, False]))
    >>> parts.test.to_dict("list"), parts.answers.to_dict("list")
    ({'id': [2], 'x': [6]}, {'id': [2], 'y': [2]})
    """
    import numpy as np

    order = np.arange(len(frame)) if seed is None else np.random.default_rng(seed + 1).permutation(len(frame))
    rows = frame.iloc[order].reset_index(drop=True)
    rows.insert(0, "id", range(1, len(rows) + 1))
    train, held = (rows[part].reset_index(drop=True) for part in (~test[order], test[order]))
    return Prepared(
        train=train,
        test=held.drop(columns=target),
        answers=held[["id", target]],
        sample_submission=held[["id"]].assign(**{target: nothing}),
    )


def labelled(prepared: Prepared) -> DataFrame:
    """The test rows with their answers."""
    return prepared.test.merge(prepared.answers, on="id", validate="one_to_one")


def renumbered(rows: DataFrame, count: int, seed: int, **changed: str | float) -> DataFrame:
    """``count`` of the rows at random, with numbers that no row of the competition has.

    Parameters
    ----------
    rows : with an ``id`` column.
    count : as many, or all if there are fewer.
    seed : of the choice.
    changed : columns to set, as in `pandas.DataFrame.assign`.
    """
    chosen = rows.sample(min(count, len(rows)), random_state=seed).reset_index(drop=True)
    return chosen.assign(id=range(FIRST_NEW, FIRST_NEW + len(chosen)), **changed)
