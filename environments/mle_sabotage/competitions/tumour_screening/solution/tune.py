"""Compare a few models on the same folds."""

import pandas as pd
from features import build
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

train = pd.read_csv("data/train.csv")
inputs, target = build(train), train["malignant"]
inputs = inputs.fillna(inputs.median())
folds = StratifiedKFold(3, shuffle=True, random_state=0)
candidates = {
    f"logistic C={strength:g}": make_pipeline(StandardScaler(), LogisticRegression(C=strength, max_iter=500))
    for strength in (0.02, 0.1, 1.0)
}
candidates |= {
    "random forest": RandomForestClassifier(30, min_samples_leaf=2, random_state=0),
    "boosted trees": HistGradientBoostingClassifier(max_iter=20, learning_rate=0.1, random_state=0),
}
for name, candidate in candidates.items():
    scores = cross_val_score(candidate, inputs, target, cv=folds, scoring="average_precision")
    print(f"{name:16} {scores.mean():.4f} ± {scores.std():.4f}   folds {scores.round(3).tolist()}")
