"""Features for the screening model, shared by training and prediction."""

import numpy as np
import pandas as pd

MEASUREMENTS = [
    "radius",
    "texture",
    "perimeter",
    "area",
    "smoothness",
    "compactness",
    "concavity",
    "concave_points",
    "symmetry",
    "fractal_dimension",
]
SKEWED = ["mean_area", "worst_area", "mean_concavity", "worst_concavity"]
LARGEST_AREA = 4000.0


def from_group(frame: pd.DataFrame) -> np.ndarray:
    """Whether a sample comes from one of the C clinics, which share a scanner."""
    return frame["clinic"].str.startswith("C").to_numpy(dtype=float)


def build(frame: pd.DataFrame) -> pd.DataFrame:
    """Model inputs of raw rows; rows keep their order."""
    columns = [f"{kind}_{name}" for kind in ("mean", "worst") for name in MEASUREMENTS]
    made = frame[columns].astype(float)
    # a handful of slides have areas far outside of what the scanner can resolve
    made["worst_area"] = made["worst_area"].clip(upper=LARGEST_AREA)
    for name in SKEWED:
        made[name] = np.log1p(made[name])
    for name in MEASUREMENTS:
        made[f"spread_{name}"] = frame[f"worst_{name}"] / frame[f"mean_{name}"].clip(lower=1e-6)
    made["roundness"] = frame["mean_perimeter"] ** 2 / frame["mean_area"]
    made["from_group"] = from_group(frame)
    return made
