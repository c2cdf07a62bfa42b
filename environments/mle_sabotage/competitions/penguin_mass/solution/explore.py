# %%
import pandas as pd

birds = pd.read_csv("data/train.csv")
print(birds.shape, "train;", pd.read_csv("data/test.csv").shape, "test")
print(birds.head(20).to_string())
print(birds.isna().sum().to_string())
print(birds.describe().round(2).to_string())

# %%
import pandas as pd

birds = pd.read_csv("data/train.csv")
print(birds.groupby(["species", "sex"], dropna=False)["body_mass_g"].describe().round(0).to_string())
print(birds.groupby(["species", "island"])["body_mass_g"].agg(["size", "mean", "std"]).round(0).to_string())

# %%
import numpy as np
import pandas as pd

birds = pd.read_csv("data/train.csv")
for species, rows in birds.groupby("species"):
    numbers = np.log(rows[["body_mass_g", "bill_length_mm", "bill_depth_mm", "flipper_length_mm"]])
    print(species, numbers.corr()["body_mass_g"].round(2).to_dict())
print(birds.groupby("year")["body_mass_g"].mean().round(0).to_string())
