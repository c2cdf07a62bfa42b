# %%
import pandas as pd

cars = pd.read_csv("data/train.csv")
print(cars.shape)
print(cars.to_string(max_rows=24))

# %%
import pandas as pd

cars = pd.read_csv("data/train.csv")
print(cars.describe().round(2).to_string())
print("blank horsepower:", cars["horsepower"].isna().sum(), "in train,", end=" ")
print(pd.read_csv("data/test.csv")["horsepower"].isna().sum(), "in test")
print(cars.pivot_table(index="year", columns="origin", values="mpg", aggfunc="mean").round(1).to_string())

# %%
import numpy as np
import pandas as pd

cars = pd.read_csv("data/train.csv")
numbers = cars[["mpg", "displacement", "horsepower", "weight_lbs", "acceleration", "year"]]
print("correlation with mpg, plain and of logarithms")
plain, logs = numbers.corr()["mpg"], np.log(numbers).corr()["mpg"]
print(pd.DataFrame({"plain": plain, "log": logs}).round(3).to_string())

# %%
import pandas as pd

cars = pd.read_csv("data/train.csv")
print(cars["name"].str.split().str[0].value_counts().to_string())
print(cars.groupby("cylinders")["mpg"].describe().round(1).to_string())
