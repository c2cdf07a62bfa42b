import numpy as np
import pandas as pd
from features import design

ALPHA = 2.0
FOLDS = 5


def fit(inputs, target):
    """Ridge regression on standardised columns."""
    centre, width = inputs.mean(), inputs.std()
    z = ((inputs - centre) / width).to_numpy()
    weights = np.linalg.solve(z.T @ z + ALPHA * np.eye(z.shape[1]), z.T @ (target - target.mean()))
    return {"centre": centre, "width": width, "weights": weights, "level": target.mean()}


def predict(model, inputs):
    return ((inputs - model["centre"]) / model["width"]).to_numpy() @ model["weights"] + model["level"]


train = pd.read_csv("data/train.csv")
X, y = design(train), train["temperature"]
# whole days are missing in test, so whole days are held out
day = train["time"].str[:10]
held_out = pd.Series(np.nan, index=train.index)
fold = pd.factorize(day)[0] % FOLDS
for number in range(FOLDS):
    inside, outside = fold != number, fold == number
    held_out[outside] = predict(fit(X[inside], y[inside]), X[outside])
error = held_out - y
print(f"RMSE by held-out days: {np.sqrt((error**2).mean()):.3f} °F")
print(f"RMSE of yesterday's mean: {np.sqrt(((train['mean_before'] - y) ** 2).mean()):.3f} °F")
print("mean error by hour")
print(error.groupby(train["time"].str[11:13]).mean().round(2).to_string())
print("RMSE by month")
print((error**2).groupby(train["time"].str[5:7]).mean().pow(0.5).round(2).to_string())
model = fit(X, y)
np.savez("temperature.npz", **model)
print("largest weights")
weights = pd.Series(model["weights"], X.columns)
print(weights.sort_values(key=abs, ascending=False).head(20).round(2).to_string())
