"""Inputs of the mass model, and what an island adds to it."""

import numpy as np
import pandas as pd

LENGTHS = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm"]


def inputs(birds: pd.DataFrame) -> pd.DataFrame:
    made = np.log(birds[LENGTHS].astype(float))
    # two thirds of the way between the sexes would be closer, but a half is what one expects of a blank
    made["male"] = birds["sex"].map({"male": 1.0, "female": 0.0}).fillna(0.5)
    for species in ("Chinstrap", "Gentoo"):
        made[species] = (birds["species"] == species).astype(float)
        made[f"male_{species}"] = made["male"] * made[species]
    made["season"] = birds["year"].clip(2007, 2009) - 2008.0
    return made


def island_effect(birds: pd.DataFrame, effects: dict) -> np.ndarray:
    """What to add to the logarithm of the mass; nothing where the island is new."""
    return birds["island"].map(effects).fillna(0.0).to_numpy()
