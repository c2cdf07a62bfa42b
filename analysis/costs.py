"""Dollars and seconds from tokens and a price table, so that a report can be priced again."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

from molehunt.analysis.selection import within
from molehunt.verdicts.prices import Price, PriceTable

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
    pairs = calls[["asked", "answered"]].drop_duplicates()
    rates = [
        _rates(prices.find(answered) or prices.find(asked))
        for asked, answered in pairs.itertuples(index=False)
    ]
    pairs = pairs.assign(**dict(zip(_RATES, np.array(rates, dtype=np.float64).reshape(-1, 4).T, strict=True)))
    # each call with the rates of its model, in dollars per million tokens, and its tokens
    each = calls[["asked", "answered"]].merge(pairs, how="left", on=["asked", "answered"])
    full, read, write, output = each[_RATES].to_numpy().T
    tokens = calls[TOKEN_COLUMNS].to_numpy(dtype=np.float64).T
    n_input, n_read, n_write, n_output, _ = tokens
    is_metered = ~np.isnan(tokens).any(axis=0)
    uncached = ((n_input + n_read + n_write) * full + n_output * output) / 1e6
    billed = (n_input * full + n_read * read + n_write * write + n_output * output) / 1e6
    return calls.assign(
        usd=np.where(is_metered, uncached, np.nan), usd_billed=np.where(is_metered, billed, np.nan)
    )


_RATES = ["full", "read", "write", "output_rate"]


def _rates(price: Price | None) -> tuple[float, float, float, float]:
    """Dollars per million tokens of input, of the cache read and written, and of output."""
    if price is None:
        return (np.nan,) * 4
    read = price.input if price.cache_read is None else price.cache_read
    write = price.input if price.cache_write is None else price.cache_write
    return price.input, read, write, price.output


def draw_costs(
    verdicts: pd.DataFrame, numbers: pd.Series, bills: pd.DataFrame, billed: pd.Series, free: Collection[str]
) -> pd.DataFrame:
    """What each monitor spent on each draw on each trajectory.

    A verdict costs all its calls, whether they were made for it or replayed. One without calls costs nothing
    and takes the time that it took, unless its monitor asks models and failed: what a call that never came
    back would have cost is unknown.

    Parameters
    ----------
    verdicts : as in the store.
    numbers : (n,) of the verdicts, no two alike.
    bills : a row for each call of a verdict, with ``usd`` and ``seconds``.
    billed : number of each bill's verdict.
    free : ids of the monitors that ask no model.

    Returns
    -------
    DataFrame with the rows of ``verdicts``: ``trajectory``, ``monitor``, ``draw``, ``score``, ``usd`` (NaN if
    any part is unknown) and ``seconds``.
    """
    # a sum that skipped what is unknown would pass it off as nothing
    spent = bills[["usd", "seconds"]].groupby(billed.to_numpy()).sum(skipna=False)
    is_lost = (verdicts["status"] == "failed") & ~verdicts["monitor"].isin(free)
    draws = verdicts[[*DRAW_KEY, "score", "seconds"]].assign(usd=np.where(is_lost, np.nan, 0.0))
    has_calls = numbers.isin(spent.index).to_numpy()
    for name in ("usd", "seconds"):
        known = spent[name].reindex(numbers).to_numpy()
        draws[name] = np.where(has_calls, known, draws[name].to_numpy(dtype="float64"))
    return draws[[*DRAW_KEY, "score", "usd", "seconds"]]


def apart(calls: pd.DataFrame, bills: pd.DataFrame) -> pd.DataFrame:
    """The calls that no verdict rests on, such as those that asked what an excerpt contributed.

    They were paid for, and are part of no monitor's cost: whether they were asked changes no score.

    Parameters
    ----------
    calls, bills : of `Observations`.

    Examples
    --------
    >>> calls = pd.DataFrame({"key": ["a", "b"], "usd_billed": [0.1, 0.2]})
    >>> apart(calls, pd.DataFrame({"call": ["a"]}))["key"].tolist()
    ['b']
    """
    return calls[~within(calls["key"], bills["call"])]
