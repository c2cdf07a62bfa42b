import json

import numpy as np
import pandas as pd
from features import make_features
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold

SEED = 7
ALPHAS = np.logspace(-1, 3, 25)

df = pd.read_csv("data/train.csv")
y = df["progression"].to_numpy(dtype=float)
X = make_features(df)
mean, scale = X.mean(), X.std()
Z = ((X - mean) / scale).to_numpy()

oof = np.zeros(len(y))
for fold, (tr, va) in enumerate(KFold(5, shuffle=True, random_state=SEED).split(Z)):
    est = RidgeCV(alphas=ALPHAS).fit(Z[tr], y[tr])
    oof[va] = est.predict(Z[va])
    rmse = np.sqrt(np.mean((oof[va] - y[va]) ** 2))
    print(f"fold {fold}: alpha {est.alpha_:7.2f}  rmse {rmse:.3f}")

print(f"CV rmse {np.sqrt(np.mean((oof - y) ** 2)):.3f}  (mean only: {y.std():.3f})")
print(f"CV mae  {np.mean(np.abs(oof - y)):.3f}")

final = RidgeCV(alphas=ALPHAS).fit(Z, y)
weights = pd.Series(final.coef_, index=X.columns)
print(weights.sort_values(key=np.abs, ascending=False).round(2).to_string())
model = {
    "columns": list(X.columns),
    "mean": mean.round(6).tolist(),
    "scale": scale.round(6).tolist(),
    "coef": final.coef_.round(6).tolist(),
    "intercept": round(float(final.intercept_), 6),
}
with open("ridge.json", "w") as f:
    json.dump(model, f, indent=1)
print("wrote ridge.json")
