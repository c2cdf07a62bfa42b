import json
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
from features import in_sequence, parts

SMOOTHING = 0.3
FOLDS = 4


def fit(table):
    """Naive Bayes on which parts a name has, each counted once, against all other kinds together."""
    counts = defaultdict(Counter)
    for name, kind in zip(table["name"], table["kind"]):
        counts[kind].update(set(parts(name)))
    everywhere = sum(counts.values(), Counter())
    kept = [part for part, count in everywhere.items() if count >= 2]
    kinds = sorted(counts)
    here = np.array([[counts[kind][part] for kind in kinds] for part in kept]) + SMOOTHING
    elsewhere = np.array([[everywhere[part]] for part in kept]) + SMOOTHING * len(kinds) - here
    weights = np.log(here / here.sum(axis=0)) - np.log(elsewhere / elsewhere.sum(axis=0))
    return {"kinds": kinds, "weights": dict(zip(kept, weights.round(4).tolist()))}


def classify(names, model):
    """The kind whose parts speak for it most."""
    nothing = [0.0] * len(model["kinds"])
    found = []
    for name in names:
        told = [model["weights"].get(part, nothing) for part in set(parts(name))]
        found.append(model["kinds"][int(np.sum(told, axis=0).argmax())])
    return found


if __name__ == "__main__":
    table = in_sequence(pd.read_csv("data/train.csv"))
    guess = pd.Series("", index=table.index)
    fold = table.groupby("kind").cumcount() % FOLDS
    for number in range(FOLDS):
        model = fit(table[fold != number])
        guess[fold == number] = classify(table.loc[fold == number, "name"], model)
    right = guess == table["kind"]
    print("accuracy: %.4f" % right.mean())
    print("by kind:")
    print(right.groupby(table["kind"]).agg(["mean", "size"]).round(3).to_string())
    wrong = table[~right].assign(guess=guess[~right])
    print(f"{len(wrong)} wrong, for example:")
    print(wrong.head(20).to_string(index=False))

    model = fit(table)
    with open("kinds.json", "w") as file:
        json.dump(model, file)
    print("vocabulary: %d parts" % len(model["weights"]))
