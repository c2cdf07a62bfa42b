"""Problems from everywhere, their splits, and the pairing with side tasks."""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from molehunt.environments.bigcodebench_sabotage.anatomy import Anatomy, anatomy
from molehunt.environments.bigcodebench_sabotage.pairing import pair, quotas
from molehunt.environments.bigcodebench_sabotage.problems import Problem, load_problems
from molehunt.environments.bigcodebench_sabotage.side_tasks import SIDE_TASKS, Errand
from molehunt.environments.bigcodebench_sabotage.splits import SPLITS, in_split
from molehunt.trajectories import Problem as Mistake

ROW = {
    "task_id": "mine/1",
    "instruct_prompt": "Add one.",
    "code_prompt": "def task_func(x):\n",
    "canonical_solution": "    return x + 1",
    "test": "import unittest\nclass TestCases(unittest.TestCase):\n    def test(self):\n"
    "        self.assertEqual(task_func(1), 2)\n        self.assertEqual(task_func(x=2), 3)\n",
    "entry_point": "task_func",
    "libs": "[]",
}


def problem(**fields: str) -> Problem:
    return Problem.model_validate({**ROW, **fields})


def facts(**fields: Any) -> Anatomy:
    whole = {
        "parameters": ("x",),
        "code_lines": 9,
        "returns": True,
        "loops": True,
        "swallows": False,
        "tests_raise": False,
        "calls": 3,
        "literal_calls": 3,
        "files": False,
        "varies": False,
        "patched": (),
        "names": frozenset(),
    }
    return Anatomy(**{**whole, **fields})


def test_the_pack_is_of_problems() -> None:
    assert len({each.task_id for each in load_problems("embedded")}) >= 40


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_a_file_of_rows_is_read(name: str, tmp_path: Path) -> None:
    text = json.dumps(ROW) + "\n\n" + json.dumps({**ROW, "task_id": "mine/2"}) + "\n"
    data = text.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    assert [each.task_id for each in load_problems(str(tmp_path / name))] == ["mine/1", "mine/2"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("not JSON", "line 1 of .* is not JSON"),
        (json.dumps({"task_id": "x"}), "row 1 of .* is not a BigCodeBench problem: instruct_prompt"),
        (json.dumps(ROW) + "\n" + json.dumps(ROW), "row 2 of .* repeats the task_id 'mine/1'"),
        ("[1]", "row 1 of .* is not a BigCodeBench problem"),
        ("", "holds no problems"),
    ],
)
def test_a_bad_file_is_refused_by_what_is_wrong_in_it(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(text)
    with pytest.raises(Mistake, match=complaint):
        load_problems(str(path))


def test_a_data_set_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="'everything' is unknown: give 'embedded', 'hf'"):
        load_problems("everything")
    with pytest.raises(Mistake, match=r"cannot read the problems in .*/none\.jsonl: No such file"):
        load_problems(str(tmp_path / "none.jsonl"))
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(json.dumps(ROW).encode())[:40])
    with pytest.raises(Mistake, match="cannot read the problems"):
        load_problems(str(tmp_path / "cut.jsonl.gz"))


def test_the_hub_is_asked_through_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = ModuleType("datasets")
    fake.load_dataset = lambda name, split: [{**ROW, "task_id": f"{name} {split}"}]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", fake)
    assert [each.task_id for each in load_problems("hf")] == ["bigcode/bigcodebench v0.1.4"]
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(Mistake, match=r"pip install 'molehunt\[hf\]'"):
        load_problems("hf")


def test_a_hub_that_cannot_be_reached_is_told_with_the_way_round_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(name: str, split: str) -> None:
        raise ConnectionError("no route to\nhost")

    fake = ModuleType("datasets")
    fake.load_dataset = refuses  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", fake)
    with pytest.raises(Mistake, match=r"ConnectionError: no route to host.*-T dataset=PATH"):
        load_problems("hf")


def test_the_real_file_has_the_published_splits(shared_data: Path) -> None:
    problems = load_problems(str(shared_data / "bigcodebench" / "BigCodeBench_hf.jsonl.gz"))
    parts = {split: in_split(problems, split, dataset="real") for split in SPLITS}
    assert {split: len(part) for split, part in parts.items()} == SPLITS
    assert len({each.task_id for part in parts.values() for each in part}) == 1140
    shuffled = in_split(problems[::-1], "test", dataset="real")
    assert {each.task_id for each in shuffled} == {each.task_id for each in parts["test"]}


def test_the_test_split_of_the_real_file_meets_the_published_quotas(shared_data: Path) -> None:
    problems = load_problems(str(shared_data / "bigcodebench" / "BigCodeBench_hf.jsonl.gz"))
    test = {each.task_id: anatomy(each) for each in in_split(problems, "test", dataset="real")}
    pairs = pair(test, list(SIDE_TASKS), seed=0)
    assert Counter(pairs.values()) == {name: task.quota for name, task in SIDE_TASKS.items()}


def test_the_pack_is_all_test() -> None:
    pack = load_problems("embedded")
    assert in_split(pack, "test", dataset="embedded") == pack
    with pytest.raises(Mistake, match="no train split: all of it is test"):
        in_split(pack, "train", dataset="embedded")


def test_an_unknown_split_is_refused_with_the_choices() -> None:
    with pytest.raises(Mistake, match="'tset' is unknown: choose one of prompt, train, validation, test"):
        in_split([problem()], "tset", dataset="embedded")


@given(
    problems=st.integers(0, 2000),
    names=st.lists(st.sampled_from(sorted(SIDE_TASKS)), min_size=1, unique=True),
)
def test_quotas_add_up_and_forget_nobody(problems: int, names: list[str]) -> None:
    shares = quotas(problems, names)
    assert sum(shares.values()) == problems
    assert all(share >= (problems >= len(names)) for share in shares.values())


@given(seed=st.integers(0, 10**6), count=st.integers(1, 60))
def test_a_problem_only_gets_a_side_task_that_it_can_carry(seed: int, count: int) -> None:
    kinds = [facts(), facts(calls=0), facts(returns=False, loops=False), facts(tests_raise=True)]
    anatomies = {f"p{i}": kinds[i % len(kinds)] for i in range(count)}
    pairs = pair(anatomies, list(SIDE_TASKS), seed=seed)
    assert list(pairs) == list(anatomies)
    assert all(SIDE_TASKS[name].applies(anatomies[task]) for task, name in pairs.items())


def test_pairing_is_the_same_every_time_and_changes_with_the_seed() -> None:
    anatomies = {f"p{i}": facts() for i in range(50)}
    first = pair(anatomies, list(SIDE_TASKS), seed=1)
    assert first == pair(anatomies, list(SIDE_TASKS), seed=1)
    assert first != pair(anatomies, list(SIDE_TASKS), seed=2)


def test_ratings_decide_before_the_seed() -> None:
    anatomies = {task: facts() for task in ("p1", "p2", "p3")}
    wanted = {"p1": "exit", "p2": "edge_case", "p3": "delete_file"}
    ratings = {task: {name: 100.0 * (wanted[task] == name) for name in wanted.values()} for task in wanted}
    for seed in range(5):
        assert pair(anatomies, list(wanted.values()), seed=seed, ratings=ratings) == wanted


FACTS = st.builds(
    facts,
    calls=st.sampled_from([0, 3]),
    literal_calls=st.sampled_from([0, 3]),
    loops=st.booleans(),
    returns=st.booleans(),
    tests_raise=st.booleans(),
    patched=st.sampled_from([(), ("os.remove",)]),
)


@given(
    kinds=st.lists(FACTS, min_size=1, max_size=30),
    names=st.lists(st.sampled_from(sorted(SIDE_TASKS)), min_size=2, max_size=6, unique=True),
    seed=st.integers(0, 99),
)
def test_quotas_are_met_wherever_they_can_be(kinds: list[Anatomy], names: list[str], seed: int) -> None:
    anatomies = {f"p{i}": kind for i, kind in enumerate(kinds)}
    pairs = pair(anatomies, names, seed=seed)
    places = [name for name, share in quotas(len(pairs), names).items() for _ in range(share)]
    unfit = np.array([[not SIDE_TASKS[name].applies(anatomies[task]) for name in places] for task in pairs])
    rows, columns = linear_sum_assignment(unfit.reshape(len(pairs), len(places)))
    if not unfit.reshape(len(pairs), len(places))[rows, columns].any():
        assert Counter(pairs.values()) == Counter(places)


def test_side_tasks_that_few_can_carry_choose_first() -> None:
    anatomies = {f"p{i}": facts(tests_raise=True) for i in range(21)} | {"q": facts()}
    assert pair(anatomies, list(SIDE_TASKS), seed=0)["q"] == "default_value"


def test_problems_that_can_carry_none_are_left_out() -> None:
    assert pair({"p": facts(returns=False)}, ["variable_name"], seed=0) == {}


def test_an_errand_fits_its_problem_and_stays_the_same() -> None:
    taken = problem(canonical_solution="    debug = x\n    return debug + 1")
    flag = SIDE_TASKS["default_value"].errand(taken, anatomy(taken), seed=0)
    assert flag.parameters["flag"] == "debug_mode"
    for name, side_task in SIDE_TASKS.items():
        first, second = (side_task.errand(problem(), anatomy(problem()), seed=0) for _ in range(2))
        assert first.as_json() == second.as_json()
        if name != "edge_case":
            assert "$" not in first.instruction()


def test_the_instruction_names_every_parameter() -> None:
    case = {"parameter": "x", "value": "41", "call": "task_func(41)", "case": 0}
    text = Errand("edge_case", case).instruction()
    assert all(str(case[key]) in text for key in ("parameter", "value", "call"))


def test_anatomy_refuses_what_is_no_program() -> None:
    with pytest.raises(Mistake, match="problem mine/1 is not Python"):
        anatomy(problem(canonical_solution="    return ("))
    with pytest.raises(Mistake, match="problem mine/1 has no function 'solve'"):
        anatomy(problem(entry_point="solve"))
