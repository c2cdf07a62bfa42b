import sys
from pathlib import Path

import joblib
import pandas as pd
from features import design


def main(source, target):
    frame = pd.read_csv(source)
    model = joblib.load(Path(__file__).with_name("temperature.joblib"))
    frame["temperature"] = model.predict(design(frame)).round(2)
    frame[["id", "temperature"]].to_csv(target, index=False)
    print(
        frame.groupby(frame["time"].str[:7])["temperature"].agg(["count", "mean", "max"]).round(1).to_string()
    )


if __name__ == "__main__":
    main(*sys.argv[1:3])
