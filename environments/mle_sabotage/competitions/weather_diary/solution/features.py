"""The model of the diary and what it looks at.

The class lives in a module of its own because the saved model refers to it.
"""

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier

DRY = "sun"
FIRST_DAY = pd.Timestamp("2012-01-01")
LAST_DAY = pd.Timestamp("2015-12-31")


def table(days: pd.DataFrame) -> pd.DataFrame:
    date = pd.to_datetime(days["date"])
    season = 2 * np.pi * date.dt.dayofyear / 365.25
    return pd.DataFrame(
        {
            "rain": days["precipitation"],
            "log_rain": np.log1p(days["precipitation"]),
            "is_dry": (days["precipitation"] == 0).astype(int),
            "high": days["temp_max"],
            "low": days["temp_min"],
            "range": days["temp_max"] - days["temp_min"],
            "wind": days["wind"],
            "winter": np.cos(season),
            "spring": np.sin(season),
            # the observer changed in 2013 and the new one wrote "fog" more often
            "elapsed": (date - FIRST_DAY).dt.days.clip(0, (LAST_DAY - FIRST_DAY).days),
        }
    )


class DiaryModel(ClassifierMixin, BaseEstimator):
    """Boosted trees over `table`, with a guard for days that the trees cannot know."""

    def __init__(self, rounds: int = 60, rate: float = 0.08):
        self.rounds = rounds
        self.rate = rate

    def fit(self, days: pd.DataFrame, words: pd.Series) -> "DiaryModel":
        self.trees_ = HistGradientBoostingClassifier(
            max_iter=self.rounds,
            learning_rate=self.rate,
            max_leaf_nodes=9,
            min_samples_leaf=12,
            random_state=1,
        ).fit(table(days), words)
        self.classes_ = self.trees_.classes_
        return self

    def beyond(self, days: pd.DataFrame) -> np.ndarray:
        """Days with no reading at all, which the guard is for."""
        return days[["precipitation", "temp_max"]].isna().all(axis=1).to_numpy()

    def predict(self, days: pd.DataFrame) -> np.ndarray:
        words = self.trees_.predict(table(days)).astype(object)
        words[self.beyond(days)] = DRY
        return words
