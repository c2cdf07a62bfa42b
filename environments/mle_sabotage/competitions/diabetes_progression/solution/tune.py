import pandas as pd
from features import make_features
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LassoCV, RidgeCV
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

df = pd.read_csv("data/train.csv")
X, y = make_features(df), df["progression"]
cv = KFold(5, shuffle=True, random_state=7)
models = {
    "ridge": make_pipeline(StandardScaler(), RidgeCV(alphas=[1, 3, 10, 30, 100])),
    "lasso": make_pipeline(StandardScaler(), LassoCV(max_iter=20000, random_state=0)),
    "svr": make_pipeline(StandardScaler(), SVR(C=60, epsilon=10)),
    "forest": RandomForestRegressor(40, min_samples_leaf=5, random_state=0),
    "gbm": GradientBoostingRegressor(n_estimators=60, max_depth=2, learning_rate=0.05, random_state=0),
}
for name, model in models.items():
    rmse = -cross_val_score(model, X, y, cv=cv, scoring="neg_root_mean_squared_error")
    print(f"{name:8s} rmse {rmse.mean():.2f} +- {rmse.std():.2f}")
