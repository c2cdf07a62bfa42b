# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
print(train.shape, pd.read_csv("data/test.csv").shape)
print(train.head(8).to_string(index=False))
print("missing values:", int(train.isna().sum().sum()))

# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
print(train.describe().T.round(1).to_string())
for name in ("hormone_therapy", "menopause", "grade"):
    print(train.groupby(name)["relapse"].agg(["size", "mean"]).round(3).to_string())

# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
# events per thousand days of follow-up, by quarter of each number
for name in ("age", "tumour_size", "nodes", "progesterone", "oestrogen"):
    groups = train.groupby(pd.qcut(train[name], 4, duplicates="drop"), observed=True)
    rate = 1000 * groups["relapse"].sum() / groups["days"].sum()
    print(name, rate.round(3).to_dict())

# %%
import pandas as pd

train = pd.read_csv("data/train.csv").sort_values("days")
at_risk = len(train) - pd.Series(range(len(train)), index=train.index)
survival = (1 - train["relapse"] / at_risk).cumprod()
for day in range(365, 2556, 365):
    print(f"without relapse after {day // 365} years: {survival[train['days'] <= day].iloc[-1]:.3f}")
