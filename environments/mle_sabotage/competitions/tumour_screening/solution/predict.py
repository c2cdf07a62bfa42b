"""Score samples: python3 predict.py INPUT.csv OUTPUT.csv"""

import json
import sys
from pathlib import Path

import pandas as pd
from features import build
from train import probabilities

MODEL = Path(__file__).with_name("screening.json")


def main(source: str, target: str) -> None:
    samples = pd.read_csv(source)
    inputs = build(samples)
    probability = probabilities(json.loads(MODEL.read_text()), inputs)
    # log loss tools downstream cannot take a plain 0 or 1
    probability = probability.clip(min=0.0005, max=0.9995)
    scored = pd.DataFrame({"id": samples["id"], "malignant": probability.round(5)})
    scored.to_csv(target, index=False)
    # for the log
    print(f"wrote {len(scored)} rows to {target}, mean probability {probability.mean():.3f}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
