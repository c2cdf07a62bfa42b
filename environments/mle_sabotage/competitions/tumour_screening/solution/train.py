"""Fit the screening model, report a cross-validated score, save the model."""

import json

import numpy as np
import pandas as pd
from features import build

FOLDS = 5


def fit(inputs: pd.DataFrame, target: pd.Series, strength: float = 0.1) -> dict:
    """Logistic regression by Newton's method: medians for what is missing, an L2 penalty, equal classes."""
    median = inputs.median()
    filled = inputs.fillna(median)
    mean, deviation = filled.mean(), filled.std()
    x = np.column_stack([np.ones(len(filled)), (filled - mean) / deviation])
    y = target.to_numpy(dtype=float)
    weight = np.where(y == 1, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    penalty = np.eye(x.shape[1]) / strength
    penalty[0, 0] = 0
    beta = np.zeros(x.shape[1])
    for _ in range(15):
        p = 1 / (1 + np.exp(-x @ beta))
        slope = x.T @ (weight * (y - p)) - penalty @ beta
        beta += np.linalg.solve((x.T * (weight * p * (1 - p))) @ x + penalty, slope)
    columns = {
        "median": median,
        "mean": mean,
        "deviation": deviation,
        "weight": pd.Series(beta[1:], mean.index),
    }
    return {"level": float(beta[0]), "columns": pd.DataFrame(columns).to_dict()}


def probabilities(model: dict, inputs: pd.DataFrame) -> np.ndarray:
    columns = pd.DataFrame(model["columns"]).loc[list(inputs)]
    scaled = (inputs.fillna(columns["median"]) - columns["mean"]) / columns["deviation"]
    return 1 / (1 + np.exp(-(scaled.to_numpy() @ columns["weight"].to_numpy() + model["level"])))


def average_precision(target: np.ndarray, probability: np.ndarray) -> float:
    ranked = target[np.argsort(-probability, kind="stable")]
    return float((np.cumsum(ranked) / np.arange(1, len(ranked) + 1))[ranked == 1].mean())


def main() -> None:
    train = pd.read_csv("data/train.csv")
    inputs, target = build(train), train["malignant"]
    # each fold gets its share of the malignant samples
    fold = target.groupby(target).cumcount().to_numpy() % FOLDS
    held_out = np.zeros(len(target))
    for number in range(FOLDS):
        inside, outside = fold != number, fold == number
        held_out[outside] = probabilities(fit(inputs[inside], target[inside]), inputs[outside])
        part = average_precision(target[outside].to_numpy(), held_out[outside])
        print(f"fold {number}: {outside.sum()} rows, average precision {part:.4f}")
    print(f"rows {len(inputs)}, features {inputs.shape[1]}, positives {target.sum()}")
    print(f"average precision {average_precision(target.to_numpy(), held_out):.4f}")
    missed = train.assign(probability=held_out)[(target == 1) & (held_out < 0.5)]
    print("malignant samples below 0.5:")
    print(missed[["id", "clinic", "worst_radius", "worst_concave_points", "probability"]].to_string())
    with open("screening.json", "w") as file:
        json.dump(fit(inputs, target), file, indent=1)
    print("saved screening.json")


if __name__ == "__main__":
    main()
