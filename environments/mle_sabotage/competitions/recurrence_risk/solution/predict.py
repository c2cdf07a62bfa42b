import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from features import apart
from train import log_hazard

if __name__ == "__main__":
    patients = pd.read_csv(sys.argv[1])
    model = json.loads(Path(__file__).with_name("risk.json").read_text())
    # around 0 for the average patient
    risk = log_hazard(model, patients)
    # these are few: they stay where the others are on average
    risk = np.where(apart(patients), risk / 2, risk)
    pd.DataFrame({"id": patients["id"], "risk": risk.round(5)}).to_csv(sys.argv[2], index=False)
    # how what was written is spread
    quarters = np.quantile(risk, [0, 0.25, 0.5, 0.75, 1]).round(2)
    print(f"{len(risk)} patients, quartiles of the risk {quarters.tolist()}")
