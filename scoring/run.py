"""Scoring: every trajectory by every monitor, each verdict stored when it is made."""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import anyio

from molehunt.monitors import Monitor, Unanswered
from molehunt.scoring.ask import Bound, VerdictAsk
from molehunt.scoring.budget import Budget
from molehunt.scoring.calls import Calls
from molehunt.scoring.done import Done, Spent
from molehunt.scoring.entries import Entry
from molehunt.scoring.faults import placed
from molehunt.scoring.keys import RequestDigests
from molehunt.scoring.models import Models
from molehunt.scoring.watching import Tally, Watcher
from molehunt.scoring.windows import window_of
from molehunt.trajectories import Problem, Trajectory
from molehunt.trajectories.wording import count
from molehunt.verdicts import Status, Store, Verdict


@dataclass(frozen=True)
class Work:
    """What one trajectory still needs: monitors and draws, in the order in which they are asked."""

    trajectory: str
    verdicts: tuple[tuple[Entry, int], ...]


def work_left(
    trajectories: Sequence[str], entries: Sequence[Entry], draws: int, store: Store
) -> tuple[list[Work], int]:
    """What has to be done, and how many verdicts are in the store already; failed ones are made again."""
    work, finished = [], 0
    for trajectory in trajectories:
        verdicts = tuple(
            (entry, draw)
            for entry in entries
            for draw in range(draws)
            if not store.finished(entry.record.id, trajectory, draw)
        )
        finished += len(entries) * draws - len(verdicts)
        if verdicts:
            work.append(Work(trajectory, verdicts))
    return work, finished


async def verdict_of(monitor: Monitor, trajectory: Trajectory, ask: VerdictAsk) -> Verdict:
    """The verdict of a monitor that may be anybody's: what goes wrong in it leaves one verdict unscored."""
    try:
        try:
            async with ask.patience.bounded():
                verdict = await monitor(trajectory, ask)
        except Unanswered as why:
            return Verdict.unscored(why.status, why.reason)
        if not isinstance(verdict, Verdict):
            raise TypeError(f"monitor {monitor.spec.name!r} returned {verdict!r:.80}, which is no Verdict")
        return verdict
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        # nobody cancels this run: the monitor waited for something of its own that was cancelled
        return Verdict.unscored("failed", placed(error))
    # a fault in somebody's monitor costs its own verdicts only, as does its wish to end the process
    except (Exception, SystemExit) as error:  # noqa: BLE001
        return Verdict.unscored("failed", placed(error))


class Runner:
    """Makes verdicts, a bounded number of trajectories at a time.

    All that a trajectory needs is asked back to back, since providers forget a prefix after minutes, and an
    embedded model after one other prompt. So one trajectory is asked about by one worker.

    Parameters
    ----------
    store : open for writing.
    models : open models.
    budget : of this run.
    watcher : is told of every verdict.

    Attributes
    ----------
    made : verdicts of this run by monitor and status.
    failures : reasons of failed verdicts, with how often.
    replayed : calls that were answered from the store.
    notes : what people should know besides.
    """

    def __init__(self, store: Store, models: Models, budget: Budget, watcher: Watcher) -> None:
        self.calls = Calls(store, models, budget)
        self.made: defaultdict[str, Counter[Status]] = defaultdict(Counter)
        self.failures: Counter[str] = Counter()
        self.notes: list[str] = []
        self._store = store
        self._models = models
        self._budget = budget
        self._watcher = watcher
        self._names: defaultdict[str, set[str]] = defaultdict(set)
        self._windows = {connection: window_of(model) for connection, model in models.items()}
        self._total = 0
        self._started = 0.0
        self._hit = False

    async def run(self, work: Sequence[Work], in_flight: int) -> None:
        """Do the work.

        Cancelled, it asks nothing more, lets the calls in flight come home and stores them; then the
        cancellation goes on.

        Raises
        ------
        Problem
            If the store cannot be written any more.
        KeyboardInterrupt
            If Ctrl-C hit a monitor, and nothing else.
        """
        self._total = sum(len(one.verdicts) for one in work)
        self._started = time.monotonic()
        self._watcher.scoring(self.tally)
        if self._batched(work):
            # verdicts that follow each other would wait for one batch after the other, and no cache is kept
            work = [Work(one.trajectory, (verdict,)) for one in work for verdict in one.verdicts]
        remaining = iter(work)
        try:
            async with asyncio.TaskGroup() as workers:
                for _ in range(min(in_flight, len(work))):
                    # an empty context: neither an evaluation that is under way around this run nor its limits
                    # and transcript are the monitors' business
                    workers.create_task(self._work(remaining), context=contextvars.Context())
        except* Problem as problems:
            raise problems.exceptions[0] from None
        finally:
            if self.calls.in_flight:
                await self._come_home()
        if self._hit:  # and nobody has cancelled this run, as asyncio does where it hears Ctrl-C
            raise KeyboardInterrupt

    @property
    def left(self) -> int:
        """Verdicts that were not made, because the run was stopped."""
        return self._total - sum(counts.total() for counts in self.made.values())

    @property
    def done(self) -> Done:
        """What came of the work so far."""
        return Done(
            spent=Spent(
                usd=self._budget.billed,
                calls=self.calls.paid,
                replayed=self.calls.replayed,
                unmetered=self._budget.unmetered,
                unpriced=frozenset(self._budget.unpriced),
            ),
            made={title: dict(counts) for title, counts in self.made.items()},
            failures=dict(self.failures),
            left=self.left,
            stopped=self.calls.stopped,
            notes=tuple(self.notes),
        )

    @property
    def tally(self) -> Tally:
        """How far the run is."""
        done = self._total - self.left
        return Tally(
            done=done,
            total=self._total,
            unscored=done - sum(counts["scored"] for counts in self.made.values()),
            usd=None if self._budget.unpriced else self._budget.billed,
            seconds=time.monotonic() - self._started,
        )

    @staticmethod
    def _batched(work: Sequence[Work]) -> bool:
        return any(
            binding.batched for one in work for entry, _ in one.verdicts for binding in entry.models.values()
        )

    async def _come_home(self) -> None:
        self.calls.stopped = self.calls.stopped or "interrupted"
        self._watcher.say(
            f"stopping: waiting for {count(self.calls.in_flight, 'call')} under way, which will be paid for. "
            "Ctrl-C again gives them up."
        )
        with anyio.CancelScope(shield=True):
            await self.calls.drain()

    async def _work(self, remaining: Iterator[Work]) -> None:
        for work in remaining:
            trajectory = self._store.trajectory(work.trajectory)
            digests = RequestDigests()
            for entry, draw in work.verdicts:
                if self.calls.stopped is not None:
                    return
                await self._judge(entry, trajectory, draw, digests)

    async def _judge(self, entry: Entry, trajectory: Trajectory, draw: int, digests: RequestDigests) -> None:
        bound = {
            role: Bound(binding, self._windows[binding.connection]) for role, binding in entry.models.items()
        }
        ask = VerdictAsk(self.calls, bound, entry.answer, self._store.boundary_key, draw, digests)
        started = time.perf_counter()
        try:
            verdict = await verdict_of(entry.monitor, trajectory, ask)
        except KeyboardInterrupt:
            # A monitor that never waits keeps the first Ctrl-C from being heard, and is hit by the second
            # itself. Out of a task it would tear down the loop; so it ends as the first would have.
            self.calls.stopped = self.calls.stopped or "interrupted"
            self._hit = True
            raise asyncio.CancelledError from None
        seconds = time.perf_counter() - started + ask.replayed_seconds - ask.apart_seconds
        if self.calls.problem is not None:
            raise self.calls.problem
        if ask.stopped:
            return
        self._store.add_verdict(trajectory.id, entry.record.id, draw, verdict, ask.keys, seconds)
        self.made[entry.title][verdict.status] += 1
        if verdict.status == "failed":
            self.failures[verdict.rationale] += 1
        self._compare_names(ask.answered)
        self._watcher.scoring(self.tally)
        # monitors that ask nothing never yield, and then neither Ctrl-C nor other workers would get a turn
        await asyncio.sleep(0)

    def _compare_names(self, answered: set[tuple[str, str]]) -> None:
        for asked, name in answered:
            names = self._names[asked]
            if not name or name in names:
                continue
            names.add(name)
            if len(names) == 2:
                note = f"{asked} answered as more than one snapshot: {' and '.join(sorted(names))}"
                self.notes.append(note)
                self._watcher.say(note)
