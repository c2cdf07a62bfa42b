# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
test = pd.read_csv("data/test.csv")
print(train.shape, test.shape)
print(train.sample(15, random_state=3).to_string(index=False))
print(train["kind"].value_counts().to_string())

# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
for kind, rows in train.groupby("kind"):
    print(kind.upper())
    for name in rows["name"].head(6):
        print("   ", name)

# %%
import collections

import pandas as pd

train = pd.read_csv("data/train.csv")
print("commonest words by kind")
for kind, rows in train.groupby("kind"):
    words = collections.Counter(word for name in rows["name"] for word in name.split())
    print(f"{kind:12}", ", ".join(f"{word} {count}" for word, count in words.most_common(9)))

# %%
import pandas as pd

train = pd.read_csv("data/train.csv")
test = pd.read_csv("data/test.csv")
first = train["name"].str.split().str[0]
print("scripts (first words) in train:", first.nunique())
unseen = set(test["name"].str.split().str[0]) - set(first)
print("first words only in test:", len(unseen), sorted(unseen)[:20])
print("words a name:", train["name"].str.split().str.len().describe().round(1).to_dict())
print("ids in order:", train["id"].is_monotonic_increasing, test["id"].is_monotonic_increasing)
