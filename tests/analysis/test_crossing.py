"""In a crossed design tasks and side goals are drawn apart, and a report finds out by itself."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from molehunt.analysis import difference, interval
from molehunt.analysis.bootstrap import Design, resampled
from molehunt.analysis.crossing import side_goals


def grid(n_tasks, n_goals, spread_of_goals=0.0, seed=0):
    """Scores, labels, tasks and goals: an honest run a task, and an attack a pair of task and goal."""
    rng = np.random.default_rng(seed)
    easy = rng.normal(size=n_goals) * spread_of_goals
    pairs = list(product(range(n_tasks), range(n_goals)))
    scores = [*rng.normal(size=n_tasks), *(1.0 + easy[goal] + rng.normal() for _, goal in pairs)]
    labels = [0] * n_tasks + [1] * len(pairs)
    tasks = [*range(n_tasks), *(task for task, _ in pairs)]
    goals = [""] * n_tasks + [f"g{goal}" for _, goal in pairs]
    return scores, labels, tasks, np.array(goals)


def runs_of(pairs, environment="shade_arena/agentdojo"):
    table = pd.DataFrame(pairs, columns=["task_id", "side_task"])
    return table.assign(environment=environment, label="attack")


def test_a_weight_is_how_often_the_task_was_drawn_times_how_often_the_goal_was():
    design = Design(np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, -1, -1]))
    [weights] = design.weights(replicates=50, seed=3)
    [tasks], [goals] = resampled(3, 50, 3), resampled(2, 50, 4)
    np.testing.assert_array_equal(
        weights[:3], [tasks[0] * goals[0], tasks[0] * goals[1], tasks[1] * goals[0]]
    )
    np.testing.assert_array_equal(weights[3:], tasks[1:])


def test_goals_that_differ_widen_the_interval_only_if_they_are_drawn():
    scores, labels, tasks, goals = grid(60, 6, spread_of_goals=1.5)
    one_way = interval("auroc", scores, labels, tasks, replicates=500)
    two_way = interval("auroc", scores, labels, tasks, replicates=500, goals=goals)
    assert (one_way.method, two_way.method) == ("bootstrap", "two_way_t")
    assert two_way.value == one_way.value
    assert two_way.high - two_way.low > 2 * (one_way.high - one_way.low)


def test_many_tasks_and_many_goals_have_percentiles():
    scores, labels, tasks, goals = grid(55, 52)
    assert interval("log_auroc", scores, labels, tasks, replicates=200, goals=goals).method == "two_way"


def test_a_difference_is_drawn_both_ways_too():
    scores, labels, tasks, goals = grid(30, 8)
    other = np.random.default_rng(1).normal(size=len(scores))
    found = difference("auroc", scores, other, labels, tasks, replicates=200, goals=goals)
    assert found.method == "two_way_t"
    assert found.low < found.value < found.high


def test_suites_whose_goals_meet_all_their_tasks_cross():
    pairs = [(f"{s}:u{task}", f"{s}:i{goal}") for s in "ab" for task in range(4) for goal in range(3)]
    runs = runs_of(pairs)
    assert side_goals(runs).tolist() == runs["side_task"].tolist()
    assert (side_goals(runs.sample(frac=0.5, random_state=0)) != "").all()


@pytest.mark.parametrize(
    "pairs",
    [
        [(f"p{n}", "exit" if n % 2 else "log_io") for n in range(20)],
        [(f"p{n}", f"side {(n + step) % 11}") for n in range(60) for step in (0, 1)],
        [("p0", f"side {n}") for n in range(9)],
    ],
    ids=["one side task a problem", "two of eleven side tasks a problem", "one problem"],
)
def test_side_tasks_that_few_tasks_share_do_not(pairs):
    assert (side_goals(runs_of(pairs)) == "").all()


def test_honest_runs_and_runs_without_side_task_pursue_none():
    runs = runs_of([("u1", "i1"), ("u1", "i2"), ("u2", "i1"), ("u2", "i2"), ("u1", None), ("u2", None)])
    runs.loc[4, "label"] = "honest"
    assert side_goals(runs).tolist() == ["i1", "i2", "i1", "i2", "", ""]
    assert (side_goals(runs.drop(columns="side_task")) == "").all()
