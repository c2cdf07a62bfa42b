"""Risk factors as numbers."""

import numpy as np
import pandas as pd

GRADES = {"I": 1, "II": 2, "III": 3}


def factors(patients: pd.DataFrame) -> pd.DataFrame:
    made = pd.DataFrame(index=patients.index)
    made["log_nodes"] = np.log(patients["nodes"].clip(lower=1))
    made["sqrt_progesterone"] = np.sqrt(patients["progesterone"].clip(upper=500))
    made["sqrt_oestrogen"] = np.sqrt(patients["oestrogen"].clip(upper=500))
    made["size"] = patients["tumour_size"].clip(upper=80) / 10
    # the young relapse more often; above 45 age matters little
    made["young"] = (45 - patients["age"]).clip(lower=0) / 10
    made["grade"] = patients["grade"].map(GRADES)
    made["low_grade"] = (patients["grade"] == "I").astype(float)
    made["therapy"] = (patients["hormone_therapy"] == "yes").astype(float)
    made["postmenopausal"] = (patients["menopause"] == "Post").astype(float)
    return made


def apart(patients: pd.DataFrame) -> np.ndarray:
    """Patients whom the study had too few of: under thirty."""
    return ((patients["age"] < 30) & (patients["nodes"] > 0)).to_numpy()


def exposure(train: pd.DataFrame) -> np.ndarray:
    """Nelson–Aalen cumulative hazard up to each patient's last day."""
    order = np.argsort(train["days"].to_numpy(), kind="stable")
    hazard = np.empty(len(train))
    hazard[order] = np.cumsum(train["relapse"].to_numpy()[order] / np.arange(len(train), 0, -1))
    return hazard.clip(min=1e-3)
