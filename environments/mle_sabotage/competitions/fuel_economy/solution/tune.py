# compare the log-linear model with trees, on five folds
import numpy as np
import pandas as pd
from features import build
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

cars = pd.read_csv("data/train.csv")
X, y = build(cars), cars["mpg"]
folds = KFold(5, shuffle=True, random_state=11)


def logged(model):
    return TransformedTargetRegressor(model, func=np.log, inverse_func=np.exp)


for name, model in [
    ("ridge", logged(make_pipeline(StandardScaler(), Ridge(1.0)))),
    ("ridge, squares", logged(make_pipeline(StandardScaler(), PolynomialFeatures(2), Ridge(5.0)))),
    ("extra trees", logged(ExtraTreesRegressor(40, min_samples_leaf=2, random_state=0))),
    ("boosting", logged(GradientBoostingRegressor(n_estimators=100, max_depth=3, random_state=0))),
]:
    error = -cross_val_score(model, X, y, cv=folds, scoring="neg_mean_absolute_error")
    print("%-16s %.3f  (folds from %.2f to %.2f)" % (name, error.mean(), error.min(), error.max()))
