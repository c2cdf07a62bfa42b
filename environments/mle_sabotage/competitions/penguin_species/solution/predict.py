"""Identifies penguins: python3 predict.py INPUT.csv OUTPUT.csv"""

from __future__ import annotations

import argparse
from pathlib import Path

import joblib
import pandas as pd
from features import SPECIES, PenguinFeatures, weights_of


def identify(records: pd.DataFrame, model_file: Path) -> pd.DataFrame:
    model = joblib.load(model_file)
    assert list(model.classes_) == list(SPECIES), model.classes_
    probability = model.predict_proba(PenguinFeatures().transform(records))
    probability = probability * weights_of(records)
    return pd.DataFrame({"id": records["id"], "species": SPECIES[probability.argmax(axis=1)]})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    answer = identify(pd.read_csv(options.input), Path(__file__).parent / "penguins.joblib")
    answer.to_csv(options.output, index=False)
    print(answer["species"].value_counts().to_string())


if __name__ == "__main__":
    main()
