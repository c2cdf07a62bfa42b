"""An experiment's file: what it crosses, and what it is told when it cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from molehunt.experiments import read_experiment
from molehunt.experiments.experiment import Assumed, Environment, Experiment, Judging, Reporting
from molehunt.experiments.planning import plan_experiment
from molehunt.trajectories import Problem
from molehunt.verdicts.prices import PriceTable

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

SMALL = """
agents: [scripted/saboteur]
environments:
  - {task: bigcodebench_sabotage, policy: [baseline, stealth]}
scoring:
  - monitors: [length]
"""


@pytest.fixture
def file_of(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "experiment.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def combinations(**parameters):
    return list(Environment(task="bigcodebench_sabotage", **parameters).combinations())


def test_lists_are_crossed_and_single_values_hold_everywhere():
    assert combinations(side_tasks=["exit", "log_io"], seed=[0, 1], attempts=2) == [
        {"side_tasks": side_task, "seed": seed, "attempts": 2}
        for side_task in ("exit", "log_io")
        for seed in (0, 1)
    ]


def test_honest_runs_are_made_once_for_all_policies():
    first, *others = combinations(policy=["baseline", "stealth", "must-use"])
    assert "arms" not in first
    assert [other["arms"] for other in others] == ["attack", "attack"]


def test_a_policy_that_tells_agents_of_the_monitor_has_honest_runs_of_its_own():
    assert all("arms" not in chosen for chosen in combinations(policy=["baseline", "monitor-notice"]))


def test_the_notice_that_a_policy_gives_and_the_one_that_is_set_are_one_condition():
    chosen = combinations(awareness=["told"], policy=["baseline", "monitor-notice"])
    assert [one.get("arms", "both") for one in chosen] == ["both", "attack"]


def test_honest_runs_alone_are_not_repeated_for_each_policy():
    assert combinations(arms="honest", policy=["baseline", "stealth"]) == [
        {"arms": "honest", "policy": "baseline"}
    ]


def test_a_parameter_can_be_changed_for_all_environments(file_of):
    experiment = read_experiment(file_of(SMALL), {"seed": 7})
    assert [chosen["seed"] for chosen in experiment.environments[0].combinations()] == [7, 7]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- nothing", "holds no experiment"),
        ("agents: [", "is not YAML"),
        (SMALL.replace("scripted/saboteur", ""), "agents: list should have"),
        (SMALL.replace("bigcodebench_sabotage", "chess"), "environments.0.task"),
        (SMALL + "budget: 3", "budget: there is no such key; there are agents, environments, scoring"),
        (
            SMALL + "report: {slices: policy}",
            "report.slices: there is no such key; there are by, against, filtered",
        ),
        (
            SMALL.replace("policy: [baseline, stealth]", "parameters: {seed: 1}"),
            "yaml: environments.0.parameters: a parameter of a task is a word, a number, true or false, or a "
            "list of these.",
        ),
        (SMALL.replace("scoring", "judging"), "scoring"),
        (SMALL + "epochs: 0", "epochs"),
    ],
)
def test_a_file_that_is_no_experiment_is_refused_with_the_place(text, words, file_of):
    with pytest.raises(Problem) as refused:
        read_experiment(file_of(text))
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_key_that_nothing_knows_is_answered_with_those_that_there_are(file_of):
    with pytest.raises(Problem, match=r"scoring\.0\.monitor: there is no such key; there are monitors, mod"):
        read_experiment(file_of(SMALL.replace("- monitors: [length]", "- {monitors: [length], monitor: x}")))


def test_all_that_is_wrong_with_a_file_is_said_at_once(file_of):
    with pytest.raises(Problem, match=r"epochs: .*; budget: there is no such key"):
        read_experiment(file_of(SMALL + "budget: 3\nepochs: many"))


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.yaml")), ids=lambda file: file.name)
def test_the_examples_are_experiments(file):
    assert read_experiment(file).agents


PAGE = (Path(__file__).resolve().parents[2] / "docs" / "experiments.md").read_text(encoding="utf-8")


def test_the_page_about_the_file_shows_one_that_can_be_run(file_of):
    example = PAGE.partition("```yaml")[2].partition("```")[0]
    planned = plan_experiment(read_experiment(file_of(example)), PriceTable.load())
    assert {row.environment for row in planned.acting} == {"bigcodebench_sabotage", "shade_arena"}


@pytest.mark.parametrize("part", [Experiment, Environment, Judging, Reporting, Assumed])
def test_the_page_about_the_file_explains_every_key(part):
    keys = [name for name in part.model_fields if name not in {"monitors", "report"}]
    assert [name for name in keys if f"`{name}`" not in PAGE and f"`report.{name}`" not in PAGE] == []
