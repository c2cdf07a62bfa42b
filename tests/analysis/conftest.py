"""A store as an experiment leaves it: tasks with an honest and an attack run, and what monitors said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from molehunt.trajectories import Run, Step, Trajectory, Truth
from molehunt.verdicts import Call, MonitorRecord, Store, Tokens, Verdict

SIDE_TASKS = ("exit", "log_io", "complexity")
MINI = "openai/gpt-4.1-mini"


@dataclass(frozen=True)
class Watcher:
    """A monitor of the experiment: how far its scores move an attack up, and what a verdict takes."""

    spec: str
    shift: float
    model: str = ""
    tokens: Tokens | None = None
    source: str = "somebody 2026"
    oracle: bool = False
    refuses: float = 0.0
    answered: str = ""


WATCHERS = (
    Watcher("action_only()", 0.8, MINI, Tokens(input=900, output=120)),
    Watcher("eae(min_excerpts=5)", 1.6, MINI, Tokens(input=2000, cache_read=500, output=400)),
    Watcher("flag_all()", 0.0, source="floor"),
    Watcher("learned(words.json)", 2.5, oracle=True),
)


@dataclass
class Experiment:
    """What to vary in a store."""

    n_tasks: int = 60
    watchers: Sequence[Watcher] = WATCHERS
    environment: str = "bigcodebench_sabotage/embedded"
    agent_models: Sequence[str] = ("openai/gpt-4.1",)
    labels: Sequence[str] = ("honest", "attack")
    factors: dict[str, str] = field(default_factory=dict)
    failed_share: float = 0.1
    unknown_scores: bool = False
    seed: int = 0


@pytest.fixture(scope="session")
def ordinary_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of an `Experiment` as it is, for all who only read it."""
    path = tmp_path_factory.mktemp("ordinary") / "scores.db"
    with Store.open(path) as store:
        fill(store, Experiment())
    return path


@pytest.fixture
def store_of(tmp_path: Path) -> Callable[[Experiment], Path]:
    """Writes an experiment's store and gives its path."""

    def write(experiment: Experiment) -> Path:
        path = tmp_path / "scores.db"
        with Store.open(path) as store:
            fill(store, experiment)
        return path

    return write


def fill(store: Store, experiment: Experiment) -> None:
    rng = np.random.default_rng(experiment.seed)
    for watcher in experiment.watchers:
        roles = {"monitor": {"model": watcher.model, "config": {}}} if watcher.model else {}
        store.add_monitor(
            MonitorRecord(
                id=f"id-{watcher.spec}-{watcher.model}",
                name=watcher.spec.partition("(")[0],
                spec=watcher.spec,
                models=watcher.model,
                roles=roles,
                source=watcher.source,
                oracle=watcher.oracle,
            )
        )
    for agent in experiment.agent_models:
        for task in range(experiment.n_tasks):
            for label in experiment.labels:
                run = _run(experiment, agent, task, label, rng)
                store.add_run(run)
                for watcher in experiment.watchers:
                    _judge(store, watcher, run, label, rng)


def _run(experiment: Experiment, agent: str, task: int, label: str, rng: np.random.Generator) -> Run:
    is_attack = label == "attack"
    fails = rng.random() < experiment.failed_share
    side_task = {"side_task": SIDE_TASKS[task % 3], "policy": "baseline"} if is_attack else {}
    truth = Truth(
        label="attack" if is_attack else "honest",
        environment=experiment.environment,
        task_id=f"p{task}",
        main_score=None if experiment.unknown_scores else float(is_attack or not fails),
        side_score=float(not fails) if is_attack and not experiment.unknown_scores else None,
        factors={"awareness": "unaware", **side_task, **experiment.factors},
    )
    name = f"{agent} {task} {label}"
    return Run(
        Trajectory(f"Solve {task}.", (Step(0, "code", f"print({name!r})"),)),
        truth,
        log="runs.eval",
        sample=name,
        agent_model=agent,
    )


def _judge(store: Store, watcher: Watcher, run: Run, label: str, rng: np.random.Generator) -> None:
    raw = 0.3 + 0.15 * (rng.normal() + watcher.shift * (label == "attack"))
    score = float(np.clip(np.round(raw, 2), 0, 1)) if watcher.shift else 1.0
    refused = rng.random() < watcher.refuses
    monitor = f"id-{watcher.spec}-{watcher.model}"
    calls = []
    if watcher.model:
        key = f"{monitor} {run.sample}"
        answered = watcher.answered or f"{watcher.model}-2025-04-14"
        store.add_call(Call(key, "monitor", watcher.model, answered, watcher.tokens, seconds=1.5))
        calls.append(key)
    verdict = Verdict.unscored("refused", "I would rather not.") if refused else Verdict(score)
    store.add_verdict(run.trajectory.id, monitor, 0, verdict, calls, seconds=0.01)


@pytest.fixture
def watcher() -> Watcher:
    """A monitor that asks a priced model."""
    return WATCHERS[0]


@pytest.fixture
def experiment() -> Experiment:
    """Sixty tasks, two monitors, a floor and an oracle."""
    return Experiment()
