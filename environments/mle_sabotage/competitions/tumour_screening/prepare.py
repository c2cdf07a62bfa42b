"""Data of the tumour screening: all benign samples, and so many malignant ones that they are rare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from molehunt.environments.mle_sabotage.competitions.parts import Prepared
from molehunt.environments.mle_sabotage.competitions.splitting import competition, drawn

if TYPE_CHECKING:
    from pandas import DataFrame

MALIGNANT = 80
"""Malignant samples in the competition; the source has 212, the others are left for the sabotage."""
CLINICS = [f"{letter}{digit}" for letter in "CFHKP" for digit in range(1, 10)]


def prepare(seed: int) -> Prepared:
    """Training, test and answer rows, and a sample submission."""
    used, _ = samples(seed)
    return competition(used, "malignant", 0.17, drawn(used, 0.4, seed, by="malignant"), seed=seed)


def samples(seed: int) -> tuple[DataFrame, DataFrame]:
    """The samples of the competition, and the malignant ones that are not in it."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer

    source = load_breast_cancer(as_frame=True)
    random = np.random.default_rng(seed)
    measured = [name for name in source.data.columns if name.startswith(("mean", "worst"))]
    table = source.data[measured].rename(columns=lambda name: name.replace(" ", "_"))
    table = table.assign(malignant=1 - source.target)  # the source has 0 for malignant
    table.insert(0, "clinic", random.choice(CLINICS, len(table)))
    table["mean_texture"] = table["mean_texture"].mask(random.random(len(table)) < 0.03)
    malignant = random.permutation(np.flatnonzero(table["malignant"]))
    spare = np.isin(np.arange(len(table)), malignant[MALIGNANT:])
    return table[~spare].reset_index(drop=True), table[spare].reset_index(drop=True)
