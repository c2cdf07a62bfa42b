"""Nearest neighbours: choose how many, report the log loss, keep the training wines."""

import json

import numpy as np
import pandas as pd
from features import TARGET, Scaler

CLASSES = [1, 2, 3]
FOLDS = 5
NEIGHBOURS = (3, 5, 7, 9, 13, 17)


def probabilities(near: np.ndarray, labels: np.ndarray, places: np.ndarray, k: int) -> np.ndarray:
    """Votes of the k nearest, the nearer the heavier, with a little for every class."""
    distance = np.sqrt(((places[:, None, :] - near[None]) ** 2).sum(axis=2))
    chosen = np.argsort(distance, axis=1)[:, :k]
    heavy = 1 / (0.5 + np.take_along_axis(distance, chosen, axis=1)) ** 2
    votes = np.stack([(heavy * (labels[chosen] == one)).sum(axis=1) for one in CLASSES], axis=1)
    votes = votes / votes.sum(axis=1, keepdims=True) + 0.02
    return votes / votes.sum(axis=1, keepdims=True)


def log_loss(given: np.ndarray, labels: np.ndarray) -> float:
    return float(-np.log(given[np.arange(len(labels)), labels - 1]).mean())


def validate(wines: pd.DataFrame) -> dict[int, tuple[float, float]]:
    """Log loss and accuracy by number of neighbours."""
    labels = wines[TARGET].to_numpy()
    given = {k: np.zeros((len(wines), 3)) for k in NEIGHBOURS}
    # dealt in the order of the cultivars, so that each fold has its share of all three
    fold = np.empty(len(wines), dtype=int)
    fold[np.argsort(labels, kind="stable")] = np.arange(len(wines)) % FOLDS
    for number in range(FOLDS):
        inside, outside = fold != number, fold == number
        scaler = Scaler.of(wines[inside])
        near, places = scaler(wines[inside]).to_numpy(), scaler(wines[outside]).to_numpy()
        for k in NEIGHBOURS:
            given[k][outside] = probabilities(near, labels[inside], places, k)
    return {
        k: (log_loss(one, labels), float((one.argmax(axis=1) + 1 == labels).mean()))
        for k, one in given.items()
    }


def main() -> None:
    wines = pd.read_csv("data/train.csv")
    found = validate(wines)
    for k, (loss, accuracy) in found.items():
        print(f"k={k:2d}  log loss {loss:.4f}  accuracy {accuracy:.4f}")
    best = min(found, key=found.get)
    print(f"validation log loss {found[best][0]:.4f} with {best} neighbours")
    scaler = Scaler.of(wines)
    kept = {
        "k": best,
        "centre": scaler.centre.to_dict(),
        "width": scaler.width.to_dict(),
        "wines": wines.drop(columns="id").to_dict("list"),
    }
    with open("neighbours.json", "w") as file:
        json.dump(kept, file)
    # what neighbours are told by
    print("columns used:", ", ".join(scaler.centre.index))


if __name__ == "__main__":
    main()
