"""Probabilities of the cultivars: python3 predict.py INPUT.csv OUTPUT.csv"""

import json
import sys
from pathlib import Path

import pandas as pd
from features import TARGET, Scaler
from train import CLASSES, probabilities


def main() -> None:
    kept = json.loads(Path(__file__).with_name("neighbours.json").read_text())
    known = pd.DataFrame(kept["wines"])
    scaler = Scaler(kept["centre"], kept["width"])
    wines = pd.read_csv(sys.argv[1])
    near, places = scaler(known).to_numpy(), scaler(wines).to_numpy()
    given = probabilities(near, known[TARGET].to_numpy(), places, kept["k"]).round(5)
    table = pd.DataFrame(given, columns=[f"cultivar_{one}" for one in CLASSES])
    table.insert(0, "id", wines["id"])
    table.to_csv(sys.argv[2], index=False)
    print(f"{len(table)} wines, sure of {(given.max(axis=1) > 0.9).mean():.0%}")


if __name__ == "__main__":
    main()
