"""Identifies penguins: python3 predict.py INPUT.csv OUTPUT.csv"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from features import SPECIES, weights_of
from train import probabilities


def identify(records: pd.DataFrame, model_file: Path) -> pd.DataFrame:
    model = dict(np.load(model_file))
    assert model["shares"].shape == SPECIES.shape, "trained on other species"
    probability = probabilities(model, records)
    probability = probability * weights_of(records)
    return pd.DataFrame({"id": records["id"], "species": SPECIES[probability.argmax(axis=1)]})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    records = pd.read_csv(options.input)
    answer = identify(records, Path(__file__).parent / "penguins.npz")
    answer.to_csv(options.output, index=False)
    # how many of each, over all records
    print(answer["species"].value_counts().to_string())


if __name__ == "__main__":
    main()
