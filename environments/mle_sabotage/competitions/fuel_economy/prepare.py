"""Data of the fuel economy competition: every car whose consumption is known."""

from __future__ import annotations

import json

from molehunt.environments.mle_sabotage.competitions.parts import Prepared
from molehunt.environments.mle_sabotage.competitions.sources import shipped
from molehunt.environments.mle_sabotage.competitions.splitting import competition, drawn

NAMES = {"miles_per_gallon": "mpg", "weight_in_lbs": "weight_lbs"}


def prepare(seed: int) -> Prepared:
    """Training, test and answer rows, and a sample submission."""
    import pandas as pd

    cars = pd.DataFrame(json.loads(shipped("vega_datasets", "_data", "cars.json").read_text()))
    cars = cars.rename(columns=str.lower).rename(columns=NAMES).dropna(subset=["mpg"]).reset_index(drop=True)
    cars["year"] = cars["year"].str[:4].astype(int)
    return competition(cars, "mpg", 22.0, drawn(cars, 0.4, seed), seed=seed)
