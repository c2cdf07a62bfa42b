"""Which classifier, and do the ratios help?"""

from __future__ import annotations

import pandas as pd
from features import PenguinFeatures
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

records = pd.read_csv("data/train.csv")
splitter = StratifiedKFold(3, shuffle=True, random_state=0)
models = {
    "linear discriminant": LinearDiscriminantAnalysis(),
    "extra trees": ExtraTreesClassifier(20, random_state=0),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
}
for with_ratios in (False, True):
    features = PenguinFeatures(with_ratios=with_ratios).transform(records)
    for name, model in models.items():
        scores = cross_val_score(model, features, records["species"], cv=splitter, scoring="f1_macro")
        print(f"ratios={with_ratios!s:5}  {name:20} {scores.mean():.4f} (worst fold {scores.min():.4f})")
