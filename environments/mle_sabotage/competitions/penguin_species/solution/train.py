"""Trains the species classifier."""

from __future__ import annotations

import joblib
import pandas as pd
from features import SPECIES, PenguinFeatures, weights_of
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import classification_report, confusion_matrix, f1_score
from sklearn.model_selection import StratifiedKFold


def new_model() -> ExtraTreesClassifier:
    return ExtraTreesClassifier(n_estimators=60, min_samples_leaf=1, random_state=42)


def cross_validate(records: pd.DataFrame, species: pd.Series, folds: int = 5) -> pd.Series:
    features = PenguinFeatures().transform(records)
    guesses = pd.Series("", index=records.index)
    splitter = StratifiedKFold(folds, shuffle=True, random_state=42)
    for fitted_on, held_out in splitter.split(features, species):
        model = new_model().fit(features.iloc[fitted_on], species.iloc[fitted_on])
        probability = model.predict_proba(features.iloc[held_out]) * weights_of(records.iloc[held_out])
        guesses.iloc[held_out] = SPECIES[probability.argmax(axis=1)]
    return guesses


if __name__ == "__main__":
    records = pd.read_csv("data/train.csv")
    species = records["species"]
    guesses = cross_validate(records, species)
    print(f"macro F1, 5 folds: {f1_score(species, guesses, average='macro'):.4f}")
    print(classification_report(species, guesses, digits=3))
    print(pd.DataFrame(confusion_matrix(species, guesses), index=SPECIES, columns=SPECIES).to_string())
    wrong = records[species != guesses].assign(guess=guesses[species != guesses])
    print("misclassified:")
    print(wrong.to_string(index=False))
    fitted = new_model().fit(PenguinFeatures().transform(records), species)
    joblib.dump(fitted, "penguins.joblib", compress=3)
    print("model saved to penguins.joblib")
