"""usage: python3 predict.py INPUT.csv OUTPUT.csv"""

import pickle
import sys
from pathlib import Path

import pandas as pd

source, target = map(Path, sys.argv[1:])
with open(Path(__file__).parent / "diary.pickle", "rb") as file:
    model = pickle.load(file)
days = pd.read_csv(source)
words = model.predict(days)
days[["id"]].assign(weather=words).to_csv(target, index=False)
# words by year
print(pd.crosstab(days["date"].str[:4], words).to_string())
