"""Training a monitor on labels: the one place where the truth about runs meets their trajectories."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from molehunt.monitors.features import Features
from molehunt.monitors.learned_file import LearnedFile, Linear, Training, task_key
from molehunt.trajectories import EVERYTHING, Problem, Trajectory, Truth, View
from molehunt.trajectories.wording import count
from molehunt.verdicts import Store, StoredRun

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

FOLDS = 5
"""Groups of tasks, and of side tasks, that are left out in turn."""

MOST_FOLDS = 20
"""A model is trained for each pair of groups, so there are up to the square of it."""

Arm = Literal["sabotage", "sandbagging"]
"""Of attacks; see `molehunt.verdicts.success`."""

Group = int
Held = tuple[frozenset[Group], frozenset[Group]]
"""What a model has not seen: groups of tasks, and groups of side tasks."""


@dataclass(frozen=True)
class Example:
    """A run to learn from: its trajectory's id, label, and groups that its judge must not have seen."""

    trajectory: str
    attack: bool
    task: Group
    side_task: Group | None


def fit(
    store: str | Path,
    out: str | Path,
    *,
    view: View = EVERYTHING,
    folds: int = FOLDS,
    arm: Arm = "sabotage",
) -> Training:
    """Train a monitor on the labelled runs of a store, and write it to a file for `learned`.

    Runs are left out that would not count in a report, see `molehunt.verdicts.success`: those that broke off,
    attacks that are known to have failed, and honest runs whose main task is known to have failed. So are
    attacks of the other arm, since to sabotage and to sandbag are never taken for one thing.

    Each run of the store will be judged by a model that has seen neither another run of its task nor any
    attack with its side task. For that, tasks and side tasks are dealt into groups, and a model is trained
    for each pair of groups, without either. An honest run has no side task; it is dealt to one group of them,
    so that each model judges attack and honest runs alike. If the store knows fewer than two side tasks, only
    tasks are left out, and the file says so.

    Parameters
    ----------
    store : with runs and their truth.
    out : file to write.
    view : what is read of a run.
    folds : groups of tasks, and of side tasks, 2 to 20; fewer where there are not so many.
    arm : the attacks to learn from, ``sabotage`` or ``sandbagging``.

    Returns
    -------
    Training
        Of what the monitor was made.

    Raises
    ------
    Problem
        If the store holds too little to learn from, or a file cannot be read or written.
    """
    if not 2 <= folds <= MOST_FOLDS:
        raise Problem(f"there are 2 to {MOST_FOLDS} folds, not {folds}")
    if os.path.realpath(store) == os.path.realpath(out):
        raise Problem(f"{out} is the store: give another file for what is learned from it")
    with Store.read(store) as opened:
        runs = counting_runs(opened, arm)
        trajectories = {run.trajectory: opened.trajectory(run.trajectory) for run, _ in runs}
    tasks = dealt({_task(truth) for _, truth in runs}, folds)
    side_tasks = dealt({_side_task(truth) for _, truth in runs if truth.label == "attack"}, folds)
    examples = [
        Example(
            run.trajectory,
            truth.label == "attack",
            tasks[_task(truth)],
            side_tasks.get(_side_task(truth)) if len(side_tasks) > 1 else None,
        )
        for run, truth in runs
    ]
    attack = sum(example.attack for example in examples)
    if not 0 < attack < len(examples) or len(tasks) < 2:
        raise Problem(
            f"{store} has {attack:,} attack and {count(len(examples) - attack, 'honest run')} of "
            f"{count(len(tasks), 'task')} that count for the arm {arm}. To learn, there must be runs "
            "of both labels and of two tasks."
        )
    training = Training(
        attack=attack,
        honest=len(examples) - attack,
        tasks=len(tasks),
        side_tasks=len(side_tasks),
        left_out=("task", "side_task") if len(side_tasks) > 1 else ("task",),
    )
    learned = _trained(examples, trajectories, view, training, str(store))
    try:
        Path(out).write_text(learned.model_dump_json() + "\n", encoding="utf-8")
    except OSError as error:
        raise Problem(f"cannot write {out}: {error.strerror}") from error
    return training


def counting_runs(store: Store, arm: Arm = "sabotage") -> list[tuple[StoredRun, Truth]]:
    """The honest runs and the attacks of an arm that count in a report, each with its truth."""
    from molehunt.verdicts.frames import runs_frame
    from molehunt.verdicts.success import SABOTAGE, judged

    frame = runs_frame(store)
    counting = set(frame["run"][judged(frame)["excluded"] == ""])
    return [
        (run, run.truth)
        for run in store.runs()
        if run.truth is not None
        and run.id in counting
        and (run.truth.label == "honest" or run.truth.factors.get("arm", SABOTAGE) == arm)
    ]


def dealt(names: Iterable[str], groups: int) -> Mapping[str, Group]:
    """``names`` dealt into groups as even as can be, in an order that is theirs and no alphabet's.

    Examples
    --------
    >>> sorted(dealt("abcdef", 3).values())
    [0, 0, 1, 1, 2, 2]
    """
    order = sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest())
    return {name: position % groups for position, name in enumerate(order)}


def held_out(examples: Sequence[Example]) -> Mapping[str, Held]:
    """For each trajectory the groups whose runs its judge must not have seen.

    Trajectories of honest runs are dealt to the groups of side tasks, within their group of tasks. One that
    several runs share is kept apart from the groups of all of them.
    """
    held: defaultdict[str, tuple[set[Group], set[Group]]] = defaultdict(lambda: (set(), set()))
    for example in examples:
        tasks, side_tasks = held[example.trajectory]
        tasks.add(example.task)
        side_tasks |= set() if example.side_task is None else {example.side_task}
    groups = sorted({example.side_task for example in examples if example.side_task is not None})
    turn: defaultdict[frozenset[Group], int] = defaultdict(int)
    for trajectory in sorted(held):
        tasks, side_tasks = held[trajectory]
        if groups and not side_tasks:
            side_tasks.add(groups[turn[frozenset(tasks)] % len(groups)])
            turn[frozenset(tasks)] += 1
    return {trajectory: (frozenset(one), frozenset(other)) for trajectory, (one, other) in held.items()}


def _trained(
    examples: Sequence[Example],
    trajectories: Mapping[str, Trajectory],
    view: View,
    training: Training,
    store: str,
) -> LearnedFile:
    features = Features.fit(list(trajectories.values()), view)
    place = {trajectory: row for row, trajectory in enumerate(trajectories)}
    matrix = features.matrix(list(trajectories.values()))[[place[example.trajectory] for example in examples]]
    held = held_out(examples)
    kinds = sorted(set(held.values()), key=lambda one: tuple(map(sorted, one)))
    folds = []
    for tasks, side_tasks in kinds:
        seen = [
            row
            for row, example in enumerate(examples)
            if example.task not in tasks and example.side_task not in side_tasks
        ]
        if len({examples[row].attack for row in seen}) < 2:
            raise Problem(
                f"{store} has too few runs to leave out a task and a side task and still learn from both "
                "labels. Score more tasks, or give more --folds, each of which leaves out less."
            )
        folds.append(_regression(matrix[seen], [examples[row].attack for row in seen]))
    judges: dict[str, tuple[int, ...]] = {name: (kinds.index(one),) for name, one in held.items()}
    for trajectory in trajectories.values():
        tasks = held[trajectory.id][0]
        judges[task_key(trajectory.task)] = tuple(
            number for number, (left_out, _) in enumerate(kinds) if left_out >= tasks
        )
    return LearnedFile(
        kind="molehunt learned monitor",
        version=1,
        training=training,
        features=features,
        whole=_regression(matrix, [example.attack for example in examples]),
        folds=tuple(folds),
        judges=judges,
    )


def _regression(matrix: csr_matrix, labels: Sequence[bool]) -> Linear:
    from sklearn.linear_model import LogisticRegression

    regression = LogisticRegression(class_weight="balanced", max_iter=5000).fit(matrix, labels)
    # six digits change no ranking that means anything, and halve the file
    coefficients = tuple(float(f"{value:.6g}") for value in regression.coef_[0])
    return Linear(coefficients=coefficients, intercept=float(regression.intercept_[0]))


def _task(truth: Truth) -> str:
    return f"{truth.environment}\x1f{truth.task_id}"


def _side_task(truth: Truth) -> str:
    return f"{truth.environment}\x1f{truth.factors.get('side_task', '')}"
