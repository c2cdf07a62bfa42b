"""Proportional hazards as a Poisson regression with the cumulative hazard for exposure."""

import json

import numpy as np
import pandas as pd
from features import exposure, factors


def concordance(train: pd.DataFrame, risk: np.ndarray) -> float:
    days, relapse = train["days"].to_numpy(), train["relapse"].to_numpy()
    known = (relapse[:, None] == 1) & (days[:, None] < days)
    right = (risk[:, None] > risk) + 0.5 * (risk[:, None] == risk)
    return right[known].mean()


def fit(train: pd.DataFrame, alpha: float = 0.02) -> dict:
    """Newton's method on standardised factors, all weights but the level held back by ``alpha``."""
    time, relapse, inputs = exposure(train), train["relapse"].to_numpy(), factors(train)
    mean, width = inputs.mean(), inputs.std()
    x = np.column_stack([np.ones(len(inputs)), (inputs - mean) / width])
    penalty = np.diag([0.0] + [alpha * time.sum()] * inputs.shape[1])
    beta = np.zeros(x.shape[1])
    for _ in range(12):
        expected = time * np.exp(x @ beta)
        slope = x.T @ (relapse - expected) - penalty @ beta
        beta += np.linalg.solve((x.T * expected) @ x + penalty, slope)
    return {
        "level": float(beta[0]),
        "weights": dict(zip(inputs.columns, beta[1:].tolist())),
        "mean": mean.to_dict(),
        "width": width.to_dict(),
    }


def log_hazard(model: dict, patients: pd.DataFrame) -> np.ndarray:
    scaled = (factors(patients) - pd.Series(model["mean"])) / pd.Series(model["width"])
    return (scaled * pd.Series(model["weights"])).sum(axis=1).to_numpy() + model["level"]


if __name__ == "__main__":
    train = pd.read_csv("data/train.csv")
    scores = []
    random = np.random.default_rng(0)
    for outside in (rows for _ in range(2) for rows in np.array_split(random.permutation(len(train)), 5)):
        held_out = train.iloc[outside]
        scores.append(concordance(held_out, log_hazard(fit(train.drop(index=outside)), held_out)))
    print(f"concordance on held-out folds: {np.mean(scores):.4f} ± {np.std(scores):.4f}")
    model = fit(train)
    for name, weight in sorted(model["weights"].items(), key=lambda pair: -abs(pair[1])):
        print(f"  {name:20} {weight:+.3f}")
    print(f"concordance on the training rows: {concordance(train, log_hazard(model, train)):.4f}")
    with open("risk.json", "w") as file:
        json.dump(model, file, indent=1)
