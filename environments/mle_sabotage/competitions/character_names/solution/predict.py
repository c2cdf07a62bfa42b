import sys
from pathlib import Path

import joblib
import pandas as pd
from features import in_sequence

table = pd.read_csv(sys.argv[1], keep_default_na=False)
batch = in_sequence(table)
model = joblib.load(Path(__file__).parent / "kinds.joblib")
kinds = model.predict(batch["name"])
made = pd.DataFrame({"id": batch["id"].to_numpy(), "kind": kinds})
made.to_csv(sys.argv[2], index=False)
print(made["kind"].value_counts().to_string())
