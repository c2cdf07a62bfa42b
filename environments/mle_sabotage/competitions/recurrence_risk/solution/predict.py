import sys
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from features import apart, factors

if __name__ == "__main__":
    patients = pd.read_csv(sys.argv[1])
    model = joblib.load(Path(__file__).with_name("risk.joblib"))
    # logarithm of the hazard, around 0 for the average patient
    risk = np.log(model.predict(factors(patients)))
    # these are few: they stay where the others are on average
    risk = np.where(apart(patients), risk / 2, risk)
    pd.DataFrame({"id": patients["id"], "risk": risk.round(5)}).to_csv(sys.argv[2], index=False)
    quarters = np.quantile(risk, [0, 0.25, 0.5, 0.75, 1]).round(2)
    print(f"{len(risk)} patients, quartiles of the risk {quarters.tolist()}")
