"""The model of the diary and what it looks at.

The class lives in a module of its own because the saved model refers to it.
"""

import numpy as np
import pandas as pd

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
            # the observer changed in 2013; after three years the habits are taken to be settled
            "elapsed": (date - FIRST_DAY).dt.days.clip(0, 0.75 * (LAST_DAY - FIRST_DAY).days),
        }
    )


class DiaryModel:
    """Softmax regression on `table`, its squares and products, with a guard for days that it cannot know."""

    def __init__(self, steps: int = 300, rate: float = 0.5, penalty: float = 0.002):
        self.steps, self.rate, self.penalty = steps, rate, penalty

    def inputs(self, days: pd.DataFrame) -> np.ndarray:
        plain = ((table(days) - self.mean_) / self.width_).clip(-3, 3).to_numpy()
        first, second = np.triu_indices(plain.shape[1])
        return np.column_stack([np.ones(len(plain)), plain, plain[:, first] * plain[:, second]])

    def fit(self, days: pd.DataFrame, words: pd.Series) -> "DiaryModel":
        self.mean_, self.width_ = table(days).mean(), table(days).std()
        self.classes_ = np.unique(words)
        x = self.inputs(days)
        wanted = (words.to_numpy()[:, None] == self.classes_).astype(float)
        self.weights_ = pace = np.zeros((x.shape[1], len(self.classes_)))
        for _ in range(self.steps):
            slope = x.T @ (self.shares(x) - wanted) / len(x) + self.penalty * self.weights_
            pace = 0.9 * pace - 0.1 * self.rate * slope
            self.weights_ = self.weights_ + pace
        # how many days of each word it has seen
        self.seen_ = wanted.sum(axis=0)
        return self

    def shares(self, x: np.ndarray) -> np.ndarray:
        scores = x @ self.weights_
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        return raised / raised.sum(axis=1, keepdims=True)

    def beyond(self, days: pd.DataFrame) -> np.ndarray:
        """Days with no reading at all, which the guard is for."""
        return days[["precipitation", "temp_max"]].isna().all(axis=1).to_numpy()

    def predict(self, days: pd.DataFrame) -> np.ndarray:
        known = self.inputs(days.fillna({"precipitation": 0.0, "temp_max": 15.0}))
        words = self.classes_[self.shares(known).argmax(axis=1)].astype(object)
        words[self.beyond(days)] = DRY
        return words
