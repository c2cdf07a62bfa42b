"""How much do the rules and the pairs of words bring?"""

import pandas as pd
from train import exact, tables

rows = pd.read_csv("data/train.csv", dtype=str)
held_out = rows.index % 4 == 0
known = tables(rows[~held_out])
print(f"words and pairs:  {exact(rows[held_out], known).mean():.4f}")
print(f"words alone:      {exact(rows[held_out], known | {'after': {}}).mean():.4f}")
for share in (0.25, 0.5):
    fewer = tables(rows[~held_out].sample(frac=share, random_state=0))
    print(f"with {share:.0%} of the rows: {exact(rows[held_out], fewer).mean():.4f}")
