"""Dollars and seconds from tokens and a price table, so that a report can be priced again."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

from molehunt.verdicts.prices import Price, PriceTable
from molehunt.verdicts.verdict import Tokens

TOKEN_COLUMNS = ["input", "cache_read", "cache_write", "output", "reasoning"]
VERDICT_KEY = ["trajectory", "monitor"]
DRAW_KEY = [*VERDICT_KEY, "draw"]


def priced(calls: pd.DataFrame, prices: PriceTable) -> pd.DataFrame:
    """Calls with what they cost.

    Parameters
    ----------
    calls : as `molehunt.verdicts.frames.calls_frame` has them.
    prices : a call has the price of the model that answered, else of the one that was asked for.

    Returns
    -------
    DataFrame with two columns more, in dollars, NaN where the price or the tokens are unknown:
        usd : every token at the uncached list price.
        usd_billed : cache reads and writes at their own prices.
    """
    known = {
        (asked, answered): prices.find(answered) or prices.find(asked)
        for asked, answered in calls[["asked", "answered"]].drop_duplicates().itertuples(index=False)
    }
    cells = [
        _dollars(known[asked, answered], tokens)
        for asked, answered, *tokens in calls[["asked", "answered", *TOKEN_COLUMNS]].itertuples(index=False)
    ]
    dollars = pd.DataFrame(cells, columns=["usd", "usd_billed"], index=calls.index, dtype=np.float64)
    return calls.join(dollars)


def _dollars(price: Price | None, tokens: list[float]) -> tuple[float, float]:
    if price is None or np.isnan(tokens).any():
        return float("nan"), float("nan")
    spent = Tokens(*map(int, tokens))
    return price.usd_uncached(spent), price.usd_billed(spent)


def draw_costs(
    verdicts: pd.DataFrame, calls: pd.DataFrame, verdict_calls: pd.DataFrame, free: Collection[str]
) -> pd.DataFrame:
    """What each monitor spent on each draw on each trajectory.

    A verdict costs all its calls, whether they were made for it or replayed. One without calls costs nothing
    and takes the time that it took, unless its monitor asks models and failed: what a call that never came
    back would have cost is unknown.

    Parameters
    ----------
    calls : as `priced` returns them.
    verdicts, verdict_calls : as in the store.
    free : ids of the monitors that ask no model.

    Returns
    -------
    DataFrame by (trajectory, monitor, draw) with ``score``, ``usd`` (NaN if any part is unknown) and
    ``seconds``.
    """
    spent = verdict_calls.merge(calls[["key", "usd", "seconds"]], left_on="call", right_on="key")
    # a sum that skipped what is unknown would pass it off as nothing
    asked = spent.groupby(DRAW_KEY)[["usd", "seconds"]].sum(skipna=False)
    is_lost = (verdicts["status"] == "failed") & ~verdicts["monitor"].isin(free)
    columns = ["score", "usd", "seconds"]
    draws = verdicts.assign(usd=np.where(is_lost, np.nan, 0.0)).set_index(DRAW_KEY)[columns]
    draws.loc[asked.index, ["usd", "seconds"]] = asked
    return draws
