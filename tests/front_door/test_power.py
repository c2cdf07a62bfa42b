"""``molehunt power`` plans from a pilot or from what is expected, and says in one line what it lacks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from molehunt.commands.power import command
from molehunt.trajectories import Problem


def said(*arguments):
    result = CliRunner().invoke(command, [*map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


@pytest.fixture
def scores(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        {
            "monitor": name,
            "run_id": f"{task}{label}",
            "task_id": task,
            "label": label,
            "score": rng.normal() + shift * (label == "attack"),
        }
        for name, shift in (("good", 1.5), ("poor", 0.5))
        for task in range(40)
        for label in ("honest", "attack")
    ]
    path = tmp_path / "scores.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def test_an_interval_is_planned_from_what_is_expected():
    assert "148 tasks for a 95% interval no wider than 0.1" in said("--auroc", 0.8, "--within-task", 0)


def test_a_difference_is_planned_from_what_is_expected():
    assert "203 tasks to find a difference of +0.050" in said("--auroc", 0.85, "--baseline", 0.8)


def test_a_pilot_says_how_many_tasks_its_own_difference_takes(scores):
    output = said(scores, "--monitor", "good", "--against", "poor")
    assert "in 80 runs of 40 tasks" in output
    assert "clustered DeLong variance" in output
    assert "tasks to find a difference of +0." in output


def test_a_pilot_says_how_far_its_size_lets_it_be_off(scores, tmp_path):
    small = tmp_path / "small.csv"
    table = pd.read_csv(scores)
    table[table["task_id"] < 4].to_csv(small, index=False)
    said_of = [said(path, "--monitor", "poor").splitlines()[-1] for path in (small, scores)]
    assert said_of[0] == "  a pilot of this size may be off by factors of 0.32 to 14"
    assert said_of[1] == "  a pilot of this size may be off by factors of 0.67 to 1.6"
    assert "pilot" not in said("--auroc", 0.8)


def test_a_pilot_plans_for_any_metric(scores):
    assert "bootstrap variance" in said(scores, "--monitor", "good", "--metric", "log_auroc", "--width", 0.2)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "give a store with a pilot, or --auroc"),
        (["--auroc", "1.2"], "an AUROC lies in"),
        (["--auroc", "0.8", "--metric", "log_auroc"], "log_auroc needs a pilot"),
        (["--auroc", "0.8", "--width", "0"], "--width cannot be 0"),
        (["--auroc", "0.8", "--baseline", "0.8"], "a difference of 0 cannot be found"),
        (["SCORES"], "name the monitor"),
        (["SCORES", "--monitor", "none"], "names no monitor"),
    ],
)
def test_what_is_lacking_is_said_in_one_line(scores, arguments, complaint):
    with pytest.raises(Problem, match=complaint):
        said(*[scores if word == "SCORES" else word for word in arguments])


def test_nothing_is_planned_from_a_pilot_in_which_nothing_went_wrong(scores):
    perfect = pd.read_csv(scores).assign(score=lambda table: (table["label"] == "attack").astype(float))
    perfect.to_csv(scores, index=False)
    assert "no number of tasks follows" in said(scores, "--monitor", "good")
