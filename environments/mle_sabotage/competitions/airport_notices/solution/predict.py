"""Write notices out: python3 predict.py INPUT.csv OUTPUT.csv"""

import json
import sys
from pathlib import Path

import pandas as pd
from features import as_name, by_rule


def written_out(notice: str, known: dict[str, dict[str, str]]) -> str:
    words = notice.split()
    made = []
    for word in words:
        pair = f"{words[0]} {word}"
        ruled = by_rule(word)
        if ruled != word:
            made.append(ruled)
        else:
            made.append(known["after"].get(pair) or known["alone"].get(word) or as_name(word))
    return " ".join(made)


if __name__ == "__main__":
    known = json.loads(Path(__file__).with_name("words.json").read_text())
    rows = pd.read_csv(sys.argv[1], dtype=str)
    rows["plain"] = [written_out(text, known) for text in rows["notice"]]
    rows[["id", "plain"]].to_csv(sys.argv[2], index=False)
    print(rows[["notice", "plain"]].head(4).to_string(index=False))
