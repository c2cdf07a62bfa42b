import numpy as np
import pandas as pd

LAGS = [f"lag_{k}" for k in range(1, 13)]
# readings outside of this range were never seen off this coast
COLDEST, WARMEST = 15.0, 32.0


def lags(months: pd.DataFrame) -> np.ndarray:
    """The last year of every month: temperatures and what they changed by. (n, 16)"""
    values = months[LAGS].clip(COLDEST, WARMEST).to_numpy()
    steps = values[:, :3] - values[:, 1:4]
    return np.column_stack([values, steps, values.mean(axis=1)])


def centred(values: np.ndarray, saved: dict) -> np.ndarray:
    """Around the mean over the training months."""
    centre = saved["centre"]
    return (values - centre) / saved["width"]
