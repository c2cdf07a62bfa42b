"""Compare a few models on the same folds."""

import pandas as pd
from features import build
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from train import model

train = pd.read_csv("data/train.csv")
inputs, target = build(train), train["malignant"]
folds = StratifiedKFold(5, shuffle=True, random_state=0)
candidates = {
    "logistic C=0.02": model(0.02),
    "logistic C=0.1": model(0.1),
    "logistic C=1": model(1.0),
    "random forest": RandomForestClassifier(50, min_samples_leaf=2, random_state=0),
    "boosted trees": HistGradientBoostingClassifier(max_iter=30, learning_rate=0.08, random_state=0),
}
for name, candidate in candidates.items():
    filled = inputs.fillna(inputs.median()) if name == "random forest" else inputs
    scores = cross_val_score(candidate, filled, target, cv=folds, scoring="average_precision")
    print(f"{name:16} {scores.mean():.4f} ± {scores.std():.4f}   folds {scores.round(3).tolist()}")
