# %%
import pandas as pd

diary = pd.read_csv("data/train.csv", parse_dates=["date"])
test = pd.read_csv("data/test.csv", parse_dates=["date"])
print(len(diary), "days in train,", len(test), "in test")
print("train", diary["date"].min().date(), "to", diary["date"].max().date())
print("test ", test["date"].min().date(), "to", test["date"].max().date())
print(diary.head(12).to_string(index=False))

# %%
import pandas as pd

diary = pd.read_csv("data/train.csv", parse_dates=["date"])
print(diary["weather"].value_counts().to_string())
print(
    diary.groupby("weather")[["precipitation", "temp_max", "temp_min", "wind"]]
    .describe()
    .T.round(1)
    .to_string()
)

# %%
import pandas as pd

diary = pd.read_csv("data/train.csv", parse_dates=["date"])
by_month = pd.crosstab(diary["date"].dt.month, diary["weather"])
print(by_month.to_string())
print(pd.crosstab(diary["date"].dt.year, diary["weather"]).to_string())

# %%
import pandas as pd

diary = pd.read_csv("data/train.csv")
dry = diary["precipitation"] == 0
print("words of dry days")
print(diary.loc[dry, "weather"].value_counts().to_string())
print("words of wet days")
print(diary.loc[~dry, "weather"].value_counts().to_string())
