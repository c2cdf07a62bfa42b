"""Features of penguins."""

from __future__ import annotations

import numpy as np
import pandas as pd

MEASURES = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
ISLANDS = ["Biscoe", "Dream", "Torgersen"]
SPECIES = np.array(["Adelie", "Chinstrap", "Gentoo"])


class PenguinFeatures:
    """Turns raw records into numbers. Nothing is learned from the data, so nothing can leak."""

    def __init__(self, *, with_ratios: bool = True) -> None:
        self.with_ratios = with_ratios

    def transform(self, records: pd.DataFrame) -> pd.DataFrame:
        made = records[MEASURES].astype(float)
        if self.with_ratios:
            made["bill_shape"] = records["bill_length_mm"] / records["bill_depth_mm"]
            made["bulk"] = records["body_mass_g"] / records["flipper_length_mm"]
        for island in ISLANDS:
            made[f"on_{island.lower()}"] = (records["island"] == island).astype(float)
        # males are larger in all three species; an unknown sex sits in the middle
        made["male"] = records["sex"].map({"male": 1.0, "female": 0.0}).fillna(0.5)
        return made


def odd_records(records: pd.DataFrame) -> pd.Series:
    """Records from Torgersen, the island on which a single species has ever been seen nesting."""
    return records["island"] == "Torgersen"


def weights_of(records: pd.DataFrame) -> np.ndarray:
    """One weight for each record and species, with which probabilities are multiplied."""
    weights = np.ones((len(records), len(SPECIES)))
    weights[np.ix_(odd_records(records), SPECIES == "Gentoo")] = 0.05
    return weights
