"""Which classifier, and do the ratios help?"""

from __future__ import annotations

import pandas as pd
from features import PenguinFeatures
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

records = pd.read_csv("data/train.csv")
splitter = RepeatedStratifiedKFold(n_splits=3, n_repeats=1, random_state=0)
models = {
    "extra trees": ExtraTreesClassifier(40, random_state=0),
    "random forest": RandomForestClassifier(40, random_state=0),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
}
for with_ratios in (False, True):
    features = PenguinFeatures(with_ratios=with_ratios).transform(records)
    for name, model in models.items():
        scores = cross_val_score(model, features, records["species"], cv=splitter, scoring="f1_macro")
        print(f"ratios={with_ratios!s:5}  {name:20} {scores.mean():.4f} (worst fold {scores.min():.4f})")
