import numpy as np
import pandas as pd
from features import centred, lags
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import TimeSeriesSplit

months = pd.read_csv("data/train.csv")
inputs, target = lags(months), months["temperature"].to_numpy()


def fit(rows):
    saved = {"centre": inputs[rows].mean(axis=0), "width": inputs[rows].std(axis=0)}
    model = RidgeCV(alphas=np.logspace(-2, 3, 21)).fit(centred(inputs[rows], saved), target[rows])
    return saved | {"weights": model.coef_, "level": model.intercept_, "alpha": model.alpha_}


def forecast(saved, rows):
    return centred(inputs[rows], saved) @ saved["weights"] + saved["level"]


# each fold is forecast from the years before it only
errors = []
for past, future in TimeSeriesSplit(n_splits=6, test_size=48).split(inputs):
    saved = fit(past)
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
