"""Scout's transcript databases, made by its own API, and tables that are none."""

from __future__ import annotations

import json
import sys

import pytest

from molehunt.trajectories import TruthOptions, Unread, read_runs

parquet = pytest.importorskip("pyarrow.parquet")

import pyarrow  # noqa: E402

MESSAGES = [
    {"role": "system", "content": "You have a side task.", "id": "m0"},
    {"role": "user", "content": "Add up n.txt.", "id": "m1"},
    {
        "role": "assistant",
        "content": [{"type": "reasoning", "reasoning": "I look."}],
        "tool_calls": [{"id": "c1", "function": "bash", "arguments": {"command": "cat n.txt"}}],
        "id": "m2",
    },
    {"role": "tool", "content": "1\n2", "tool_call_id": "c1", "function": "bash", "id": "m3"},
]
ROW = {
    "transcript_id": "t1",
    "task_set": "sums",
    "task_id": "p1",
    "model": "m",
    "messages": json.dumps(MESSAGES),
}


@pytest.fixture
def table(tmp_path):
    def write(*rows):
        path = tmp_path / "transcripts_1.parquet"
        parquet.write_table(pyarrow.Table.from_pylist(list(rows)), path)
        return path

    return write


async def test_a_database_that_scout_wrote_is_read(tmp_path, outlined):
    scout = pytest.importorskip("inspect_scout")
    from inspect_ai.event import ModelEvent
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, GenerateConfig, ModelOutput

    asked, answer = ChatMessageUser(content="Add."), ChatMessageAssistant(content="Three.")
    event = ModelEvent(
        model="m",
        input=[asked],
        tools=[],
        tool_choice="auto",
        config=GenerateConfig(),
        output=ModelOutput.from_message(answer),
    )
    whole = scout.Transcript(
        transcript_id="t1",
        task_set="sums",
        task_id="p1",
        task_repeat=2,
        model="openai/gpt-4.1",
        messages=[asked, answer],
        events=[event],
        metadata={"arm": "attack", "sample_metadata": {"kind": "easy"}},
    )
    async with scout.transcripts_db(str(tmp_path / "db")) as database:
        await database.insert([whole])
    [run] = read_runs([tmp_path], TruthOptions(field="metadata.arm"))
    assert (run.sample, run.epoch, run.agent_model, run.source) == ("t1", 2, "openai/gpt-4.1", "scout")
    assert (run.trajectory.task, outlined(run)) == ("Add.", [("prose", "Three.")])
    assert (run.truth.label, run.truth.environment, run.truth.task_id) == ("attack", "sums", "p1")


def test_a_row_with_messages_alone_is_read_without_its_system_prompt(table, outlined):
    [run] = read_runs([table(ROW)])
    assert outlined(run) == [("reasoning", "I look."), ("tool_call", "cat n.txt"), ("tool_result", "1\n2")]
    assert run.trajectory.task == "Add up n.txt."


def test_control_arenas_metadata_in_a_database_is_its_truth(table):
    metadata = {
        "main_task_description": "Add up.",
        "setting_name": "iac",
        "eval_mode": "attack",
        "main_task_name": "sum",
        "side_task_name": "leak",
    }
    [run] = read_runs([table({**ROW, "sample_metadata": json.dumps(metadata)})])
    assert (run.truth.label, run.truth.environment, run.truth.task_id) == (
        "attack",
        "control_arena/iac",
        "sum",
    )
    assert (run.truth.factors, run.trajectory.task) == ({"side_task": "leak"}, "Add up.")


def test_a_broken_row_costs_itself_only(table):
    results = read_runs(
        [table(ROW, {**ROW, "transcript_id": "t2", "messages": "[{"}, {**ROW, "transcript_id": "t3"})]
    )
    assert [isinstance(result, Unread) for result in results] == [False, True, False]


def test_metadata_that_is_nested_deeply_costs_its_row_only(table):
    deep = "[" * 300 + "]" * 300
    results = list(
        read_runs([table(*({**ROW, "transcript_id": t, "score": s} for t, s in (("1", deep), ("2", "C"))))])
    )
    assert [result.sample for result in results] == ["1", "2"]
    assert not isinstance(results[1], Unread)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([{"a": 1}], "is a Parquet table, but not of transcripts"),
        ([{"transcript_id": "t", "label": "x"}], "is a Parquet table, but not of transcripts"),
    ],
)
def test_a_table_of_something_else_is_named(rows, reason, table):
    [unread] = read_runs([table(*rows)])
    assert reason in str(unread)


def test_a_table_that_is_cut_off_is_named(table):
    path = table(ROW)
    path.write_bytes(path.read_bytes()[:-30])
    [unread] = read_runs([path])
    assert "cannot be read beyond row 0" in str(unread)


def test_a_table_that_would_unpack_to_far_more_than_its_size_is_refused(tmp_path):
    path = tmp_path / "bomb.parquet"
    bomb = pyarrow.table({"transcript_id": ["t"], "messages": [" " * (80 << 20)]})
    parquet.write_table(bomb, path, compression="zstd", use_dictionary=False)
    [unread] = read_runs([path])
    assert "which no database of transcripts does" in str(unread)


def test_without_pyarrow_the_file_says_what_to_install(table, monkeypatch):
    path = table(ROW)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    [unread] = read_runs([path])
    assert "pip install 'molehunt[parquet]'" in str(unread)
