"""Whether every side goal is pursued in many tasks, so that goals are a sample of their own."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

FILLED = 1 / 3
"""Share of the possible pairs of task and goal from which a design counts as crossed."""


def side_goals(runs: pd.DataFrame) -> pd.Series:
    """The second factor of a crossed design: the side task of attack runs, where side tasks and tasks cross.

    AgentDojo pairs each injected goal of a suite with each user task of it: what a monitor makes of a goal it
    makes of it in all of them, and to draw user tasks alone would pass a dozen goals off as hundreds. Where a
    task has one side task, or a few of many as in BigCodeBench-Sabotage, nothing is crossed. The factors of a
    data set cross if at least two tasks and two goals hang together, and attacks fill at least a third of the
    pairs of such tasks and goals.

    Parameters
    ----------
    runs : with ``label``, ``environment``, ``task_id`` and, if there are side tasks, ``side_task``.

    Returns
    -------
    (n,) texts on the index of ``runs``, empty for honest runs and where nothing is crossed.

    Examples
    --------
    >>> pairs = pd.DataFrame({
    ...     "label": "attack", "environment": "shade_arena/agentdojo",
    ...     "task_id": ["u1", "u1", "u2", "u2"], "side_task": ["i1", "i2", "i1", "i2"]})
    >>> side_goals(pairs).tolist(), side_goals(pairs.iloc[1:3]).tolist()
    (['i1', 'i2', 'i1', 'i2'], ['', ''])
    """
    goals = pd.Series("", runs.index, dtype="str")
    if "side_task" not in runs:
        return goals
    attacks = runs[(runs["label"] == "attack") & runs["side_task"].notna()]
    for _, group in attacks.groupby("environment"):
        if _cross(group["task_id"], group["side_task"]):
            goals[group.index] = group["side_task"].astype("str")
    return goals


def _cross(tasks: pd.Series, goals: pd.Series) -> bool:
    rows, task_names = pd.factorize(tasks)
    columns, goal_names = pd.factorize(goals)
    pairs = np.unique(np.column_stack([rows, columns]), axis=0)
    n_tasks, n_all = task_names.size, task_names.size + goal_names.size
    graph = csr_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1] + n_tasks)), shape=(n_all, n_all))
    _, suite_of = connected_components(graph, directed=False)
    n_tasks_in = np.bincount(suite_of[:n_tasks], minlength=n_all)
    n_goals_in = np.bincount(suite_of[n_tasks:], minlength=n_all)
    n_pairs_in = np.bincount(suite_of[pairs[:, 0]], minlength=n_all)
    is_grid = (n_tasks_in > 1) & (n_goals_in > 1)
    possible = (n_tasks_in * n_goals_in)[is_grid].sum()
    return bool(possible and n_pairs_in[is_grid].sum() >= FILLED * possible)
