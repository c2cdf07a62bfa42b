"""Data of the hourly temperatures: every third hour of a year, a third of the days without their values."""

from __future__ import annotations

from molehunt.environments.mle_sabotage.competitions.parts import Prepared
from molehunt.environments.mle_sabotage.competitions.sources import shipped
from molehunt.environments.mle_sabotage.competitions.splitting import competition

STEP = 3
"""Hours from one row to the next: the source is smooth, and a third of it tells the same."""


def prepare(seed: int) -> Prepared:
    """Training, test and answer rows in the order of time, and a sample submission."""
    import numpy as np
    import pandas as pd

    random = np.random.default_rng(seed)
    hours = pd.read_csv(shipped("vega_datasets", "_data", "seattle-temps.csv"))
    time = pd.to_datetime(hours["date"], format="%Y/%m/%d %H:%M")
    day = time.dt.normalize()
    daily = hours.groupby(day)["temp"].agg(["mean", "max", "min"])
    daily["swing"] = daily["max"] - daily["min"]
    before = daily.shift(1, freq="D").reindex(day).reset_index(drop=True)
    weather = random.normal(0, 2.0, size=daily.shape[0])[day.rank(method="dense").astype(int) - 1]
    rows = pd.DataFrame(
        {
            "time": time.dt.strftime("%Y-%m-%d %H:%M"),
            "mean_before": (before["mean"] + random.normal(0, 1.0, len(hours))).round(1),
            "swing_before": before["swing"].round(1),
            "temperature": (hours["temp"] + weather).round(
                1
            ),  # the source is a mean of years, without weather
        }
    )
    kept = (time.dt.hour % STEP == 0) & before["mean"].notna()
    gap = random.permutation(daily.shape[0]) < daily.shape[0] // 3
    lost = gap[day.rank(method="dense").astype(int) - 1]
    rows = rows[kept].reset_index(drop=True)
    return competition(rows, "temperature", 52.0, lost[kept.to_numpy()])
