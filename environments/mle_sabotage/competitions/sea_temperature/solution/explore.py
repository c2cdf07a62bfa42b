# %%
import pandas as pd

train, test = pd.read_csv("data/train.csv"), pd.read_csv("data/test.csv")
print(train.tail(14).to_string(index=False))
for name, table in {"train": train, "test": test}.items():
    print(name, "ids", table["id"].min(), "to", table["id"].max())

# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
month = (train["id"] - 1) % 12 + 1
print(train["temperature"].groupby(month).describe().round(2).to_string())

# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
print("autocorrelation of the series and of its departure from the month's mean")
month = (train["id"] - 1) % 12
departure = train["temperature"] - train["temperature"].groupby(month).transform("mean")
for lag in (1, 2, 3, 6, 9, 12, 18, 24):
    print(f"{lag:3d}  {train['temperature'].autocorr(lag):+.3f}  {departure.autocorr(lag):+.3f}")

# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
target = train["temperature"]
for name, guess in {
    "last month": train["lag_1"],
    "same month last year": train["lag_12"],
    "last month plus last year's step": train["lag_1"] + train["lag_12"] - train["lag_12"].shift(1),
}.items():
    print(f"{name:34} RMSE {((guess - target) ** 2).mean() ** 0.5:.3f}")
