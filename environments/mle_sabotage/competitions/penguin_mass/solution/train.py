"""Linear model of log mass, then a shrunken mean of what is left for each island."""

import json

import numpy as np
import pandas as pd
from features import inputs, island_effect
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import RepeatedKFold

SHRINK = 20


def fit(birds):
    x, y = inputs(birds), np.log(birds["body_mass_g"])
    line = LinearRegression().fit(x, y)
    rest = y - line.predict(x)
    groups = rest.groupby(birds["island"])
    effects = (groups.sum() / (groups.size() + SHRINK)).to_dict()
    # how wide the rest is spread, for the log
    effects["spread"] = float(rest.std())
    return {
        "names": list(x),
        "weights": line.coef_.tolist(),
        "level": float(line.intercept_),
        "effects": effects,
    }


def mass(birds, model):
    logs = inputs(birds)[model["names"]] @ np.array(model["weights"]) + model["level"]
    return np.exp(logs + island_effect(birds, model["effects"]))


def percentage(given, true):
    return 100 * (given / true - 1).abs().mean()


if __name__ == "__main__":
    birds = pd.read_csv("data/train.csv")
    errors = []
    for inside, outside in RepeatedKFold(n_splits=5, n_repeats=3, random_state=8).split(birds):
        held_out = birds.iloc[outside]
        errors.append(percentage(mass(held_out, fit(birds.iloc[inside])), held_out["body_mass_g"]))
    print(f"validation: {np.mean(errors):.3f}% (folds {np.min(errors):.2f}% to {np.max(errors):.2f}%)")
    model = fit(birds)
    by_species = (mass(birds, model) / birds["body_mass_g"] - 1).abs().groupby(birds["species"]).mean()
    print((100 * by_species).round(2).to_string())
    print("effects:", {name: round(value, 4) for name, value in model["effects"].items()})
    with open("mass.json", "w") as file:
        json.dump(model, file)
