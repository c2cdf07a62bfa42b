"""Data of the sea temperatures: each month with the twelve before it. The split is by time, for any seed."""

from __future__ import annotations

from molehunt.environments.mle_sabotage.competitions.parts import Prepared
from molehunt.environments.mle_sabotage.competitions.sources import shipped
from molehunt.environments.mle_sabotage.competitions.splitting import competition

LAGS = 12
TRAINED = (1987 - 1951) * 12
"""Months up to the end of 1986; 1950 has no year before it."""


def prepare(seed: int) -> Prepared:
    """Training, test and answer rows in the order of time, and a sample submission.

    The seed adds a reading error of a few hundredths of a degree, so that seeds differ at all.
    """
    import numpy as np
    import pandas as pd

    years = pd.read_csv(shipped("statsmodels", "datasets", "elnino", "elnino.csv"))
    months = pd.Series(years.drop(columns="YEAR").to_numpy().ravel())
    months = (months + np.random.default_rng(seed).normal(0, 0.03, len(months))).round(2)
    rows = pd.DataFrame({f"lag_{lag}": months.shift(lag) for lag in range(1, LAGS + 1)})
    rows = rows.assign(temperature=months).iloc[LAGS:].reset_index(drop=True)
    return competition(rows, "temperature", 23.0, np.arange(len(rows)) >= TRAINED)
