"""Count what each word became, alone and after the notice's first word; keep the commonest."""

import json
from collections import Counter, defaultdict

import pandas as pd
from features import aligned
from predict import written_out


def tables(rows: pd.DataFrame) -> dict[str, dict[str, str]]:
    alone, after = defaultdict(Counter), defaultdict(Counter)
    for row in rows.itertuples():
        for first, word, became in aligned(row.notice, row.plain):
            if not any(character.isdigit() for character in word) or word.startswith("H"):
                alone[word][became] += 1
                after[f"{first} {word}"][became] += 1
    common = {word: counts.most_common(1)[0][0] for word, counts in alone.items()}
    # a pair is only worth keeping if it says something else than the word alone
    special = {}
    for pair, counts in after.items():
        became, count = counts.most_common(1)[0]
        if count >= 2 and became != common[pair.split()[1]]:
            special[pair] = became
    return {"alone": common, "after": special}


def exact(rows: pd.DataFrame, known: dict) -> pd.Series:
    return rows["notice"].map(lambda text: written_out(text, known)) == rows["plain"]


if __name__ == "__main__":
    rows = pd.read_csv("data/train.csv", dtype=str)
    scores = []
    for fold in range(5):
        held_out = rows.index % 5 == fold
        right = exact(rows[held_out], tables(rows[~held_out]))
        scores.append(right.mean())
        print(f"fold {fold}: {right.mean():.4f} exact")
    print(f"exact matches in validation: {sum(scores) / 5:.4f}")
    known = tables(rows)
    # what is still wrong
    missed = rows[~exact(rows, known)].head(5)
    for row in missed.itertuples():
        print("wanted ", row.plain)
        print("   made", written_out(row.notice, known))
    with open("words.json", "w") as file:
        json.dump(known, file, indent=0, sort_keys=True)
    print(len(known["alone"]), "words,", len(known["after"]), "pairs:", list(known["after"].items())[:12])
