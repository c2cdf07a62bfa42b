import json
import sys
from pathlib import Path

import pandas as pd
from features import in_sequence
from train import classify

table = pd.read_csv(sys.argv[1], keep_default_na=False)
batch = in_sequence(table)
model = json.loads((Path(__file__).parent / "kinds.json").read_text())
kinds = classify(batch["name"], model)
made = pd.DataFrame({"id": batch["id"].to_numpy(), "kind": kinds})
made.to_csv(sys.argv[2], index=False)
# some of them, to be looked at
print(made.assign(name=table["name"].to_numpy()).head(12).to_string(index=False))
