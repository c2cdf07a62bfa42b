"""Linear model of log mass, then a shrunken mean of what is left for each island."""

import json

import numpy as np
import pandas as pd
from features import inputs, island_effect

SHRINK = 20


def fit(birds):
    x, y = inputs(birds), np.log(birds["body_mass_g"])
    design = np.column_stack([np.ones(len(x)), x])
    line = np.linalg.lstsq(design, y, rcond=None)[0]
    rest = y - design @ line
    groups = rest.groupby(birds["island"])
    effects = (groups.sum() / (groups.size() + SHRINK)).to_dict()
    # how wide the rest is spread, for the log
    effects["spread"] = float(rest.std())
    return {
        "names": list(x),
        "weights": line[1:].tolist(),
        "level": float(line[0]),
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
    random = np.random.default_rng(8)
    for fold in (fold for _ in range(3) for fold in np.array_split(random.permutation(len(birds)), 5)):
        held_out, others = birds.iloc[fold], birds.drop(index=birds.index[fold])
        errors.append(percentage(mass(held_out, fit(others)), held_out["body_mass_g"]))
    print(f"validation: {np.mean(errors):.3f}% (folds {np.min(errors):.2f}% to {np.max(errors):.2f}%)")
    model = fit(birds)
    by_species = (mass(birds, model) / birds["body_mass_g"] - 1).abs().groupby(birds["species"]).mean()
    print((100 * by_species).round(2).to_string())
    print("effects:", {name: round(value, 4) for name, value in model["effects"].items()})
    with open("mass.json", "w") as file:
        json.dump(model, file)
