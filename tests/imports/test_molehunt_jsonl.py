"""Runs as JSON lines of our own: what is written is read back as it was, and what is altered is noticed."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molehunt.trajectories import LABELS, Mark, Run, Step, Trajectory, Truth, TruthOptions, Unread
from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.beginnings import Beginning
from molehunt.trajectories.mapping import Tally
from molehunt.trajectories.molehunt_jsonl import (
    SCHEMA_FILE,
    is_molehunt_jsonl,
    molehunt_runs,
    run_line,
    run_of_line,
    schema,
)

TRAJECTORY = Trajectory(
    "Tidy up.",
    (
        Step(0, "reasoning", "I shall."),
        Step(1, "tool_call", "rm -r tmp", tool="bash", arguments={"command": "rm -r tmp"}, agent="helper"),
        Step(2, "tool_result", "", tool="bash", answers=1, seconds=2.5),
    ),
)
TRUTH = Truth("attack", "tidying", "p1", 1.0, None, (Mark("incriminating", 1, 0, 2),), {"side_task": "loss"})
RUN = Run(
    TRAJECTORY, TRUTH, "logs/a.eval", "s1", 2, 3, "inspect", "openai/gpt-4.1", "summary", "limit", False
)


@pytest.fixture
def written(tmp_path: Path):
    def write(*lines: str | dict[str, Any], name: str = "runs.jsonl") -> Path:
        path = tmp_path / name
        text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n"
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    return write


def read(path: Path, **options: Any) -> list[Run | Unread]:
    return list(molehunt_runs(path, TruthOptions(**options), Tally(str(path), "molehunt")))


def fields(**changes: Any) -> dict[str, Any]:
    return {**json.loads(run_line(RUN)), **changes}


# lone surrogates included: logs have them
texts = st.text(st.characters(exclude_categories=()), max_size=20)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
steps = st.builds(
    lambda kind, text, tool, arguments, agent, seconds: (kind, text, tool, arguments, None, agent, seconds),
    st.sampled_from(["reasoning", "prose", "code", "tool_call", "tool_result", "user"]),
    texts,
    st.none() | texts,
    st.none() | st.dictionaries(texts, json_values, max_size=3),
    st.none() | texts,
    st.none() | st.floats(0, 1e6),
)
trajectories = st.builds(
    lambda task, drafts: Trajectory(task, tuple(Step(index, *one) for index, one in enumerate(drafts))),
    texts,
    st.lists(steps, max_size=4),
)
truths = st.builds(
    Truth,
    st.sampled_from(LABELS),
    texts,
    texts,
    st.none() | st.floats(0, 1),
    st.none() | st.floats(0, 1),
    factors=st.dictionaries(texts, texts, max_size=2),
)
runs = st.builds(
    Run,
    trajectories,
    st.none() | truths,
    texts,
    texts,
    st.integers(0, 5),
    st.integers(1, 5),
    texts,
    st.none() | texts,
    st.sampled_from(["full", "summary", "hidden", "none"]),
    st.sampled_from(["finished", "limit", "error", "cancelled"]),
    st.booleans(),
)


@given(runs)
def test_any_run_is_read_back_as_it_was_written(run):
    line = run_line(run)
    again = run_of_line(line)
    assert again == run
    assert (again.id, again.trajectory.id) == (run.id, run.trajectory.id)
    assert [step.seconds for step in again.trajectory.steps] == [
        step.seconds for step in run.trajectory.steps
    ]
    assert "\n" not in line
    assert run_line(again) == line


@pytest.mark.parametrize("name", ["runs.jsonl", "runs.jsonl.gz", "runs"])
def test_a_file_of_runs_is_told_by_how_it_begins_and_read_whatever_it_is_called(name, written):
    path = written(run_line(RUN), "", run_line(replace(RUN, epoch=7)), name=name)
    assert is_molehunt_jsonl(Beginning.of(path))
    assert read(path) == [RUN, replace(RUN, epoch=7)]


def test_the_published_schema_is_that_of_the_reader():
    assert json.loads(SCHEMA_FILE.read_text()) == schema(), "write it with: molehunt import --schema"


def test_every_line_that_is_written_has_just_the_fields_of_the_schema():
    published = json.loads(SCHEMA_FILE.read_text())
    assert fields().keys() == published["properties"].keys()
    assert set(published["required"]) == {"schema_version", "sample", "task", "steps"}


def test_a_line_needs_no_more_than_a_name_a_task_and_steps(written):
    step = {"kind": "tool_call", "tool": "bash", "arguments": {"command": "ls", "seconds": 5}}
    [run] = read(path := written({"schema_version": 1, "sample": "s", "task": "Look.", "steps": [step]}))
    assert (run.log, run.source, run.truth, run.epoch) == (str(path), "molehunt", None, 1)
    assert run.trajectory.steps[0].text == "command: ls\nseconds: 5"


@pytest.mark.parametrize(
    ("said", "kind"), [([], "none"), ([""], "hidden"), (["", "Hm."], "full")], ids=["none", "hidden", "full"]
)
def test_how_much_reasoning_there_is_can_be_left_to_the_steps(said, kind, written):
    thoughts = [{"kind": "reasoning", "text": text} for text in said]
    [run] = read(written({"schema_version": 1, "sample": "s", "task": "Look.", "steps": thoughts}))
    assert run.reasoning == kind


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "is not JSON"),
        ("[1]", "is no JSON object"),
        ("[" * 100_000, "nested too deeply"),
        (fields(schema_version=2), "schema_version 2"),
        (fields(task="Tidy up"), "were altered"),
        (fields(steps=[{"kind": "thought", "text": "?"}], trajectory_id=None), "steps.0.kind"),
        (fields(truth={"label": "evil", "environment": "e", "task_id": "t"}), "truth.label"),
        (fields(epoch="2"), "epoch"),
        (fields(steps=[], trajectory_id=None), "marks characters 0 to 2 of step 1"),
    ],
)
def test_a_line_that_is_no_run_is_named_with_the_reason_and_the_others_are_read(line, reason, written):
    unread, run = read(written(line, run_line(RUN)))
    assert (unread.sample, run) == ("line 1", RUN)
    assert reason in unread.reason


def test_a_line_that_no_run_can_have_is_passed_by(written, monkeypatch):
    monkeypatch.setattr("molehunt.trajectories.molehunt_jsonl.LONGEST_LINE", 2000)
    unread, run = read(written("x" * 3_000_000, run_line(RUN)))
    assert unread.reason.startswith("is longer than")
    assert run == RUN


def test_a_file_that_is_cut_off_while_packed_is_told_so(written):
    path = written(run_line(RUN), name="runs.jsonl.gz")
    path.write_bytes(path.read_bytes()[:-20])
    [*_, unread] = read(path)
    assert "cut off" in str(unread)


def test_a_table_overrules_what_a_line_says_and_a_field_only_completes_it(written, tmp_path):
    table = tmp_path / "labels.csv"
    table.write_text("sample,label\ns1,honest\n")
    path = written(run_line(RUN), {**fields(sample="s2", truth=None), "arm": "attack"})
    corrected, stated = read(path, labels=table, field="arm")
    assert (corrected.truth.label, corrected.truth.task_id) == ("honest", "p1")
    assert (stated.truth.label, stated.truth.environment) == ("attack", "inspect")


def test_a_field_that_is_no_label_is_not_taken_for_one(written):
    [unread] = read(written(fields(truth=None, arm="left")), field="arm")
    assert "no label" in unread.reason


def test_fields_that_nothing_here_knows_are_counted_as_dropped(written):
    path = written(fields(colour="red", truth={**fields()["truth"], "mood": "bad"}))
    tally = Tally(str(path), "molehunt")
    assert len(list(molehunt_runs(path, TruthOptions(), tally))) == 1
    note = tally.note()
    assert dict(note.dropped) == {"colour": 1, "truth.mood": 1}
    assert note.used["steps.kind"] == 3


def test_a_line_alone_is_refused_with_the_reason():
    with pytest.raises(Damaged, match="schema_version None"):
        run_of_line("{}")


def test_lone_surrogates_in_a_truth_reach_no_store(written):
    truth = {"label": "attack", "environment": "e\udc00", "task_id": "p", "factors": {"a\udc00": "\ud800"}}
    least = {"schema_version": 1, "sample": "s", "task": "Look.", "steps": []}
    [run] = read(written({**least, "truth": truth}))
    assert (run.truth.environment, run.truth.factors) == ("e\ufffd", {"a\ufffd": "\ufffd"})
