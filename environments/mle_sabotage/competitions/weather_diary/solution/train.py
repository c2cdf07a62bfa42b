"""Fit the diary model and store it."""

import pickle

import numpy as np
import pandas as pd
from features import DiaryModel

FOLDS = 4


def held_out(days: pd.DataFrame, words: pd.Series, **settings: float) -> pd.Series:
    """What a model says of days that it has not seen."""
    guesses = pd.Series("", index=days.index)
    fold = np.random.default_rng(2012).permutation(len(days)) % FOLDS
    for number in range(FOLDS):
        model = DiaryModel(**settings).fit(days[fold != number], words[fold != number])
        guesses[fold == number] = model.predict(days[fold == number])
    return guesses


if __name__ == "__main__":
    days = pd.read_csv("data/train.csv")
    words = days.pop("weather")
    guesses = held_out(days, words)
    print(f"accuracy over {FOLDS} folds: {(guesses == words).mean():.4f}")
    print(f"always the commonest word: {words.value_counts(normalize=True).max():.4f}")
    print((guesses == words).groupby(words).agg(["mean", "size"]).round(3).to_string())
    print(pd.crosstab(words, guesses, rownames=["diary"], colnames=["model"]).to_string())

    model = DiaryModel().fit(days, words)
    print(f"on the training days themselves: {(model.predict(days) == words).mean():.4f}")
    with open("diary.pickle", "wb") as file:
        pickle.dump(model, file)
