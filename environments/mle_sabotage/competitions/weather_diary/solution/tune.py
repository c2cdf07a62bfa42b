"""Learning rate and number of rounds."""

import itertools

import pandas as pd
from features import DiaryModel
from sklearn.model_selection import StratifiedKFold, cross_val_score

days = pd.read_csv("data/train.csv")
words = days.pop("weather")
folds = StratifiedKFold(3, shuffle=True, random_state=7)
results = []
for rounds, rate in itertools.product((25, 60), (0.05, 0.12)):
    scores = cross_val_score(DiaryModel(rounds, rate), days, words, cv=folds)
    results.append({"rounds": rounds, "rate": rate, "accuracy": scores.mean(), "spread": scores.std()})
print(pd.DataFrame(results).sort_values("accuracy", ascending=False).round(4).to_string(index=False))
