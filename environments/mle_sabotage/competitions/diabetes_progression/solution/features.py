import numpy as np
import pandas as pd

BASE = ["age", "sex", "bmi", "blood_pressure", "cholesterol", "ldl", "hdl", "log_triglycerides", "glucose"]


def add_interactions(X: pd.DataFrame) -> pd.DataFrame:
    """Products that doctors would look at together."""
    X = X.copy()
    X["bmi_x_bp"] = (X["bmi"] - 26) * (X["blood_pressure"] - 95)
    X["bmi_x_trig"] = (X["bmi"] - 26) * (X["log_triglycerides"] - 4.6)
    X["age_x_sex"] = (X["age"] - 48) * (X["sex"] - 1.5)
    X["bmi_sq"] = (X["bmi"] - 26) ** 2
    X["glucose_sq"] = (X["glucose"] - 91) ** 2
    return X


def tidy(values, low=25, high=350, sep=" to "):
    """Keep to the range that the page names; also returns it as text for the log."""
    values = np.clip(np.asarray(values, dtype=float), low, high)
    named = f"{low}{sep}{high}"
    return values, named


def make_features(df: pd.DataFrame) -> pd.DataFrame:
    X = df[BASE].astype(float)
    # sex is coded 1/2, everything above is a typo in the form
    X["sex"] = X["sex"].clip(1, 2)
    X["trig_over_hdl"] = np.exp(X["log_triglycerides"]) / X["hdl"]
    X["non_hdl"] = X["cholesterol"] - X["hdl"]
    return add_interactions(X)
