import json

import numpy as np
import pandas as pd
from features import build
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_predict

cars = pd.read_csv("data/train.csv")
X = build(cars)
y = np.log(cars["mpg"])
centre = X.mean()
spread = X.std()
ridge = Ridge(alpha=1.0)
held_out = np.exp(cross_val_predict(ridge, (X - centre) / spread, y, cv=10))
error = (held_out - cars["mpg"]).abs()
print("10-fold mean absolute error: %.3f mpg" % error.mean())
print("90%% of the errors are below %.2f mpg" % error.quantile(0.9))
print("worst five:")
print(cars.assign(predicted=held_out.round(1), error=error.round(1)).nlargest(5, "error").to_string())
print("by origin:")
print(error.groupby(cars["origin"]).mean().round(2).to_string())

ridge.fit((X - centre) / spread, y)
print("coefficients:")
for column, coefficient in zip(X.columns, ridge.coef_):
    print("  %-18s %+.4f" % (column, coefficient))
with open("economy.json", "w") as file:
    json.dump(
        {
            "columns": list(X.columns),
            "centre": centre.tolist(),
            "spread": spread.tolist(),
            "coefficients": ridge.coef_.tolist(),
            "intercept": float(ridge.intercept_),
        },
        file,
    )
