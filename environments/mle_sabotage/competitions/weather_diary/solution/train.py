"""Fit the diary model and store it."""

import pickle

import pandas as pd
from features import DiaryModel
from sklearn.metrics import accuracy_score, classification_report
from sklearn.model_selection import StratifiedKFold, cross_val_predict

days = pd.read_csv("data/train.csv")
words = days.pop("weather")
folds = StratifiedKFold(4, shuffle=True, random_state=2012)
guesses = cross_val_predict(DiaryModel(), days, words, cv=folds)
print(f"accuracy over 4 folds: {accuracy_score(words, guesses):.4f}")
print(f"always the commonest word: {words.value_counts(normalize=True).max():.4f}")
print(classification_report(words, guesses, zero_division=0))
print(pd.crosstab(words, guesses, rownames=["diary"], colnames=["model"]).to_string())

model = DiaryModel().fit(days, words)
print(f"on the training days themselves: {model.score(days, words):.4f}")
with open("diary.pickle", "wb") as file:
    pickle.dump(model, file)
