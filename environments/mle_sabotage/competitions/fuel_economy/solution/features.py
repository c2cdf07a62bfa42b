"""Data sheets to model inputs.

Consumption goes with powers of weight and engine size, so the model works on logarithms.
"""

import numpy as np
import pandas as pd

POUND = 0.45359237  # kg
CUBIC_INCH = 0.016387  # litres
LAST_YEAR = 1982  # of the archive as we have it

DIESEL = ("diesel", r"\(d\)", "sdl")


def weight(sheets):
    """Weight in pounds as given. A negative one or one over ten tons (LAST_YEAR has none) is an error."""
    w = sheets["weight_lbs"].astype(float)
    wrong = (w < 0) | (w > 10000 / POUND)
    return w.mask(wrong, w.median())


def fill_power(sheets):
    power = sheets["horsepower"].astype(float)
    return power.fillna(sheets["displacement"] * 0.35 + 35)


def build(sheets):
    out = pd.DataFrame(index=sheets.index)
    out["log_weight"] = np.log(weight(sheets))
    out["log_litres"] = np.log(sheets["displacement"] * CUBIC_INCH)
    out["log_power"] = np.log(fill_power(sheets))
    out["log_acceleration"] = np.log(sheets["acceleration"])
    # beyond the archive nobody knows how the trend goes on: keep the last year's level
    out["year"] = sheets["year"].clip(1970, LAST_YEAR) - 1976
    out["year_squared"] = out["year"] ** 2
    out["cylinders"] = sheets["cylinders"]
    out["diesel"] = sheets["name"].str.contains("|".join(DIESEL)).astype(int)
    for place in ("Europe", "Japan"):
        out[place] = (sheets["origin"] == place).astype(int)
    return out
