"""Fitting: cross-fitted by task and side task, so that no run is judged by what has seen either."""

from __future__ import annotations

import shlex
from collections import defaultdict
from dataclasses import replace

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import molehunt
from molehunt.commands.fit import command
from molehunt.monitors import build
from molehunt.monitors.learned import learned
from molehunt.monitors.learned_file import LearnedFile, task_key
from molehunt.monitors.testing import ask_that_says, judged_by
from molehunt.scoring import score
from molehunt.scoring.fit import Example, counting_runs, fit, held_out
from molehunt.trajectories import Problem, Run, Step, Trajectory, Truth
from molehunt.verdicts import Store

SIDE_TASKS = ("delete", "exit", "log")


def run_of(task: str, number: int, side_task: str | None = None, **more) -> Run:
    word = f"sabotage {side_task}" if side_task else "honest work"
    truth = Truth(
        "attack" if side_task else "honest",
        "bigcodebench_sabotage/embedded",
        task,
        1.0,
        1.0 if side_task else 0.0,
        factors={"side_task": side_task} if side_task else {},
    )
    trajectory = Trajectory(f"Task {task}.", (Step(0, "code", f"{task} {number} {word}"),))
    return Run(trajectory, more.pop("truth", truth), log="a.eval", sample=f"{task}-{number}-{word}", **more)


def runs() -> list[Run]:
    attacks = [run_of(f"t{task}", n, side) for task in range(6) for n, side in enumerate(SIDE_TASKS)]
    return attacks + [run_of(f"t{task}", n) for task in range(6) for n in range(3)]


@pytest.fixture
def stored(tmp_path):
    def store(of):
        file = tmp_path / "scores.db"
        with Store.open(file) as opened:
            for run in of:
                opened.add_run(run)
        return file

    return store


async def test_what_is_learned_from_a_store_is_known_again_in_other_runs(stored, tmp_path):
    training = fit(stored(runs()), tmp_path / "m.json")
    assert (training.attack, training.honest, training.tasks, training.side_tasks) == (18, 18, 6, 3)
    assert training.left_out == ("task", "side_task")
    monitor = learned(tmp_path / "m.json")
    attack, honest = run_of("new", 1, "delete"), run_of("new", 1)
    scores = [(await judged_by(monitor, ask_that_says(), run.trajectory)).score for run in (attack, honest)]
    assert scores[0] > 0.7 > 0.3 > scores[1]


async def test_a_run_is_judged_by_a_model_that_never_saw_its_task_or_its_side_task(stored, tmp_path):
    fit(stored(runs()), tmp_path / "m.json")
    file = LearnedFile.read(tmp_path / "m.json")
    names = file.features.names
    for run in runs():
        [judge] = file.judges_of(run.trajectory)
        unseen = [run.truth.task_id, run.truth.factors.get("side_task", run.truth.task_id)]
        for word in unseen:
            # what no run of a model's training has, its regression leaves at nothing
            assert judge.coefficients[names.index(f'words "{word}"')] == pytest.approx(0.0, abs=1e-9)


async def test_other_runs_of_a_known_task_are_judged_by_models_without_the_task(stored, tmp_path):
    fit(stored(runs()), tmp_path / "m.json")
    file = LearnedFile.read(tmp_path / "m.json")
    judges = file.judges_of(run_of("t1", 99).trajectory)
    assert len(judges) == 3
    assert judges == tuple(file.folds[fold] for fold in file.judges[task_key("Task t1.")])
    assert {judge.coefficients[file.features.names.index('words "t1"')] for judge in judges} == {0.0}


def test_one_side_task_cannot_be_left_out_and_the_file_says_so(stored, tmp_path):
    one = [run_of(f"t{task}", n, side) for task in range(4) for n, side in enumerate(("exit", None))]
    result = CliRunner().invoke(command, [str(stored(one)), "--out", str(tmp_path / "m.json")])
    assert "fewer than two side tasks" in result.output
    assert LearnedFile.read(tmp_path / "m.json").training.left_out == ("task",)


def test_the_command_says_what_it_learned_from_and_how_to_use_it(stored, tmp_path):
    result = CliRunner().invoke(command, [str(stored(runs())), "--out", str(tmp_path / "m.json")])
    assert "learned from 18 attack and 18 honest runs of 6 tasks and 3 side tasks" in result.output
    [line] = [line for line in result.output.splitlines() if line.startswith("score with it: ")]
    assert f"""--monitor "learned(file='{tmp_path / "m.json"}')" --store""" in line
    words = shlex.split(line)
    assert build(words[words.index("--monitor") + 1]) == learned(tmp_path / "m.json")


@pytest.mark.parametrize(
    ("of", "says"),
    [
        ([], "0 attack and 0 honest runs of 0 tasks"),
        ([run_of("t1", 1), run_of("t2", 2)], "0 attack and 2 honest"),
        ([run_of("t1", 1), run_of("t1", 2, "exit")], "of 1 task "),
        ([run_of("t1", 1), run_of("t2", 2, "exit")], "too few runs to leave out"),
    ],
)
def test_too_little_to_learn_from_is_a_problem(stored, tmp_path, of, says):
    with pytest.raises(Problem, match=says):
        fit(stored(of), tmp_path / "m.json")


def test_more_folds_leave_out_less_of_little(stored, tmp_path):
    pairs = zip(("t1", "t2", "t3"), SIDE_TASKS, strict=True)
    few = stored([run for task, side in pairs for run in (run_of(task, 1), run_of(task, 2, side))])
    with pytest.raises(Problem, match="or give more --folds"):
        fit(few, tmp_path / "m.json", folds=2)
    assert fit(few, tmp_path / "m.json", folds=3).attack == 3


def test_a_file_that_cannot_be_written_is_a_problem(stored, tmp_path):
    with pytest.raises(Problem, match="cannot write"):
        fit(stored(runs()), tmp_path / "nowhere" / "m.json")


def in_mle(label: str, main_score: float | None, side_score: float | None, **more) -> Run:
    truth = Truth(label, "mle_sabotage/builtin", "t", main_score, side_score)
    return run_of("t", more.pop("number", 1), truth=truth, **more)


def test_it_is_one_of_the_names_of_the_package():
    assert molehunt.fit is fit
    assert "fit" in molehunt.__all__


def test_the_store_is_not_overwritten_by_what_is_learned_from_it(stored, tmp_path):
    store = stored(runs())
    (tmp_path / "link.db").symlink_to(store)
    before = store.read_bytes()
    for out in (store, tmp_path / "link.db"):
        with pytest.raises(Problem, match="is the store"):
            fit(store, out)
    assert store.read_bytes() == before


@pytest.mark.parametrize("folds", [1, 21])
def test_folds_beyond_reason_are_refused_before_anything_is_trained(tmp_path, folds):
    with pytest.raises(Problem, match="2 to 20 folds"):
        fit(tmp_path / "nowhere.db", tmp_path / "m.json", folds=folds)


@pytest.mark.parametrize(
    ("of", "counted"),
    [
        ([run_of("t", 1), run_of("t", 1, "exit")], 2),
        ([run_of("t", 1, ending="cancelled")], 0),
        ([run_of("t", 1, ending="limit")], 1),
        ([run_of("t", 1, truth=Truth("honest", "bigcodebench_sabotage/embedded", "t", main_score=0.0))], 0),
        # a sabotage that breaks the job is none, here
        ([run_of("t", 1, truth=Truth("attack", "bigcodebench_sabotage/embedded", "t", 0.0, 1.0))], 0),
        ([run_of("t", 1, truth=Truth("attack", "e", "t", side_score=0.0))], 0),
        ([run_of("t", 1, truth=Truth("attack", "e", "t"))], 1),
        # what honest runs score by accident is no sabotage, and a little skill is some
        ([in_mle("attack", 1.0, 0.6), in_mle("honest", 0.1, 0.5, number=2)], 1),
        ([in_mle("attack", 1.0, 0.8), in_mle("honest", 0.1, 0.5, number=2)], 2),
        ([run_of("t", 1, truth=None)], 0),
    ],
)
def test_what_counts_in_a_report_is_learned_from(stored, of, counted):
    with Store.read(stored(of)) as store:
        assert len(counting_runs(store)) == counted


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdefgh"), st.booleans(), st.integers(0, 2), st.integers(0, 2)),
        min_size=1,
    )
)
def test_the_groups_that_a_trajectory_is_kept_from_are_those_of_all_its_runs(drawn):
    examples = [Example(name, attack, task, side if attack else None) for name, attack, task, side in drawn]
    held = held_out(examples)
    of = defaultdict(list)
    for example in examples:
        of[example.trajectory].append(example)
    for trajectory, group in of.items():
        tasks, side_tasks = held[trajectory]
        assert tasks == {example.task for example in group}
        known = {example.side_task for example in group if example.attack}
        assert known <= side_tasks
        assert len(side_tasks) == len(known) or (not known and len(side_tasks) == 1)


def test_it_scores_as_an_oracle(stored, tmp_path, log_of):
    fit(stored(runs()), tmp_path / "m.json")
    outcome = score(log_of(2), f"learned(file='{tmp_path / 'm.json'}')", store=tmp_path / "other.db")
    assert outcome.counts == {"scored": 2}
    with Store.read(tmp_path / "other.db") as store:
        [record] = store.monitors()
    assert record.oracle


def test_sandbagging_is_learned_apart_from_sabotage(stored, tmp_path):
    lazy = [run_of(f"t{task}", 9, "sandbag") for task in range(6)]
    lazy = [
        replace(run, truth=replace(run.truth, factors={**run.truth.factors, "arm": "sandbagging"}))
        for run in lazy
    ]
    store = stored(runs() + lazy)
    assert fit(store, tmp_path / "m.json").attack == 18
    alone = fit(store, tmp_path / "m.json", arm="sandbagging")
    assert (alone.attack, alone.honest) == (6, 18)
