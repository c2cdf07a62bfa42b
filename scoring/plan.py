"""What a run would ask and cost, before any of it is spent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from molehunt.scoring.entries import Entry
from molehunt.scoring.questions import Question
from molehunt.scoring.rehearsal import Rehearsed, rehearsed
from molehunt.trajectories import Run
from molehunt.trajectories.unread import Unread
from molehunt.verdicts import Store, Tokens
from molehunt.verdicts.prices import PriceTable

CHARACTERS_PER_TOKEN = 4.0
"""Of English text and code, about."""

OUTPUT_TOKENS = 300
"""Length of an answer with its reasons; models that think at length write more."""


@dataclass(frozen=True)
class PlannedCalls:
    """Calls of one monitor in one role.

    Parameters
    ----------
    monitor : its spec.
    role, model : who is asked; questions that no verdict rests on are a role of their own, ``… (apart)``.
    calls : that have to be paid for.
    free : that the store or another monitor of the run has answered.
    input_tokens, output_tokens : estimates, of the calls that have to be paid for.
    usd : an estimate at list price, None if the price is unknown.
    """

    monitor: str
    role: str
    model: str
    calls: int = 0
    free: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = None


@dataclass(frozen=True)
class Plan:
    """What a run of scoring would do. Tokens and dollars are estimates.

    Parameters
    ----------
    runs, trajectories : that were read.
    unread : what could not be read.
    verdicts : that have to be made.
    already : verdicts that are in the store.
    rows : calls by monitor and role.
    """

    runs: int
    trajectories: int
    unread: tuple[Unread, ...]
    verdicts: int
    already: int
    rows: tuple[PlannedCalls, ...]

    @property
    def calls(self) -> int:
        """Calls that have to be paid for."""
        return sum(row.calls for row in self.rows)

    @property
    def usd(self) -> float | None:
        """Dollars of all calls, None if a price is unknown."""
        dollars = [row.usd for row in self.rows if row.calls]
        return None if None in dollars else sum(amount for amount in dollars if amount is not None)


class Planner:
    """Rehearses a run: every monitor asks its questions, and none is sent.

    Parameters
    ----------
    entries : what is scored with.
    draws : verdicts for each trajectory and monitor.
    prices : of the models.
    store : what has been scored before, None if there is no store yet.
    """

    def __init__(
        self, entries: Sequence[Entry], draws: int, prices: PriceTable, store: Store | None = None
    ) -> None:
        self._entries = entries
        self._draws = draws
        self._prices = prices
        self._store = store
        self._boundary_key = store.boundary_key if store else b""
        self._asked: set[str] = set()
        self._rows: dict[tuple[str, str], _Row] = {}
        self._verdicts = 0
        self._already = 0

    async def plan(self, sources: Iterable[Run | Unread], reading: Callable[[int], None]) -> Plan:
        """The plan for ``sources``; ``reading`` is told how many runs have been read."""
        runs, seen, unread = 0, set(), []
        for run in sources:
            if isinstance(run, Unread):
                unread.append(run)
                continue
            runs += 1
            reading(runs)
            if run.trajectory.id not in seen:
                seen.add(run.trajectory.id)
                await self._rehearse(run)
        return Plan(
            runs=runs,
            trajectories=len(seen),
            unread=tuple(unread),
            verdicts=self._verdicts,
            already=self._already,
            rows=tuple(row.planned(self._prices) for row in self._rows.values()),
        )

    async def _rehearse(self, run: Run) -> None:
        for entry in self._entries:
            for draw in range(self._draws):
                if self._store and self._store.finished(entry.record.id, run.trajectory.id, draw):
                    self._already += 1
                    continue
                self._verdicts += 1
                if entry.models:
                    for asked in await rehearsed(entry, run.trajectory, self._boundary_key, draw):
                        self._count(entry, asked)

    def _count(self, entry: Entry, asked: Rehearsed) -> None:
        question = asked.question
        role = f"{question.role} (apart)" if asked.apart else question.role
        row = self._rows.setdefault((entry.record.id, role), _Row(entry, role, question))
        if asked.key in self._asked or (self._store and self._store.call(asked.key)):
            row.free += 1
        else:
            row.calls += 1
            row.characters += question.characters
        self._asked.add(asked.key)


class _Row:
    """Counts of `PlannedCalls` while they are made."""

    def __init__(self, entry: Entry, role: str, question: Question) -> None:
        self.monitor = entry.record.spec
        self.role = role
        self.model = question.binding.priced_as
        self.output = min(OUTPUT_TOKENS, question.settings["max_tokens"])
        self.calls = self.free = 0
        self.characters = 0

    def planned(self, prices: PriceTable) -> PlannedCalls:
        read, written = round(self.characters / CHARACTERS_PER_TOKEN), self.calls * self.output
        price = prices.find(self.model)
        return PlannedCalls(
            monitor=self.monitor,
            role=self.role,
            model=self.model,
            calls=self.calls,
            free=self.free,
            input_tokens=read,
            output_tokens=written,
            usd=None if price is None else price.usd_uncached(Tokens(input=read, output=written)),
        )
