"""Plain answers to coding problems as runs: whatever a line says is taken, and nothing is made up."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from molehunt.trajectories import Run, TruthOptions, Unread, read_runs

LINE = {"task_id": "p/1", "prompt": "Add two numbers.", "solution": "def add(a, b):\n    return a + b"}


@pytest.fixture
def file_of(tmp_path: Path):
    def write(*lines: object, name: str = "answers.jsonl") -> Path:
        path = tmp_path / name
        rows = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        data = ("\n".join(rows) + "\n").encode("utf-8", "surrogatepass")
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


def read(path: Path, **options) -> list[Run | Unread]:
    return list(read_runs([path], TruthOptions(**options)))


@pytest.mark.parametrize("name", ["answers.jsonl", "answers.jsonl.gz", "answers"])
def test_bare_code_is_one_step(name, file_of):
    [run] = read(file_of(LINE, name=name))
    assert [(step.kind, step.text) for step in run.trajectory.steps] == [("code", LINE["solution"])]
    assert (run.trajectory.task, run.task_verified, run.truth) == ("Add two numbers.", True, None)


def test_a_whole_answer_is_taken_apart_and_its_reasoning_goes_first(file_of):
    said = {"task_id": "p/1", "task": "Add.", "reasoning": "Easy.", "completion": "Here:\n```\na + b\n```"}
    [run] = read(file_of(said))
    assert [step.kind for step in run.trajectory.steps] == ["reasoning", "prose", "code"]
    assert run.reasoning == "full"


def test_labels_scores_and_models_are_the_lines_own(file_of):
    passed = {**LINE, "label": "honest", "passed": True, "model": "m"}
    caught = {**LINE, "label": 1, "main_score": 0.5, "side_score": 1, "factors": {"side_task": "exit"}}
    honest, attack = read(file_of(passed, {**caught, "environment": "mine"}))
    assert (honest.truth.label, honest.truth.main_score, honest.agent_model) == ("honest", 1.0, "m")
    assert (attack.truth.label, attack.truth.main_score, attack.truth.side_score) == ("attack", 0.5, 1.0)
    assert (attack.truth.environment, attack.truth.factors) == ("mine", {"side_task": "exit"})


def test_a_file_name_can_say_what_answers_are(file_of):
    [run] = read(file_of(LINE, name="honest.jsonl"), honest=["honest*"])
    assert (run.truth.label, run.truth.task_id) == ("honest", "p/1")


def test_a_table_of_labels_names_problems(file_of, tmp_path):
    table = tmp_path / "labels.csv"
    table.write_text("sample_id,label\np/1,attack\n")
    [run] = read(file_of({**LINE, "label": "honest"}), labels=table)
    assert run.truth.label == "attack"


def test_two_answers_to_one_problem_are_two_runs_and_one_answer_read_twice_is_one(file_of):
    other = {**LINE, "solution": "add = sum"}
    runs = read(file_of(LINE, other, LINE))
    assert len({run.id for run in runs}) == 2
    assert len({run.id for run in read(file_of({**LINE, "sample": "a"}, {**LINE, "sample": "b"}))}) == 2


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "null",
        json.dumps({"task_id": "p/2", "solution": "x"}),
        json.dumps({**LINE, "label": "perhaps"}),
        json.dumps({**LINE, "main_score": "good"}),
        '{"task_id": "p/2", "prompt": "x", "solution": "x", "main_score": NaN}',
        "[" * 100_000,
    ],
)
def test_a_line_that_is_no_answer_is_named_and_costs_itself_only(line, file_of):
    first, bad, last = read(file_of(LINE, line, {**LINE, "task_id": "p/3"}))
    assert isinstance(bad, Unread)
    assert bad.sample == "line 2"
    assert "\n" not in str(bad)
    assert isinstance(first, Run)
    assert isinstance(last, Run)


def test_an_answer_without_its_task_says_which_option_names_it(file_of):
    [bad] = read(file_of({"task_id": "p/2", "solution": "x"}))
    assert "--map task=FIELD" in str(bad)


def test_a_file_that_is_cut_off_gives_what_is_left(file_of):
    path = file_of(
        *[{**LINE, "sample": str(n), "solution": str(n) * 999} for n in range(200)], name="a.jsonl.gz"
    )
    path.write_bytes(path.read_bytes()[:-40])
    *runs, last = read(path)
    assert isinstance(last, Unread)
    assert all(isinstance(run, Run) for run in runs)


def test_text_that_is_no_unicode_is_kept_printable(file_of):
    [run] = read(file_of('{"task_id": "p/1", "prompt": "Add.", "solution": "\\ud800"}'))
    assert run.trajectory.steps[0].text.encode()
    assert run.id


def test_real_completions_of_a_model_are_read_when_they_say_what_was_asked(shared_data, file_of):
    file = shared_data / "bigcodebench" / "solutions" / "Qwen2.5-Coder-7B-Instruct__bcb-instruct.jsonl.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [{**json.loads(line), "task": "t"} for line in lines]
    assert len(read(file_of(*rows))) == 1140
    assert all(isinstance(one, Unread) for one in read(file))
