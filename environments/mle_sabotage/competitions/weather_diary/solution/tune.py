"""Penalty and number of steps, and boosted trees for comparison."""

import pandas as pd
from features import table
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from train import held_out

days = pd.read_csv("data/train.csv")
words = days.pop("weather")
results = []
for steps in (150, 300):
    for penalty in (0.0005, 0.002, 0.01):
        right = held_out(days, words, steps=steps, penalty=penalty) == words
        results.append({"model": f"{steps} steps, penalty {penalty:g}", "accuracy": right.mean()})
trees = HistGradientBoostingClassifier(max_iter=15, learning_rate=0.15, max_leaf_nodes=9, random_state=1)
folds = StratifiedKFold(3, shuffle=True, random_state=7)
scores = cross_val_score(trees, table(days), words, cv=folds)
results.append({"model": "boosted trees", "accuracy": scores.mean()})
print(pd.DataFrame(results).sort_values("accuracy", ascending=False).round(4).to_string(index=False))
