import joblib
import numpy as np
import pandas as pd
from features import design
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def make_model():
    return make_pipeline(StandardScaler(), Ridge(alpha=2.0))


train = pd.read_csv("data/train.csv")
X, y = design(train), train["temperature"]
# whole days are missing in test, so whole days are held out
day = train["time"].str[:10]
held_out = pd.Series(np.nan, index=train.index)
for inside, outside in GroupKFold(5).split(X, y, day):
    held_out.iloc[outside] = make_model().fit(X.iloc[inside], y.iloc[inside]).predict(X.iloc[outside])
error = held_out - y
print(f"RMSE by held-out days: {np.sqrt((error**2).mean()):.3f} °F")
print(f"RMSE of yesterday's mean: {np.sqrt(((train['mean_before'] - y) ** 2).mean()):.3f} °F")
print("mean error by hour")
print(error.groupby(train["time"].str[11:13]).mean().round(2).to_string())
print("RMSE by month")
print((error**2).groupby(train["time"].str[5:7]).mean().pow(0.5).round(2).to_string())
joblib.dump(make_model().fit(X, y), "temperature.joblib")
