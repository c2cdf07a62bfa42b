# %%
import pandas as pd

train = pd.read_csv("data/train.csv", dtype=str)
for row in train.head(12).itertuples():
    print(row.notice)
    print("   ->", row.plain)

# %%
import pandas as pd

train = pd.read_csv("data/train.csv", dtype=str)
counts = pd.DataFrame(
    {"notice": train["notice"].str.split().str.len(), "plain": train["plain"].str.split().str.len()}
)
print(counts.describe().round(1).to_string())
print("same number of words in", round((counts["notice"] == counts["plain"]).mean(), 3))

# %%
import collections

import pandas as pd

train = pd.read_csv("data/train.csv", dtype=str)
words = collections.Counter(word for text in train["notice"] for word in text.split() if not word.isdigit())
print(len(words), "different words; the commonest:")
print(", ".join(f"{word} {count}" for word, count in words.most_common(60)))

# %%
import re

import pandas as pd

both = pd.concat([pd.read_csv("data/train.csv", dtype=str), pd.read_csv("data/test.csv", dtype=str)])
shapes = {}
for text in both["notice"]:
    for word in text.split():
        if any(character.isdigit() for character in word):
            shape = re.sub(r"\d", "9", word)
            shapes[shape] = shapes.get(shape, 0) + 1
print("shapes of numbers:", shapes)
print("examples with SVC:")
print("\n".join(both.loc[both["notice"].str.contains("SVC"), "notice"].head(8)))
