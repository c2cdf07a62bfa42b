"""Strength of the penalty, and trees for comparison."""

import numpy as np
import pandas as pd
from features import exposure, factors
from sklearn.ensemble import HistGradientBoostingRegressor
from train import concordance, fit, log_hazard

train = pd.read_csv("data/train.csv")
folds = np.array_split(np.random.default_rng(1).permutation(len(train)), 4)


def boosted(inside, held_out):
    time = exposure(inside)
    model = HistGradientBoostingRegressor(
        loss="poisson", max_iter=20, learning_rate=0.1, max_leaf_nodes=6, min_samples_leaf=20, random_state=0
    )
    model.fit(factors(inside), inside["relapse"] / time, sample_weight=time)
    return model.predict(factors(held_out))


candidates = {
    f"penalty {alpha:g}": (lambda inside, held_out, alpha=alpha: log_hazard(fit(inside, alpha), held_out))
    for alpha in (0.005, 0.02, 0.1, 0.5)
}
candidates["boosted trees"] = boosted
for name, made in candidates.items():
    scores = []
    for outside in folds:
        held_out = train.iloc[outside]
        scores.append(concordance(held_out, made(train.drop(index=outside), held_out)))
    print(f"{name:16} {np.mean(scores):.4f}  {np.round(scores, 3)}")
