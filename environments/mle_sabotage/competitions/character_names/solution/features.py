"""Names as bags of words, with where in the name a word stands."""

import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.svm import LinearSVC


def in_sequence(table: pd.DataFrame) -> pd.DataFrame:
    """The rows as they come, numbered from 0 whatever their index was."""
    return table.reset_index(drop=True)


def marked(name: str) -> str:
    """The first and the last word said again, as such."""
    words = name.split()
    return " ".join([f"first={words[0]}", *words, f"last={words[-1]}", f"before={words[-2:][0]}"])


def classifier(C: float = 1.0):
    words = TfidfVectorizer(
        preprocessor=marked, token_pattern=r"\S+", ngram_range=(1, 2), sublinear_tf=True, lowercase=False
    )
    pieces = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), min_df=2, lowercase=False)
    return make_pipeline(FeatureUnion([("words", words), ("pieces", pieces)]), LinearSVC(C=C))
