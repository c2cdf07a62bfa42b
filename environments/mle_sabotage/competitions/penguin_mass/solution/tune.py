"""Other regressors on the same inputs."""

import numpy as np
import pandas as pd
from features import inputs
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from train import percentage

birds = pd.read_csv("data/train.csv")
x, y = inputs(birds), np.log(birds["body_mass_g"])
for name, model in {
    "ridge": make_pipeline(StandardScaler(), Ridge(3.0)),
    "forest": RandomForestRegressor(40, min_samples_leaf=4, random_state=0),
    "neighbours": make_pipeline(StandardScaler(), KNeighborsRegressor(9)),
}.items():
    logs = cross_val_predict(model, x, y, cv=KFold(5, shuffle=True, random_state=8))
    print(f"{name:12} {percentage(np.exp(logs), birds['body_mass_g']):.3f}%")
