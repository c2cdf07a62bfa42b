# %%
import pandas as pd

wine = pd.read_csv("data/train.csv")
print(wine.shape, "missing:", wine.isna().sum().sum())
print(wine.head(6).T.to_string())

# %%
import pandas as pd

wine = pd.read_csv("data/train.csv")
print(wine["cultivar"].value_counts().sort_index().to_string())
print(wine.groupby("cultivar").mean().drop(columns=["id", "lot"]).T.round(2).to_string())

# %%
import pandas as pd
from sklearn.feature_selection import f_classif

wine = pd.read_csv("data/train.csv")
measured = wine.drop(columns=["id", "lot", "cultivar"])
statistic, _ = f_classif(measured, wine["cultivar"])
print(pd.Series(statistic, measured.columns).sort_values(ascending=False).round(1).to_string())

# %%
import pandas as pd

wine = pd.read_csv("data/train.csv")
measured = wine.drop(columns=["id", "lot", "cultivar"])
print(measured.corr().round(2).to_string())
z = (measured - measured.mean()) / measured.std()
print("values beyond three standard deviations:")
print(z.abs().gt(3).sum().loc[lambda s: s > 0].to_string())
