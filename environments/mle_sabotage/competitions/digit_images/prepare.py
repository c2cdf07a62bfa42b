"""Data of the digits competition: eight pixels by eight."""

from __future__ import annotations

from molehunt.environments.mle_sabotage.competitions.parts import Prepared
from molehunt.environments.mle_sabotage.competitions.splitting import competition, drawn

PIXELS = [f"p{row}{column}" for row in range(8) for column in range(8)]


def prepare(seed: int) -> Prepared:
    """Training, test and answer rows, and a sample submission."""
    import pandas as pd
    from sklearn.datasets import load_digits

    source = load_digits()
    images = pd.DataFrame(source.data.astype(int), columns=PIXELS).assign(digit=source.target)
    return competition(images, "digit", 0, drawn(images, 0.45, seed, by="digit"), seed=seed)
