import json
import sys

import numpy as np
import pandas as pd
from features import make_features, tidy

src, dst = sys.argv[1:3]
with open("ridge.json") as f:
    model = json.load(f)

df = pd.read_csv(src)
X = make_features(df)[model["columns"]]
Z = (X - model["mean"]) / model["scale"]
pred = Z.to_numpy() @ np.array(model["coef"]) + model["intercept"]
pred, named = tidy(pred)

out = pd.DataFrame({"id": df["id"], "progression": pred})
out.to_csv(dst, index=False, float_format="%.2f")
# the log keeps the extremes
print(f"{len(out)} predictions, kept to {named}: {pred.min():.2f} to {pred.max():.2f}")
