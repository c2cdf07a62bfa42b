import json

import numpy as np
import pandas as pd
from features import build

ALPHA = 1.0
FOLDS = 10


def ridge(x, y):
    """Coefficients and level of a ridge regression on standardised columns."""
    x_mean, y_mean = x.mean(axis=0), y.mean()
    inner = (x - x_mean).T @ (x - x_mean) + ALPHA * np.eye(x.shape[1])
    coefficients = np.linalg.solve(inner, (x - x_mean).T @ (y - y_mean))
    return coefficients, y_mean - x_mean @ coefficients


cars = pd.read_csv("data/train.csv")
X = build(cars)
y = np.log(cars["mpg"]).to_numpy()
centre = X.mean()
spread = X.std()
standard = ((X - centre) / spread).to_numpy()
held_out = np.zeros(len(y))
for number, fold in enumerate(np.array_split(np.arange(len(y)), FOLDS)):
    coefficients, level = ridge(np.delete(standard, fold, axis=0), np.delete(y, fold))
    held_out[fold] = np.exp(standard[fold] @ coefficients + level)
    print("fold %d: %.3f mpg off on average" % (number, np.abs(held_out[fold] - np.exp(y[fold])).mean()))
error = (held_out - cars["mpg"]).abs()
print("10-fold mean absolute error: %.3f mpg" % error.mean())
print("90%% of the errors are below %.2f mpg" % error.quantile(0.9))
print("worst five:")
print(cars.assign(predicted=held_out.round(1), error=error.round(1)).nlargest(5, "error").to_string())
print("by origin:")
print(error.groupby(cars["origin"]).mean().round(2).to_string())

coefficients, level = ridge(standard, y)
print("coefficients:")
for column, coefficient in zip(X.columns, coefficients):
    print("  %-18s %+.4f" % (column, coefficient))
with open("economy.json", "w") as file:
    json.dump(
        {
            "columns": list(X.columns),
            "centre": centre.tolist(),
            "spread": spread.tolist(),
            "coefficients": coefficients.tolist(),
            "intercept": float(level),
        },
        file,
    )
