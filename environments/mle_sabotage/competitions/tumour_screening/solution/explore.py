# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
test = pd.read_csv("data/test.csv")
print("train", train.shape, "test", test.shape)
print(train.head(8).to_string())
print(train.dtypes.value_counts())

# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
print("share malignant:", round(train["malignant"].mean(), 4), "n malignant:", train["malignant"].sum())
print(train.describe().T.round(3).to_string())
print("missing values")
print(train.isna().sum()[lambda s: s > 0])

# %%
import pandas as pd

train = pd.read_csv("data/train.csv").drop(columns=["id"])
by_class = train.drop(columns=["clinic"]).groupby("malignant").mean().T
by_class["ratio"] = by_class[1] / by_class[0]
print(by_class.round(3).sort_values("ratio", ascending=False).to_string())
print(train.drop(columns=["clinic"]).corr()["malignant"].sort_values().round(3).to_string())

# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
test = pd.read_csv("data/test.csv")
clinics = train.groupby("clinic")["malignant"].agg(["size", "sum", "mean"])
clinics["in_test"] = test["clinic"].value_counts()
print(clinics.round(3).to_string())
print("clinics only in test:", set(test["clinic"]) - set(train["clinic"]))

# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
numeric = train.drop(columns=["id", "clinic", "malignant"])
high = numeric.corr().abs().stack()
high = high[(high > 0.9) & (high < 1)].sort_values(ascending=False)
print("strongly correlated pairs:", len(high) // 2)
print(high.iloc[::2].round(3).head(15).to_string())
