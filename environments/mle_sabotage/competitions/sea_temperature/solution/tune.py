import numpy as np
import pandas as pd
from features import lags
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import BayesianRidge, HuberRegressor
from sklearn.model_selection import TimeSeriesSplit, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

months = pd.read_csv("data/train.csv")
inputs, target = lags(months), months["temperature"]
split = TimeSeriesSplit(n_splits=4, test_size=48)
for model in (
    BayesianRidge(),
    HuberRegressor(alpha=1.0, max_iter=1000),
    KNeighborsRegressor(12, weights="distance"),
    ExtraTreesRegressor(40, min_samples_leaf=3, random_state=0),
):
    chain = make_pipeline(StandardScaler(), model)
    scores = -cross_val_score(chain, inputs, target, cv=split, scoring="neg_root_mean_squared_error")
    print(f"{type(model).__name__:22} {np.sqrt((scores**2).mean()):.4f}  {scores.round(3)}")
