import json

import numpy as np
import pandas as pd
from features import make_features

SEED = 7
ALPHAS = np.logspace(-1, 3, 25)


def ridge(Z, y):
    """Weights, level and alpha: the one with which each patient is predicted best by the others."""
    level = y.mean()
    u, s, v = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)
    along = u.T @ (y - level)
    best = None
    for alpha in ALPHAS:
        kept = s**2 / (s**2 + alpha)
        rest = (y - level - u @ (kept * along)) / (1 - (u**2) @ kept - 1 / len(y))
        if best is None or (rest**2).mean() < best[0]:
            best = (rest**2).mean(), alpha, v.T @ (s / (s**2 + alpha) * along)
    _, alpha, coef = best
    return coef, level - Z.mean(axis=0) @ coef, alpha


df = pd.read_csv("data/train.csv")
y = df["progression"].to_numpy(dtype=float)
X = make_features(df)
mean, scale = X.mean(), X.std()
Z = ((X - mean) / scale).to_numpy()

oof = np.zeros(len(y))
for fold, va in enumerate(np.array_split(np.random.default_rng(SEED).permutation(len(y)), 5)):
    coef, intercept, alpha = ridge(np.delete(Z, va, axis=0), np.delete(y, va))
    oof[va] = Z[va] @ coef + intercept
    rmse = np.sqrt(np.mean((oof[va] - y[va]) ** 2))
    print(f"fold {fold}: alpha {alpha:7.2f}  rmse {rmse:.3f}")

print(f"CV rmse {np.sqrt(np.mean((oof - y) ** 2)):.3f}  (mean only: {y.std():.3f})")
print(f"CV mae  {np.mean(np.abs(oof - y)):.3f}")

coef, intercept, alpha = ridge(Z, y)
weights = pd.Series(coef, index=X.columns)
print(weights.sort_values(key=np.abs, ascending=False).round(2).to_string())
model = {
    "columns": list(X.columns),
    "mean": mean.round(6).tolist(),
    "scale": scale.round(6).tolist(),
    "coef": coef.round(6).tolist(),
    "intercept": round(float(intercept), 6),
}
with open("ridge.json", "w") as f:
    json.dump(model, f, indent=1)
print("wrote ridge.json")
