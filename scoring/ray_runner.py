"""Scoring on a Ray cluster: workers score shards, and every row they store comes home and is stored here.

The store that the user named is the only one that counts. What a worker has sent is in it, so a worker that
dies loses only the calls that it was waiting for; another takes up what is left of its shard, and the same
command later on what is left of the run.
"""

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio

from molehunt.scoring.calls import StopReason
from molehunt.scoring.done import Done, Spent
from molehunt.scoring.entries import Entry
from molehunt.scoring.faults import one_line
from molehunt.scoring.ray_worker import Needed, Parcel, Recipe, Worker
from molehunt.scoring.shards import share_of
from molehunt.scoring.watching import Tally, Watcher
from molehunt.trajectories import Problem
from molehunt.trajectories.wording import count
from molehunt.verdicts import Call, Status, Store
from molehunt.verdicts.merging import loose_calls, take_part

if TYPE_CHECKING:
    from molehunt.scoring.job import Job
    from molehunt.scoring.run import Work

AT_ONCE = 500
"""Trajectories that a worker is given at a time: tens of megabytes on the wire, and minutes of work."""

MOST_LOSSES = 3
"""Workers in a row that may die on a shard without having stored anything, before the shard is left."""


@contextmanager
def connected(address: str | None) -> Iterator[None]:
    """Be connected to a cluster: the one that the process is connected to, one at ``address``, or a new one.

    Raises
    ------
    Problem
        If Ray is not installed, or nothing answers at the address.
    """
    ray = _ray()
    if ray.is_initialized():
        yield
        return
    # one that is started here hears nobody but this machine
    local: dict[str, Any] = (
        {"include_dashboard": False, "_node_ip_address": "127.0.0.1"} if address is None else {}
    )
    try:
        if address:
            _knock(address)
        ray.init(address=address or "local", log_to_driver=False, logging_level="error", **local)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        where = f"at {address} " if address else ""
        raise Problem(f"the Ray cluster {where}cannot be used: {one_line(error)}") from error
    try:
        yield
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Find out whether anybody listens at ``host:port``: Ray itself would go on trying for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()


@dataclass
class _Share:
    """A shard while it is scored.

    Parameters
    ----------
    needed : what it still needs.
    in_flight : trajectories to ask about at a time.
    loose : keys of calls that no verdict rests on yet.
    before, spent : by its workers' earlier assignments, and with the present one.
    worker : who is at it.
    """

    needed: dict[str, list[tuple[str, int]]]
    in_flight: int
    loose: set[str]
    before: Spent = field(default_factory=Spent)
    spent: Spent = field(default_factory=Spent)
    stopped: StopReason | None = None
    worker: Any = None
    losses: int = 0
    began: bool = False


class RayRunner:
    """The engine for work on a cluster; `connected` comes before it.

    Parameters
    ----------
    store : open for writing; only this process writes to it.
    job : what is asked for.
    watcher : is told of every verdict.
    """

    def __init__(self, store: Store, job: Job, watcher: Watcher) -> None:
        self._store = store
        self._job = job
        self._watcher = watcher
        self._entries: dict[str, Entry] = {}
        self._recipe: Any = None
        self._shares: list[_Share] = []
        self._made: defaultdict[str, Counter[Status]] = defaultdict(Counter)
        self._failures: Counter[str] = Counter()
        self._notes: dict[str, None] = {}
        self._stopped: StopReason | None = None
        self._total = 0
        self._started = 0.0

    async def run(self, work: Sequence[Work], in_flight: int) -> None:
        """Do the work.

        Cancelled, it lets no worker ask more, waits for their calls in flight and stores them; then the
        cancellation goes on.

        Raises
        ------
        Problem
            If the store cannot be written any more, or a worker cannot use a monitor or a model.
        """
        self._total = sum(len(one.verdicts) for one in work)
        self._started = time.monotonic()
        self._watcher.scoring(self.tally)
        if not work:
            return
        self._entries = {entry.record.id: entry for one in work for entry, _ in one.verdicts}
        self._recipe = _ray().put(Recipe.of(self._entries.values(), self._job.prices))
        self._shares = self._shares_of(work, in_flight)
        self._watcher.say(f"{count(len(self._shares), 'worker')} for {count(len(work), 'trajectory')}")
        await self._rounds()
        if any(share.needed for share in self._shares) and self._stopped is None:
            self._stopped = next((share.stopped for share in self._shares if share.stopped), None)

    @property
    def done(self) -> Done:
        """What came of the work so far."""
        return Done(
            spent=self._spent,
            made={title: dict(counts) for title, counts in self._made.items()},
            failures=dict(self._failures),
            left=self._total - sum(counts.total() for counts in self._made.values()),
            stopped=self._stopped,
            notes=tuple(self._notes),
        )

    @property
    def tally(self) -> Tally:
        """How far the run is."""
        done = sum(counts.total() for counts in self._made.values())
        return Tally(
            done=done,
            total=self._total,
            unscored=done - sum(counts["scored"] for counts in self._made.values()),
            usd=None if self._spent.unpriced else self._spent.usd,
            seconds=time.monotonic() - self._started,
        )

    @property
    def _spent(self) -> Spent:
        return sum((share.spent for share in self._shares), Spent())

    # Dividing

    def _shares_of(self, work: Sequence[Work], in_flight: int) -> list[_Share]:
        """The work in as many shards as there can be workers, each with its share of the connections."""
        processors = int(_ray().cluster_resources().get("CPU", 0))
        if processors < 1:
            raise Problem("the Ray cluster has no processor to give. Add a node, or leave out --runner ray.")
        embedded = any(binding.embedded for binding in self._job.bindings)
        # an embedded model answers in each worker by itself; the connections to a provider are divided
        number = min(processors, len(work)) if embedded else min(processors, len(work), in_flight)
        loose = loose_calls(self._store.path)
        shares = [
            _Share(
                {}, in_flight if embedded else in_flight // number + (index < in_flight % number), {*loose}
            )
            for index in range(number)
        ]
        for one in work:
            needed = [(entry.record.id, draw) for entry, draw in one.verdicts]
            shares[share_of(one.trajectory, number)].needed[one.trajectory] = needed
        return shares

    async def _rounds(self) -> None:
        """Let workers do their shares, and share again what dollars are left while that gets any further."""
        workers = len(self._shares)
        while workers and self._stopped is None:
            going = [share for share in self._shares if share.needed and share.stopped in (None, "budget")]
            if not going:
                return
            going = going[:workers]
            spent, left = self._spent, None
            if self._job.max_usd is not None:
                left = max(0.0, self._job.max_usd - spent.usd) / len(going)
            before = self.tally.done
            await self._all(going, left)
            if (self.tally.done, self._spent.calls) == (before, spent.calls):
                # a share may be less than one call costs at worst, while two together are not
                workers = min(workers, len(going)) // 2

    # Working

    async def _all(self, shares: Sequence[_Share], max_usd: float | None) -> None:
        tasks = [asyncio.create_task(self._see_through(share, max_usd)) for share in shares]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        except asyncio.CancelledError:
            self._stopped = "interrupted"
            self._watcher.say(
                "stopping: waiting for the workers' calls that are under way and will be paid for. "
                "Ctrl-C again drops them."
            )
            raise
        finally:
            with anyio.CancelScope(shield=True):
                await self._come_home([task for task in tasks if not task.done()])
        for task in tasks:
            task.result()

    async def _come_home(self, tasks: Sequence[asyncio.Task[None]]) -> None:
        if not tasks:
            return
        self._stopped = self._stopped or "store"
        for share in self._shares:
            if share.worker is not None and share.began:
                share.worker.stop.remote()
            elif share.worker is not None:
                _ray().kill(share.worker)  # it is still waiting for a place, and has asked nothing
        await asyncio.wait(tasks)

    async def _see_through(self, share: _Share, max_usd: float | None) -> None:
        """Have a shard scored, by one worker after the other if they die."""
        ray, faults = _ray(), _ray().exceptions
        # without restarts by Ray, which would score again what has been sent home already
        hire = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD")(
            Worker
        )
        share.stopped, at_first = None, share.spent.usd
        while share.needed and share.stopped is None and self._stopped is None:
            share.worker, share.began = hire.remote(self._recipe), False
            try:
                while share.needed and share.stopped is None and self._stopped is None:
                    left = None if max_usd is None else max(0.0, max_usd - (share.spent.usd - at_first))
                    await self._assign(share, left)
            except faults.RayTaskError as error:
                if isinstance(error.cause, Problem):
                    raise Problem(f"a worker says: {error.cause}") from None
                raise
            except faults.RayError as error:
                if self._stopped is None:
                    self._lost(share, error)
            finally:
                # one that cannot be reached may go on asking, which must not be paid for twice
                ray.kill(share.worker)
                share.worker, share.before = None, share.spent

    async def _assign(self, share: _Share, max_usd: float | None) -> None:
        """Have a worker do the next part of a shard, and store what it sends."""
        now: Needed = {trajectory: share.needed[trajectory] for trajectory in islice(share.needed, AT_ONCE)}
        loose = {*share.loose}
        with tempfile.TemporaryDirectory(prefix="molehunt-") as folder:
            take_part(self._store.path, now.keys(), share.loose, file := Path(folder, "part.db"))
            part = file.read_bytes()
        async for sent in share.worker.score.remote(part, now, share.in_flight, max_usd):
            self._take(share, await sent)
        share.before = share.spent
        if share.stopped is None:
            # all is done about these, so no call about them will answer anything more
            share.loose &= loose
            for trajectory in now:
                share.needed.pop(trajectory, None)

    def _take(self, share: _Share, parcel: Parcel) -> None:
        share.began = True
        share.spent = share.before + parcel.spent
        share.stopped = parcel.stopped
        for row in parcel.rows:
            if isinstance(row, Call):
                self._store.add_call(row)
                share.loose.add(row.key)
                continue
            trajectory, monitor, draw, verdict, calls, seconds = row
            self._store.add_verdict(trajectory, monitor, draw, verdict, calls, seconds)
            share.loose.difference_update(calls)
            share.needed[trajectory].remove((monitor, draw))
            if not share.needed[trajectory]:
                del share.needed[trajectory]
            self._made[self._entries[monitor].title][verdict.status] += 1
            if verdict.status == "failed":
                self._failures[verdict.rationale] += 1
            self._watcher.scoring(self.tally)
        if parcel.rows:
            share.losses = 0
        for note in parcel.notes:
            if note not in self._notes:
                self._notes[note] = None
                self._watcher.say(note)

    def _lost(self, share: _Share, error: Exception) -> None:
        """Take note of a worker that died, and leave its shard if it is no use."""
        share.losses += 1
        why = _cause(error)
        if share.losses < MOST_LOSSES:
            self._watcher.say(f"a worker was lost, and another takes up where it stopped: {why}")
            return
        share.stopped = "workers"
        self._notes[
            f"a part of the runs was left, since {MOST_LOSSES} workers in a row died on it: {why}"
        ] = None


def _cause(error: Exception) -> str:
    """Why a worker died; if it could not even begin, what stands at the end of the traceback that Ray quotes.

    Examples
    --------
    >>> _cause(RuntimeError("It died in its creation task.\\n  traceback: …\\nImportError: no molehunt"))
    'ImportError: no molehunt'
    """
    lines = str(error).strip().splitlines()
    if lines and "creation task" in lines[0]:
        return one_line(RuntimeError(lines[-1]))
    return one_line(error)


def _ray() -> Any:
    # read by Ray when it is imported; nothing is to be reported to anybody
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise Problem("--runner ray needs Ray. Install it: pip install 'molehunt[ray]'.") from error
    return ray
