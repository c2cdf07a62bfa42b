import pandas as pd
from features import classifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import make_pipeline

table = pd.read_csv("data/train.csv")
folds = StratifiedKFold(4, shuffle=True, random_state=0)
models = {f"linear SVC, C={C:g}": classifier(C) for C in (0.3, 1.0, 3.0)}
models["naive Bayes, words"] = make_pipeline(CountVectorizer(ngram_range=(1, 2), binary=True), ComplementNB())
for name, model in models.items():
    scores = cross_val_score(model, table["name"], table["kind"], cv=folds)
    print("%-20s %.4f (%.3f to %.3f)" % (name, scores.mean(), scores.min(), scores.max()))
