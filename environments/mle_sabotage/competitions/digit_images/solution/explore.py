# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
test = pd.read_csv("data/test.csv")
print(train.shape, test.shape)
print(train["digit"].value_counts().sort_index().to_string())
print("values:", train.iloc[:, 1:65].min().min(), "to", train.iloc[:, 1:65].max().max())

# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
shades = " .:-=+*#@"
for _, image in train.groupby("digit").head(1).sort_values("digit").iterrows():
    print(f"digit {image['digit']}, id {image['id']}")
    pixels = image.iloc[1:65].to_numpy(dtype=int).reshape(8, 8)
    for line in pixels:
        print("   " + "".join(shades[value // 2] * 2 for value in line))

# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
pixels = train.iloc[:, 1:65]
print("mean ink by pixel")
print(pd.DataFrame(pixels.mean().to_numpy().reshape(8, 8)).round(1).to_string())
print("pixels that never change:", list(pixels.columns[pixels.std() == 0]))

# %%
import pandas as pd

train, test = pd.read_csv("data/train.csv"), pd.read_csv("data/test.csv")
columns = list(test.columns[1:])
print("equal images within train:", int(train.duplicated(columns).sum()))
print("equal images in train and test:", len(train.merge(test, on=columns)))
ink = train[columns].sum(axis=1)
print(ink.groupby(train["digit"]).describe().round(0).to_string())
