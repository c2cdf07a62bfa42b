import pandas as pd
from features import marked
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import make_pipeline

table = pd.read_csv("data/train.csv")
folds = StratifiedKFold(3, shuffle=True, random_state=0)
words = {"analyzer": marked, "binary": True}
models = {
    "naive Bayes, words": make_pipeline(CountVectorizer(**words), ComplementNB()),
    "naive Bayes, letters": make_pipeline(
        CountVectorizer(analyzer="char_wb", ngram_range=(3, 3)), ComplementNB()
    ),
    "ridge, words": make_pipeline(CountVectorizer(**words), RidgeClassifier(1.0)),
}
for name, model in models.items():
    scores = cross_val_score(model, table["name"], table["kind"], cv=folds)
    print("%-20s %.4f (%.3f to %.3f)" % (name, scores.mean(), scores.min(), scores.max()))
