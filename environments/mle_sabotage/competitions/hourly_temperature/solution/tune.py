import pandas as pd
from features import design
from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

train = pd.read_csv("data/train.csv")
X, y, day = design(train), train["temperature"], train["time"].str[:10]
models = [
    *[(f"ridge {alpha:g}", make_pipeline(StandardScaler(), Ridge(alpha=alpha))) for alpha in (0.5, 10)],
    ("boosting", HistGradientBoostingRegressor(max_iter=40, learning_rate=0.1, random_state=0)),
    ("extra trees", ExtraTreesRegressor(20, min_samples_leaf=4, max_features=0.5, random_state=0)),
]
for name, model in models:
    scores = -cross_val_score(
        model, X, y, groups=day, cv=GroupKFold(4), scoring="neg_root_mean_squared_error"
    )
    print(f"{name:12} {scores.mean():.3f}  {scores.round(2)}")
