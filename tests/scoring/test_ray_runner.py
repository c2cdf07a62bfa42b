"""What the driver of a cluster does, on one that is none: workers in this process, and deaths at will."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from molehunt.monitors.registry import build
from molehunt.scoring import Outcome, ray_runner, score_async
from molehunt.scoring.entries import entry_of
from molehunt.scoring.ray_worker import Recipe
from molehunt.trajectories import Problem
from molehunt.verdicts import Store
from molehunt.verdicts.prices import PriceTable

MINE = '''
from molehunt.monitors import monitor
from molehunt.verdicts import Verdict

@monitor(source="floor")
def short(most: int = 1000):
    """Whether the run has few steps."""
    async def score(trajectory, ask):
        return Verdict(float(len(trajectory.steps) <= most))
    return score
'''


class RayError(Exception):
    """What Ray says when a worker is gone."""


class RayTaskError(RayError):
    """What it says when a worker's code raised something."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class FakeCluster:
    """As much of Ray as the driver uses.

    Parameters
    ----------
    processors : how many workers there may be.
    deaths : after how many parcels each worker dies that is hired, in the order of hiring; None or nothing
        for those that live.
    """

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)

    def __init__(self, processors: int = 2, deaths: list[int | None] | None = None) -> None:
        self.processors = processors
        self.deaths = deaths or []
        self.workers: list[FakeActor] = []

    def is_initialized(self) -> bool:
        return True

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.processors)}

    def put(self, value: Any) -> Any:
        return value

    def kill(self, actor: FakeActor) -> None:
        actor.lives = 0

    def remote(self, **options: Any) -> Callable[[type], Any]:
        assert options["max_restarts"] == options["max_task_retries"] == 0

        def hire(worker: type) -> Any:
            def hired(recipe: Recipe) -> FakeActor:
                lives = self.deaths[len(self.workers)] if len(self.workers) < len(self.deaths) else None
                self.workers.append(FakeActor(worker, recipe, lives))
                return self.workers[-1]

            return SimpleNamespace(remote=hired)

        return hire


class FakeActor:
    """A worker at the other end of a wire that breaks after so many parcels."""

    def __init__(self, worker: type, recipe: Recipe, lives: int | None) -> None:
        self._worker = (worker, recipe)
        self._made: Any = None
        self.lives = lives
        self.in_flight = 0
        self.allowed: list[float | None] = []
        self.score = SimpleNamespace(remote=self._score)
        self.stop = SimpleNamespace(remote=lambda: asyncio.ensure_future(self._made.stop()))

    async def _score(
        self, part: bytes, needed: Any, in_flight: int, max_usd: float | None
    ) -> AsyncIterator[Any]:
        self.in_flight = in_flight
        self.allowed.append(max_usd)
        try:
            if self._made is None:
                worker, recipe = self._worker
                self._made = worker(recipe)
            async for parcel in self._made.score(part, needed, in_flight, max_usd):
                if self.lives == 0:
                    raise RayError("the worker died")
                if self.lives is not None:
                    self.lives -= 1
                yield _arrived(parcel)
        except Problem as problem:
            raise RayTaskError(problem) from problem


async def _arrived(parcel: Any) -> Any:
    return parcel


@pytest.fixture
def on_cluster(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Any]:
    """Scores on a fake cluster."""

    async def run(cluster: FakeCluster, log: Path, monitors: Any, **options: Any) -> Outcome:
        monkeypatch.setattr(ray_runner, "_ray", lambda: cluster)
        options = {
            "model": "fakemonitor/judge",
            "prices": PriceTable.load(overrides=["fakemonitor/*=1,5"]),
            **options,
        }
        return await score_async(log, monitors, store=tmp_path / "scores.db", runner="ray", **options)

    return run


def verdicts_in(file: Path) -> set[tuple[Any, ...]]:
    with Store.read(file) as store:
        return {(v.trajectory, v.monitor, v.draw, v.status) for v in store.verdicts()}


async def test_a_cluster_makes_what_one_machine_makes_and_each_worker_some_of_it(
    on_cluster: Any, log_of: Any, tmp_path: Path, sent: list[Any]
) -> None:
    log, monitors, cluster = log_of(12), ["action_only", "hybrid", "eae", "length"], FakeCluster(3)
    there = await on_cluster(cluster, log, monitors)
    asked = len(sent)
    here = await score_async(log, monitors, store=tmp_path / "here.db", model="fakemonitor/judge")
    assert verdicts_in(tmp_path / "scores.db") == verdicts_in(tmp_path / "here.db")
    assert (there.calls, there.made, there.exit_status) == (here.calls, here.made, 0)
    assert asked == there.calls
    assert len(cluster.workers) == 3


async def test_workers_share_the_connections(on_cluster: Any, log_of: Any) -> None:
    cluster = FakeCluster(3)
    await on_cluster(cluster, log_of(12), "action_only", max_connections=8)
    assert sorted(worker.in_flight for worker in cluster.workers) == [2, 3, 3]


async def test_there_are_no_more_workers_than_connections(on_cluster: Any, log_of: Any) -> None:
    cluster = FakeCluster(64)
    await on_cluster(cluster, log_of(12), "action_only", max_connections=2)
    assert [worker.in_flight for worker in cluster.workers] == [1, 1]


async def test_a_dead_workers_shard_is_taken_up_where_it_stopped(
    on_cluster: Any, log_of: Any, tmp_path: Path, sent: list[Any]
) -> None:
    cluster = FakeCluster(2, deaths=[4, 3])
    outcome = await on_cluster(cluster, log_of(20), ["action_only", "length"], max_connections=2)
    assert (outcome.exit_status, outcome.counts["scored"], outcome.left) == (0, 40, 0)
    assert len(cluster.workers) == 4
    # one at a time in each of two workers, of which each lost one that was under way at most
    with Store.read(tmp_path / "scores.db") as store:
        assert len(list(store.calls())) == 20
    assert len(sent) <= 20 + 2


async def test_calls_that_had_come_home_answer_the_worker_that_takes_over(
    on_cluster: Any, log_of: Any, sent: list[Any]
) -> None:
    # four questions a run: it dies between two of them
    cluster = FakeCluster(1, deaths=[3])
    outcome = await on_cluster(cluster, log_of(2), "eae(min_excerpts=1)", max_connections=1)
    assert outcome.counts["scored"] == 2
    assert outcome.replayed > 0


async def test_a_shard_that_no_worker_survives_is_left_and_the_rest_is_done(
    on_cluster: Any, log_of: Any
) -> None:
    cluster = FakeCluster(1, deaths=[0] * 9)
    outcome = await on_cluster(cluster, log_of(3), "action_only")
    assert (outcome.left, outcome.stopped, outcome.exit_status) == (3, "workers", 1)
    assert len(cluster.workers) == ray_runner.MOST_LOSSES
    [note] = outcome.notes
    assert "workers in a row died on it: the worker died" in note


async def test_dollars_are_shared_and_what_one_worker_leaves_another_may_spend(
    on_cluster: Any, log_of: Any
) -> None:
    # a call costs 0.0015 dollars, and 0.0205 and more at worst
    cluster = FakeCluster(4)
    outcome = await on_cluster(cluster, log_of(40), "action_only", max_usd=0.05)
    assert 0 < outcome.usd <= 0.05
    assert outcome.stopped == "budget"
    assert outcome.left == 40 - outcome.counts["scored"]
    # as far as one machine comes
    assert outcome.usd + 0.0015 + 0.022 > 0.05
    assert all(
        allowed is not None and allowed <= 0.05 for worker in cluster.workers for allowed in worker.allowed
    )


async def test_interrupted_it_stores_what_is_under_way_and_the_next_run_goes_on(
    on_cluster: Any, log_of: Any, tmp_path: Path, gate: asyncio.Event, sent: list[Any]
) -> None:
    log, cluster = log_of(8), FakeCluster(2)
    running = asyncio.create_task(
        on_cluster(cluster, log, "action_only", model="fakemonitor/gated", max_connections=4)
    )
    while len(sent) < 4:
        await asyncio.sleep(0.01)
    running.cancel()
    await asyncio.sleep(0)
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    with Store.read(tmp_path / "scores.db") as store:
        assert len(list(store.calls())) == len(sent) == 4
    outcome = await on_cluster(FakeCluster(2), log, "action_only", model="fakemonitor/gated")
    assert outcome.exit_status == 0
    assert len(sent) == 8


async def test_what_a_worker_cannot_use_is_said_in_its_words(
    on_cluster: Any, log_of: Any, monkeypatch: Any
) -> None:
    def refuses(*_: Any) -> Any:
        raise Problem("model fakemonitor/judge cannot be used: no key")

    monkeypatch.setattr("molehunt.scoring.ray_worker.opened", refuses)
    with pytest.raises(Problem, match="a worker says: model fakemonitor/judge cannot be used"):
        await on_cluster(FakeCluster(1), log_of(1), "action_only")


async def test_what_is_in_the_store_is_not_asked_again(on_cluster: Any, log_of: Any, sent: list[Any]) -> None:
    log = log_of(5)
    await on_cluster(FakeCluster(2), log, "action_only")
    cluster = FakeCluster(2)
    again = await on_cluster(cluster, log, ["action_only", "hybrid"])
    assert again.already == 5
    assert len(sent) == 10  # the other half of the hybrid
    assert again.replayed == 5
    assert (await on_cluster(FakeCluster(2), log, ["action_only", "hybrid"])).made == {}


async def test_a_monitor_from_a_file_is_made_where_the_file_is_not(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(MINE)
    entry = entry_of(build(f"{mine}@short"), {}, "text")
    recipe = Recipe.of([entry], PriceTable.load())
    mine.unlink()
    (tmp_path / "elsewhere").mkdir()
    [(monitor, made)] = recipe.made(tmp_path / "elsewhere").items()
    assert monitor == entry.record.id
    assert made.monitor.spec.params == {"most": 1000}


def test_a_monitor_that_is_another_one_there_is_refused(tmp_path: Path) -> None:
    entry = entry_of(build("length"), {}, "text")
    recipe = Recipe.of([entry], PriceTable.load())
    [(record, models)] = recipe.monitors.values()
    other = Recipe({"0" * 32: (record, models)}, {}, "text", recipe.prices)
    with pytest.raises(Problem, match="same molehunt"):
        other.made(tmp_path)


async def test_an_address_without_the_runner_that_uses_it_is_refused(log_of: Any, tmp_path: Path) -> None:
    with pytest.raises(Problem, match="--runner ray"):
        await score_async(log_of(1), "length", store=tmp_path / "s.db", ray_address="127.0.0.1:6379")


async def test_a_shard_that_is_sent_in_parts_is_made_whole(
    on_cluster: Any, log_of: Any, monkeypatch: pytest.MonkeyPatch, sent: list[Any]
) -> None:
    monkeypatch.setattr(ray_runner, "AT_ONCE", 3)
    cluster = FakeCluster(2, deaths=[7])
    outcome = await on_cluster(cluster, log_of(15), ["action_only", "eae"], max_connections=2)
    assert (outcome.counts["scored"], outcome.left, outcome.exit_status) == (30, 0, 0)
    assert len(sent) <= outcome.calls + 1
    assert max(len(worker.allowed) for worker in cluster.workers) > 1


def test_an_address_at_which_nobody_listens_is_refused_at_once() -> None:
    pytest.importorskip("ray", reason="Ray is not installed")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound and not listening: refused, and nobody else's meanwhile
        address = f"127.0.0.1:{closed.getsockname()[1]}"
        with (
            pytest.raises(Problem, match=f"the Ray cluster at {address} cannot be used"),
            ray_runner.connected(address),
        ):
            pass
