"""What a worker of a cluster does: it scores its part into a store of its own, and sends every row home.

A row is sent when it is stored, so that a machine that is lost takes nothing with it but what was in flight.
Nothing in here knows the cluster engine; `molehunt.scoring.ray_runner` is the other end.
"""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from molehunt.monitors import AnswerMode
from molehunt.monitors.identity import from_record, to_record
from molehunt.scoring.batches import batching
from molehunt.scoring.budget import Budget
from molehunt.scoring.calls import StopReason
from molehunt.scoring.done import Spent
from molehunt.scoring.entries import Entry, entry_of
from molehunt.scoring.models import opened
from molehunt.scoring.roles import Binding
from molehunt.scoring.run import Runner, Work
from molehunt.scoring.watching import Watcher
from molehunt.trajectories import Problem
from molehunt.verdicts import Call, Store, Verdict
from molehunt.verdicts.prices import PriceTable

Row = Call | tuple[str, str, int, Verdict, Sequence[str], float]
"""A call, or what `Store.add_verdict` takes."""

Needed = Mapping[str, Sequence[tuple[str, int]]]
"""Trajectories, and for each the monitors (ids) and draws that are asked for, in order."""


@dataclass(frozen=True)
class Recipe:
    """Monitors and models as values, from which another machine makes them again.

    Parameters
    ----------
    monitors : by id, the record of each and the models of its roles.
    files : what files the monitors are made of, by the path that the records name.
    answer : how answers are read.
    prices : of the models.
    """

    monitors: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Binding]]]
    files: Mapping[str, bytes]
    answer: AnswerMode
    prices: PriceTable

    @classmethod
    def of(cls, entries: Iterable[Entry], prices: PriceTable) -> Recipe:
        """The recipe for ``entries``.

        Raises
        ------
        Problem
            If a monitor has been defined where nothing else can find it, such as in a notebook.
        """
        entries = list(entries)
        monitors = {entry.record.id: (to_record(entry.monitor), entry.models) for entry in entries}
        paths = {path for record, _ in monitors.values() for path in _files_in(record)}
        return cls(monitors, {path: Path(path).read_bytes() for path in paths}, entries[0].answer, prices)

    def made(self, folder: Path) -> dict[str, Entry]:
        """The entries by id; files are written to ``folder``.

        Raises
        ------
        Problem
            If a monitor is another one here than it was there.
        """
        places = {path: _written(folder, path, content) for path, content in self.files.items()}
        entries = {}
        for known, (record, models) in self.monitors.items():
            entry = entry_of(from_record(_moved(record, places)), models, self.answer)
            if entry.record.id != known:
                raise Problem(
                    f"monitor {entry.record.name!r} is another one on a worker. Install the same molehunt "
                    "on all machines of the cluster."
                )
            entries[known] = entry
        return entries


@dataclass(frozen=True)
class Parcel:
    """What a worker sends home.

    Parameters
    ----------
    rows : calls and verdicts, in the order in which they were stored.
    spent : by this assignment so far.
    stopped : why it asks no more, if so.
    notes : what people should know.
    """

    rows: tuple[Row, ...]
    spent: Spent
    stopped: StopReason | None = None
    notes: tuple[str, ...] = ()


class Worker:
    """Scores one assignment after the other.

    Parameters
    ----------
    recipe : what it scores with.
    """

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._folder = tempfile.TemporaryDirectory(prefix="molehunt-")
        self._entries = recipe.made(Path(self._folder.name))
        self._runner: Runner | None = None
        self._stopped = False

    async def score(
        self, part: bytes, needed: Needed, in_flight: int, max_usd: float | None
    ) -> AsyncIterator[Parcel]:
        """Make verdicts; each parcel holds what has been stored since the last one.

        Parameters
        ----------
        part : a store with the trajectories and with what has been asked about them before.
        needed : what to make.
        in_flight : trajectories to ask about at a time.
        max_usd : dollars at which to stop asking.
        """
        bindings = [binding for entry in self._entries.values() for binding in entry.models.values()]
        budget = Budget(bindings, self._recipe.prices, max_usd)
        yield Parcel((), Spent())  # it is there and has begun
        async with AsyncExitStack() as stack:
            file = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="molehunt-")), "shard.db")
            file.write_bytes(part)
            if any(binding.batched for binding in bindings):
                stack.enter_context(batching(Watcher()))
            models = await stack.enter_async_context(opened(bindings))
            store = stack.enter_context(closing(cast(_Outbox, _Outbox.open(file))))
            runner = self._runner = Runner(store, models, budget, Watcher())
            self._heed()
            running = asyncio.create_task(runner.run(self._work(needed), in_flight))
            stack.callback(running.cancel)
            running.add_done_callback(lambda _: store.outbox.put_nowait(None))
            while (row := await store.outbox.get()) is not None:
                yield Parcel((row, *store.waiting()), runner.done.spent)
            await running
            yield Parcel((), runner.done.spent, runner.done.stopped, runner.done.notes)

    async def stop(self) -> None:
        """Ask nothing more; what is in flight is waited for."""
        self._stopped = True
        self._heed()

    def _heed(self) -> None:
        if self._stopped and self._runner is not None:
            self._runner.calls.stopped = self._runner.calls.stopped or "interrupted"

    def _work(self, needed: Needed) -> list[Work]:
        return [
            Work(trajectory, tuple((self._entries[monitor], draw) for monitor, draw in verdicts))
            for trajectory, verdicts in needed.items()
        ]


class _Outbox(Store):
    """A store that keeps for the post what it has stored."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.outbox: asyncio.Queue[Row | None] = asyncio.Queue()

    def add_call(self, call: Call) -> None:
        super().add_call(call)
        self.outbox.put_nowait(call)

    def add_verdict(
        self,
        trajectory: str,
        monitor: str,
        draw: int,
        verdict: Verdict,
        calls: Sequence[str],
        seconds: float,
    ) -> None:
        super().add_verdict(trajectory, monitor, draw, verdict, calls, seconds)
        self.outbox.put_nowait((trajectory, monitor, draw, verdict, tuple(calls), seconds))

    def waiting(self) -> list[Row]:
        """What else is there to be sent."""
        rows = []
        while not self.outbox.empty():
            row = self.outbox.get_nowait()
            if row is None:  # the end, which is for whoever waits next
                self.outbox.put_nowait(None)
                break
            rows.append(row)
        return rows


def _files_in(record: Any) -> Iterable[str]:
    """Paths that a monitor's record names."""
    if isinstance(record, Mapping):
        if _is_monitor(record) and "@" in record["name"]:
            yield record["name"].rpartition("@")[0]
        if _is_file(record):
            yield record["file"]
        record = list(record.values())
    if isinstance(record, list):
        for value in record:
            yield from _files_in(value)


def _moved(record: Any, places: Mapping[str, str]) -> Any:
    """The same record, with files where they are here."""
    if isinstance(record, list):
        return [_moved(value, places) for value in record]
    if not isinstance(record, Mapping):
        return record
    moved = {name: _moved(value, places) for name, value in record.items()}
    if _is_monitor(record):
        file, at, name = record["name"].rpartition("@")
        moved["name"] = f"{places[file]}@{name}" if at else name
    if _is_file(record):
        moved["file"] = places[record["file"]]
    return moved


def _is_monitor(record: Mapping[str, Any]) -> bool:
    return record.keys() == {"name", "params", "version", "content"} and isinstance(record["params"], Mapping)


def _is_file(record: Mapping[str, Any]) -> bool:
    return record.keys() == {"file", "content"} and isinstance(record["file"], str)


def _written(folder: Path, path: str, content: bytes) -> str:
    # two files of one name must not meet
    place = folder / hashlib.sha256(path.encode()).hexdigest()[:16] / Path(path).name
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(content)
    return str(place)
