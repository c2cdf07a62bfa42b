import numpy as np
import pandas as pd
from features import centred, lags

ALPHAS = np.logspace(-2, 3, 11)
FOLDS, YEARS = 6, 4

months = pd.read_csv("data/train.csv")
inputs, target = lags(months), months["temperature"].to_numpy()


def fit(rows):
    saved = {"centre": inputs[rows].mean(axis=0), "width": inputs[rows].std(axis=0)}
    z, level = centred(inputs[rows], saved), target[rows].mean()
    chosen = None
    for alpha in ALPHAS:
        inverse = np.linalg.inv(z.T @ z + alpha * np.eye(z.shape[1]))
        weights = inverse @ z.T @ (target[rows] - level)
        # leaving one month out, without fitting anew
        left_out = (target[rows] - level - z @ weights) / (1 - np.einsum("ij,jk,ik->i", z, inverse, z))
        if chosen is None or (left_out**2).mean() < chosen[0]:
            chosen = (left_out**2).mean(), alpha, weights
    return saved | {"weights": chosen[2], "level": level, "alpha": chosen[1]}


def forecast(saved, rows):
    return centred(inputs[rows], saved) @ saved["weights"] + saved["level"]


# each fold is forecast from the years before it only
errors = []
for fold in range(FOLDS, 0, -1):
    start = len(target) - 12 * YEARS * fold
    future = np.arange(start, start + 12 * YEARS)
    saved = fit(np.arange(start))
    error = forecast(saved, future) - target[future]
    errors.append(error)
    rmse, alpha = np.sqrt((error**2).mean()), saved["alpha"]
    print(f"months {future[0]}-{future[-1]}: RMSE {rmse:.3f}, bias {error.mean():+.3f}, alpha {alpha:.2f}")
errors = np.concatenate(errors)
print(f"validation RMSE {np.sqrt((errors**2).mean()):.4f} °C")
print(f"last month as forecast {np.sqrt(((inputs[-288:, 0] - target[-288:]) ** 2).mean()):.4f} °C")
print("largest misses:", np.sort(np.abs(errors))[-6:].round(2))

saved = fit(np.arange(len(target)))
np.savez("sea.npz", **saved)
print("weights of the lags:", saved["weights"][:12].round(2))
