"""Files of no known format, by a map of their fields, and tables of answers."""

from __future__ import annotations

import json

import pytest

from molehunt.trajectories import Problem, Run, TruthOptions, Unread, read_runs
from molehunt.trajectories.formats import FORMATS

ROW = {"question": {"text": "Add."}, "reply": "It is\n```\n3\n```", "bad": 1, "id": 7, "kind": "easy"}
FIELDS = {"task": "question.text", "completion": "reply", "label": "bad", "factors.kind": "kind"}


def test_fields_are_read_by_the_names_that_the_user_gives_them(write_lines, outlined):
    notes = []
    [run] = read_runs([write_lines({**ROW, "other": 1})], fields=FIELDS, notes=notes)
    assert (run.trajectory.task, run.task_verified) == ("Add.", True)
    assert outlined(run) == [("prose", "It is"), ("code", "3")]
    assert (run.truth.label, run.truth.factors) == ("attack", {"kind": "easy"})
    assert notes[0].format == "fields"
    assert notes[0].used == {"question": 1, "reply": 1, "bad": 1, "id": 1, "kind": 1}
    assert notes[0].dropped == {"other": 1}


@pytest.mark.parametrize("whole", [[ROW, ROW], ROW])
def test_a_document_is_read_as_lines_are(whole, tmp_path):
    path = tmp_path / "all.json"
    path.write_text(json.dumps(whole, indent=1))
    runs = list(read_runs([path], fields=FIELDS))
    assert len(runs) == (2 if isinstance(whole, list) else 1)
    assert all(run.trajectory.task == "Add." for run in runs)


def test_a_table_is_read_by_its_columns(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text('q,a,bad\nAdd.,"print(3)\nprint(4)",yes\nAdd.,x,0\n')
    unread, run = read_runs([path], fields={"task": "q", "solution": "a", "label": "bad"})
    assert isinstance(unread, Unread)
    assert "is none of attack, honest" in str(unread)
    assert (run.truth.label, run.trajectory.steps[0].text) == ("honest", "x")


@pytest.mark.parametrize("as_text", [False, True])
def test_a_whole_conversation_can_be_a_field(as_text, write_lines, outlined):
    talk = [{"role": "user", "content": "Add."}, {"role": "assistant", "content": "Three."}]
    record = {"log": {"turns": json.dumps(talk) if as_text else talk}, "main": "Sum."}
    fields = {"messages": "log.turns", "task": "main"}
    [run] = read_runs([write_lines(record)], fields=fields)
    assert (run.trajectory.task, outlined(run)) == ("Sum.", [("prose", "Three.")])


def test_a_record_that_has_none_of_the_fields_is_named(write_lines):
    run, empty, other = read_runs(
        [write_lines(ROW, dict.fromkeys(ROW), {"question": "Add.", "a": 1})], fields=FIELDS
    )
    assert "has none of the fields" in str(empty)
    assert "; there are question, a" in str(other)
    assert run.truth


@pytest.mark.parametrize("field", ["task", "completion"])
def test_a_column_that_a_table_has_not_is_named_with_those_that_it_has(tmp_path, field):
    table = tmp_path / "answers.csv"
    table.write_text("question,reply,is_attack\nAdd.,ok,1\nSubtract.,,0\n")
    fields = {"task": "question", "completion": "reply", "label": "is_attack"}
    assert all(isinstance(run, Run) for run in read_runs([table], fields=fields))
    unread = list(read_runs([table], fields={**fields, field: "nope"}))
    assert {one.reason for one in unread} == {"has no field nope; there are question, reply, is_attack"}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"fields": {"answer": "a"}}, "names 'answer', which is no field of ours; there are task_id, task,"),
        ({"fields": {"task": "a"}}, "says what was asked and not what was done"),
        ({"fields": {"completion": "a"}}, "does not say what was asked"),
        ({"fields": FIELDS, "format": "inspect"}, "for files of no known format"),
        ({"format": "word"}, "no format is called 'word'; there are molehunt, inspect"),
    ],
)
def test_a_map_or_a_format_that_cannot_be_is_a_problem_at_once(how, message, write_lines):
    with pytest.raises(Problem, match=message):
        read_runs([write_lines(ROW)], **how)


def test_a_table_of_prompts_and_completions_needs_no_map(tmp_path, outlined):
    path = tmp_path / "answers.csv"
    path.write_bytes(
        b'\xef\xbb\xbfprompt,completion,label,passed\nAdd.,"One\n```\n1\n```",honest,True\nAdd.,2,attack,\n'
    )
    honest, attack = read_runs([path])
    assert outlined(honest) == [("prose", "One"), ("code", "1")]
    assert (honest.truth.label, honest.truth.main_score) == ("honest", 1.0)
    assert (attack.truth.label, attack.truth.main_score) == ("attack", None)
    assert honest.truth.task_id == attack.truth.task_id


def test_zero_bytes_and_long_cells_of_a_table_are_read(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_bytes(b"prompt,solution\nAdd.,a\0b\nAdd.," + b"x" * 300_000 + b"\n")
    first, second = read_runs([path], TruthOptions())
    assert first.trajectory.steps[0].text == "a\ufffdb"
    assert len(second.trajectory.steps[0].text) == 300_000


def test_every_format_says_what_it_is():
    assert all(one.about for one in FORMATS.values())
