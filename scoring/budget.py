"""Money: what a run has been billed, and the limit at which it stops asking."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from molehunt.scoring.roles import Binding
from molehunt.trajectories import Problem
from molehunt.verdicts import Tokens
from molehunt.verdicts.prices import PriceTable

FEWEST_CHARACTERS_PER_TOKEN = 2.0
"""Of dense code and encoded data; what a call may cost at worst is reckoned with it."""


class OverBudget(Exception):
    """The next call might cost more than is left."""


class Budget:
    """The dollars of one run.

    A call reserves what it may cost at worst before it is sent, and is charged what it was billed when it
    returns. A call that fails is charged nothing, since no provider says what it was billed.

    Parameters
    ----------
    bindings : the models that may be asked.
    prices : where their prices are.
    limit : dollars that this run may spend; None for no limit.

    Attributes
    ----------
    billed : dollars spent in this run, as far as prices are known.
    unpriced : models that were asked and whose price is not known.
    unmetered : calls that reported no usage, charged at what they cost at worst.

    Raises
    ------
    Problem
        If there is a limit and a model's price is unknown.
    """

    def __init__(self, bindings: Iterable[Binding], prices: PriceTable, limit: float | None = None) -> None:
        self.limit = limit
        self.billed = 0.0
        self.unpriced: set[str] = set()
        self.unmetered = 0
        self._prices = {binding.priced_as: prices.find(binding.priced_as) for binding in bindings}
        self._reserved = 0.0
        self._in_flight = 0
        self._settled = asyncio.Event()
        unknown = [model for model, price in self._prices.items() if price is None]
        if limit is not None and unknown:
            raise Problem(
                f"the price of {unknown[0]} is unknown, so a limit in dollars cannot be kept. "
                f"Give it: --price '{unknown[0]}=INPUT,OUTPUT', in dollars per million tokens."
            )

    def worst_case(self, model: str, characters: int, max_tokens: int) -> float:
        """Dollars that a call costs at most: dense text, an answer of full length; 0 without a price."""
        price = self._prices.get(model)
        if price is None:
            return 0.0
        tokens = int(characters / FEWEST_CHARACTERS_PER_TOKEN)
        read = Tokens(input=tokens, output=max_tokens)
        # some providers charge more for text that enters their cache than for text that does not
        written = Tokens(cache_write=tokens, output=max_tokens)
        return max(price.usd_billed(read), price.usd_billed(written))

    async def reserve(self, dollars: float) -> None:
        """Set ``dollars`` aside, waiting for calls in flight to give back what they did not need.

        Raises
        ------
        OverBudget
            If nothing is in flight and the limit would be passed.
        """
        while self.limit is not None and self.billed + self._reserved + dollars > self.limit:
            if not self._in_flight:
                raise OverBudget
            self._settled.clear()
            await self._settled.wait()
        self._reserved += dollars
        self._in_flight += 1

    def release(self, dollars: float) -> None:
        """Give back what a call had reserved, whether or not it returned."""
        self._reserved -= dollars
        self._in_flight -= 1
        self._settled.set()

    def charge(self, model: str, tokens: Tokens | None, worst_case: float) -> None:
        """Charge a call that returned."""
        price = self._prices.get(model)
        if price is None:
            self.unpriced.add(model)
        elif tokens is None:
            self.unmetered += 1
            self.billed += worst_case
        else:
            self.billed += price.usd_billed(tokens)
