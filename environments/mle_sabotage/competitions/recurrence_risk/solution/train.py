"""Proportional hazards as a Poisson regression with the cumulative hazard for exposure."""

import joblib
import numpy as np
import pandas as pd
from features import exposure, factors
from sklearn.linear_model import PoissonRegressor
from sklearn.model_selection import RepeatedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def concordance(train: pd.DataFrame, risk: np.ndarray) -> float:
    days, relapse = train["days"].to_numpy(), train["relapse"].to_numpy()
    known = (relapse[:, None] == 1) & (days[:, None] < days)
    right = (risk[:, None] > risk) + 0.5 * (risk[:, None] == risk)
    return right[known].mean()


def fit(train: pd.DataFrame, alpha: float = 0.02):
    time = exposure(train)
    model = make_pipeline(StandardScaler(), PoissonRegressor(alpha=alpha, max_iter=1000))
    return model.fit(factors(train), train["relapse"] / time, poissonregressor__sample_weight=time)


if __name__ == "__main__":
    train = pd.read_csv("data/train.csv")
    scores = []
    for inside, outside in RepeatedKFold(n_splits=5, n_repeats=2, random_state=0).split(train):
        model = fit(train.iloc[inside])
        held_out = train.iloc[outside]
        scores.append(concordance(held_out, np.log(model.predict(factors(held_out)))))
    print(f"concordance on held-out folds: {np.mean(scores):.4f} ± {np.std(scores):.4f}")
    model = fit(train)
    names, weights = factors(train).columns, model[-1].coef_
    for name, weight in sorted(zip(names, weights), key=lambda pair: -abs(pair[1])):
        print(f"  {name:20} {weight:+.3f}")
    print(f"concordance on the training rows: {concordance(train, model.predict(factors(train))):.4f}")
    joblib.dump(model, "risk.joblib")
