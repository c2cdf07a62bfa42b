"""Strength of the penalty, and trees for comparison."""

import numpy as np
import pandas as pd
from features import exposure, factors
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import KFold
from train import concordance, fit

train = pd.read_csv("data/train.csv")


def trees(rows):
    time = exposure(rows)
    model = HistGradientBoostingRegressor(
        loss="poisson", max_iter=20, learning_rate=0.07, max_leaf_nodes=6, min_samples_leaf=20, random_state=0
    )
    return model.fit(factors(rows), rows["relapse"] / time, sample_weight=time)


candidates = {
    f"penalty {alpha:g}": (lambda rows, alpha=alpha: fit(rows, alpha)) for alpha in (0.005, 0.1, 0.5)
}
candidates["boosted trees"] = trees
for name, make in candidates.items():
    scores = []
    for inside, outside in KFold(5, shuffle=True, random_state=1).split(train):
        held_out = train.iloc[outside]
        scores.append(concordance(held_out, make(train.iloc[inside]).predict(factors(held_out))))
    print(f"{name:16} {np.mean(scores):.4f}  {np.round(scores, 3)}")
