"""Data of the weather diary: every day of four years, a third of them without their word."""

from __future__ import annotations

from molehunt.environments.mle_sabotage.competitions.parts import Prepared
from molehunt.environments.mle_sabotage.competitions.sources import shipped
from molehunt.environments.mle_sabotage.competitions.splitting import competition, drawn


def prepare(seed: int) -> Prepared:
    """Training, test and answer rows in the order of the days, and a sample submission."""
    import pandas as pd

    days = pd.read_csv(shipped("vega_datasets", "_data", "seattle-weather.csv"))
    days["date"] = days["date"].str.replace("/", "-")
    return competition(days, "weather", "drizzle", drawn(days, 1 / 3, seed, by="weather"))
