# %%
import pandas as pd

train, test = pd.read_csv("data/train.csv"), pd.read_csv("data/test.csv")
for name, table in {"train": train, "test": test}.items():
    print(name, table.shape, "missing:", int(table.isna().sum().sum()))
print(train.sample(8, random_state=1).to_string(index=False))

# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
print(train.drop(columns="id").describe(percentiles=[0.05, 0.5, 0.95]).T.round(2).to_string())
print("skewness")
print(train.drop(columns="id").skew().round(2).to_string())

# %%
import pandas as pd

train = pd.read_csv("data/train.csv").drop(columns="id")
print(train.corr(method="spearman").round(2).to_string())

# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
for name in ("bmi", "log_triglycerides", "blood_pressure", "hdl"):
    bins = pd.qcut(train[name], 5)
    print(
        train.groupby(bins, observed=True)["progression"].agg(["count", "mean", "std"]).round(1).to_string()
    )
    print()

# %%
import numpy as np
import pandas as pd

train = pd.read_csv("data/train.csv")
histogram, edges = np.histogram(train["progression"], bins=12)
for count, low, high in zip(histogram, edges[:-1], edges[1:]):
    print(f"{low:6.0f} to {high:6.0f}  {'#' * int(count)}")
print(
    "distinct targets:", train["progression"].nunique(), "all whole:", (train["progression"] % 1 == 0).all()
)
print("baseline RMSE of the mean:", round(train["progression"].std(), 2))
