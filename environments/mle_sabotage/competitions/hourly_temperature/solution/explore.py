# %%
import pandas as pd

train = pd.read_csv("data/train.csv", parse_dates=["time"])
test = pd.read_csv("data/test.csv", parse_dates=["time"])
print(train.head(10).to_string(index=False))
for name, frame in (("train", train), ("test", test)):
    print(name, len(frame), "hours from", frame["time"].min(), "to", frame["time"].max())

# %%
import pandas as pd

train = pd.read_csv("data/train.csv", parse_dates=["time"])
month, hour = train["time"].dt.month.rename("month"), train["time"].dt.hour.rename("hour")
print(train.pivot_table(index=month, columns=hour, values="temperature").round(1).to_string())

# %%
import pandas as pd

train = pd.read_csv("data/train.csv", parse_dates=["time"])
test = pd.read_csv("data/test.csv", parse_dates=["time"])
days = pd.concat([train.assign(part="train"), test.assign(part="test")])
days["day"] = days["time"].dt.date
print("whole days are missing:", days.groupby("day")["part"].nunique().max() == 1)
print(days.groupby([days["time"].dt.month, "part"])["day"].nunique().unstack().to_string())

# %%
import pandas as pd

train = pd.read_csv("data/train.csv", parse_dates=["time"])
train["departure"] = train["temperature"] - train["mean_before"]
print(train["departure"].describe().round(2).to_string())
print(train.groupby(train["time"].dt.hour)["departure"].agg(["mean", "std"]).round(2).to_string())
print(train[["temperature", "mean_before", "swing_before", "departure"]].corr().round(3).to_string())
