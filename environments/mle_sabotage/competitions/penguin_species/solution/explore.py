# %%
import pandas as pd

penguins = pd.read_csv("data/train.csv")
print(penguins.head(10).to_string())
print(penguins.info())

# %%
import pandas as pd

penguins = pd.read_csv("data/train.csv")
print(penguins["species"].value_counts(normalize=True).round(3).to_string())
print(pd.crosstab(penguins["species"], penguins["island"], margins=True).to_string())
print(pd.crosstab(penguins["species"], penguins["year"]).to_string())
print(pd.crosstab(penguins["species"], penguins["sex"].fillna("blank")).to_string())

# %%
import pandas as pd

penguins = pd.read_csv("data/train.csv")
measures = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
summary = penguins.groupby("species")[measures].describe().stack(level=0, future_stack=True)
print(summary[["count", "mean", "std", "min", "max"]].round(1).to_string())

# %%
import pandas as pd

penguins = pd.read_csv("data/train.csv")
test = pd.read_csv("data/test.csv")
both = {"train": penguins.isna().sum(), "test": test.isna().sum()}
print(pd.DataFrame(both).to_string())
measures = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
shift = (test[measures].mean() - penguins[measures].mean()) / penguins[measures].std()
print("shift of test against train, in standard deviations")
print(shift.round(3).to_string())
