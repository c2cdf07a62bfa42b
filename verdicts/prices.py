"""What models cost: a dated table with a source for every row, and what a user puts on top of it.

A price that is not known is None, never 0. Dollars are computed from stored tokens whenever they are wanted,
so a report can be priced anew.
"""

from __future__ import annotations

import csv
import datetime
import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from molehunt.trajectories import Problem
from molehunt.verdicts.snapshots import alias
from molehunt.verdicts.verdict import Tokens

TABLE = Path(__file__).with_name("prices.csv")
"""The table that comes with molehunt; its head says what a row can and cannot say."""

BATCH = "@batch"
"""What a model's name ends with where its provider's batch API was asked, which has other prices."""

BATCH_TABLE = Path(__file__).with_name("batch_prices.csv")
"""What share of the standard prices the providers' batch APIs ask."""

COLUMNS = ("model", "input", "cache_read", "cache_write", "output", "date", "source")


@dataclass(frozen=True)
class Price:
    """What a model costs, in dollars per million tokens.

    Parameters
    ----------
    model : provider and name, ``openai/gpt-4.1-mini``; a final ``*`` stands for any rest.
    input, output : list price; output includes reasoning.
    cache_read, cache_write : None where the provider asks the price of input.
    date : a day on which this was the price, None if nobody said.
    source : where it is written.

    Examples
    --------
    >>> price = Price("openai/gpt-4.1", input=2, cache_read=0.5, cache_write=None, output=8)
    >>> tokens = Tokens(input=100_000, cache_read=900_000, output=10_000)
    >>> price.usd_uncached(tokens)
    2.08
    >>> price.usd_billed(tokens)
    0.73
    """

    model: str
    input: float
    cache_read: float | None
    cache_write: float | None
    output: float
    date: datetime.date | None = None
    source: str = ""

    def usd_uncached(self, tokens: Tokens) -> float:
        """Dollars at list price, as if nothing had been cached: it does not depend on what ran before."""
        return (_prompt(tokens) * self.input + tokens.output * self.output) / 1e6

    def usd_billed(self, tokens: Tokens) -> float:
        """Dollars that the provider asks, with its prices for reading and writing its cache."""
        read = self.input if self.cache_read is None else self.cache_read
        write = self.input if self.cache_write is None else self.cache_write
        prompt = tokens.input * self.input + tokens.cache_read * read + tokens.cache_write * write
        return (prompt + tokens.output * self.output) / 1e6

    def at(self, share: float, source: str) -> Price:
        """The same model at a share of its prices."""
        return replace(
            self,
            model=f"{self.model}{BATCH}",
            input=self.input * share,
            cache_read=None if self.cache_read is None else self.cache_read * share,
            cache_write=None if self.cache_write is None else self.cache_write * share,
            output=self.output * share,
            source=source,
        )


class PriceTable:
    """Prices by model, in layers: what the user says goes before the table that comes with molehunt.

    Parameters
    ----------
    layers : rows, the layers that go first first.

    Examples
    --------
    >>> table = PriceTable.load(overrides=["openai/gpt-4.1-nano=0.05,0.2"])
    >>> table.find("openai/gpt-4.1-mini-2025-04-14").output
    1.6
    >>> table.find("gpt-4.1-nano").input
    0.05
    >>> table.find("openai/gpt-of-tomorrow") is None
    True
    >>> table.find("openai/gpt-4.1-mini@batch").output
    0.8
    """

    def __init__(self, layers: Sequence[Sequence[Price]]) -> None:
        self._layers = layers

    @classmethod
    def load(cls, file: Path | None = None, overrides: Sequence[str] = ()) -> PriceTable:
        """The table that comes with molehunt, a user's table on top, and single prices on top of that.

        Parameters
        ----------
        file : CSV with the columns model, input and output, and if wanted cache_read, cache_write, date
            (YYYY-MM-DD) and source; lines that begin with ``#`` are remarks.
        overrides : each ``MODEL=INPUT,OUTPUT`` or ``MODEL=INPUT,OUTPUT,CACHE_READ,CACHE_WRITE``.

        Raises
        ------
        Problem
            If the file cannot be read, or a row or an override is not of that form.
        """
        said = [_override(text) for text in overrides]
        # of two prices for one model the last one given counts
        said.reverse()
        return cls([said, _read(file) if file else [], _read(TABLE)])

    def find(self, model: str, on: datetime.date | None = None) -> Price | None:
        """The price of a model, or None if it is not known.

        A dated snapshot has its alias's price unless it has one of its own. The provider may be left out, in
        the table or in ``model``, where that leaves no doubt. A name that ends with ``@batch`` has its own
        price if there is one, else what `BATCH_TABLE` says of its standard price.

        Parameters
        ----------
        model : such as ``openai/gpt-4.1-mini`` or ``gpt-4.1-mini-2025-04-14``.
        on : the newest price up to this day; the newest of all by default.
        """
        name = model.strip().lower()
        standard, batch = name.removesuffix(BATCH), BATCH if name.endswith(BATCH) else ""
        for layer in self._layers:
            known = [
                price
                for price in layer
                if (on is None or (price.date or on) <= on)
                and price.model.lower().endswith(BATCH) == bool(batch)
            ]
            for wanted in (name, alias(standard) + batch):
                rows = [price for price in known if _is_for(price, wanted)]
                exact = [price for price in rows if price.model.lower() == wanted]
                if rows:
                    return _newest(exact or rows)
        price = self.find(standard, on) if batch else None
        return None if price is None else _in_batches(price)


def _is_for(price: Price, name: str) -> bool:
    listed = price.model.lower()
    if listed.endswith("*"):
        return name.startswith(listed[:-1])
    if "/" in listed and "/" in name:
        return listed == name
    return listed.rpartition("/")[2] == name.rpartition("/")[2]


def _newest(rows: Sequence[Price]) -> Price | None:
    if len({price.model.lower() for price in rows}) > 1:
        return None  # two providers have a model of this name, and nobody said which one is meant
    return max(rows, key=lambda price: price.date or datetime.date.min)


def _in_batches(price: Price) -> Price | None:
    """What a batch API asks for a model of this price, None if nobody said."""
    for models, share, source in _shares():
        if _is_for(replace(price, model=models), price.model.lower()):
            return price.at(share, source)
    return None


@functools.cache
def _shares() -> tuple[tuple[str, float, str], ...]:
    """Rows of `BATCH_TABLE`: models, share of the standard price, and source."""
    with BATCH_TABLE.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(line for line in lines if not line.startswith("#"))
        return tuple((row["model"], float(row["share"]), row["source"]) for row in rows)


def _prompt(tokens: Tokens) -> int:
    return tokens.input + tokens.cache_read + tokens.cache_write


def _override(text: str) -> Price:
    model, _, prices = text.rpartition("=")
    try:
        numbers = [_dollars(number) for number in prices.split(",")]
        if not model.strip() or len(numbers) not in (2, 4):
            raise ValueError("not a model with two or four prices")
    except ValueError as error:
        raise Problem(
            f"--price {text!r}: {error}. Write MODEL=INPUT,OUTPUT or "
            "MODEL=INPUT,OUTPUT,CACHE_READ,CACHE_WRITE, in dollars per million tokens."
        ) from error
    read, write = numbers[2:] or (None, None)
    return Price(model.strip(), numbers[0], read, write, numbers[1], source="--price")


def _read(file: Path) -> list[Price]:
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            return _rows(file, lines)
    except OSError as error:
        raise Problem(f"cannot read the price table {file}: {error.strerror}.") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise Problem(f"{file} is not a price table: {error}. Give a CSV file in UTF-8.") from error


def _rows(file: Path, lines: Iterable[str]) -> list[Price]:
    reader = csv.reader(lines)
    columns: list[str] = []
    prices: dict[tuple[str, datetime.date | None], Price] = {}
    for cells in reader:
        if not any(cell.strip() for cell in cells) or cells[0].lstrip().startswith("#"):
            continue
        try:
            if not columns:
                columns = _columns(cells)
                continue
            price = _price(columns, cells)
            if prices.setdefault((price.model, price.date), price) is not price:
                raise ValueError(f"{price.model} has another price for that day above")
        except ValueError as error:
            raise Problem(f"the price table {file}, line {reader.line_num}: {error}.") from error
    if not columns:
        raise Problem(
            f"the price table {file} is empty. Its first line names the columns: {', '.join(COLUMNS)}."
        )
    return list(prices.values())


def _columns(cells: Sequence[str]) -> list[str]:
    columns = [cell.strip() for cell in cells]
    missing = [name for name in ("model", "input", "output") if name not in columns]
    strange = [name for name in columns if name not in COLUMNS]
    if missing or strange or len(set(columns)) < len(columns):
        raise ValueError(
            f"the columns are {', '.join(COLUMNS)}, of which model, input and output must be there"
        )
    return columns


def _price(columns: Sequence[str], cells: Sequence[str]) -> Price:
    if len(cells) > len(columns):
        raise ValueError("more cells than columns")
    row = {name: cell.strip() for name, cell in zip(columns, cells, strict=False) if cell.strip()}
    if "model" not in row:
        raise ValueError("no model")
    return Price(
        model=row["model"],
        input=_dollars(row.get("input", "")),
        cache_read=_dollars(row["cache_read"]) if "cache_read" in row else None,
        cache_write=_dollars(row["cache_write"]) if "cache_write" in row else None,
        output=_dollars(row.get("output", "")),
        date=datetime.date.fromisoformat(row["date"]) if "date" in row else None,
        source=row.get("source", "a table of the user's"),
    )


def _dollars(text: str) -> float:
    try:
        dollars = float(text)
    except ValueError:
        raise ValueError(f"{text.strip()!r} is not a price") from None
    if not 0 <= dollars < math.inf:
        raise ValueError(f"{text.strip()} is not a price")
    return dollars
