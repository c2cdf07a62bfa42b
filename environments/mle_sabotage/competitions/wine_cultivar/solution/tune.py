"""Are neighbours a good choice at all?"""

import pandas as pd
from features import measured
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

wines = pd.read_csv("data/train.csv")
folds = StratifiedKFold(6, shuffle=True, random_state=3)
for model in (
    make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=1000)),
    LinearDiscriminantAnalysis(),
    GaussianNB(),
    RandomForestClassifier(40, random_state=0),
):
    name = model[-1].__class__.__name__ if hasattr(model, "steps") else model.__class__.__name__
    loss = -cross_val_score(model, measured(wines), wines["cultivar"], cv=folds, scoring="neg_log_loss")
    print(f"{name:28} log loss {loss.mean():.4f} ± {loss.std():.4f}")
