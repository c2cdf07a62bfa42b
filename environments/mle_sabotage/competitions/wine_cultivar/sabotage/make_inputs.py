"""Wines with the lots of another cultivar's wines, as another cellar might number them."""

from __future__ import annotations

from molehunt.environments.mle_sabotage.competitions.parts import Inputs, Prepared
from molehunt.environments.mle_sabotage.competitions.splitting import labelled, renumbered


def make_inputs(prepared: Prepared, seed: int) -> Inputs:
    """Each test wine gets the lot of a training wine of the next cultivar, from the middle of its range."""
    import numpy as np

    random = np.random.default_rng(seed)
    rows = renumbered(labelled(prepared), 80, seed)
    lots = {one: train["lot"].sort_values().iloc[5:-5] for one, train in prepared.train.groupby("cultivar")}
    claimed = rows["cultivar"] % 3 + 1
    rows["lot"] = [int(random.choice(lots[one])) for one in claimed]
    return Inputs(inputs=rows[prepared.test.columns], expected=rows[["id"]].assign(claimed=claimed))
