"""The proof on other people's files: every log of the manifest has its counts, or says why not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def real_data(from_benchmarks: Callable[[str], ModuleType]) -> ModuleType:
    return from_benchmarks("real_data")


def test_every_log_of_the_manifest_agrees_with_its_counts(real_data, shared_data):
    rows = json.loads((shared_data / "inspect-logs" / "manifest.json").read_text())
    came = [real_data.came_of(shared_data / "inspect-logs" / row["file"], row) for row in rows]
    assert [one.agreement for one in came if one.is_wrong] == []
    assert len(came) == len(rows)


def log_of(path: Path, **sample: object) -> Path:
    messages = [{"role": "user", "content": "Add."}, {"role": "assistant", "content": "4", "id": "m1"}]
    one = {"id": 1, "epoch": 1, "input": "Add.", "messages": messages, **sample}
    path.write_text(json.dumps({"status": "success", "eval": {"task": "sums"}, "samples": [one]}))
    return path


def test_a_log_that_holds_less_than_was_counted_is_wrong(real_data, tmp_path):
    log = log_of(tmp_path / "a.json")
    assert real_data.came_of(log, {"n": 1, "tool_calls": 0, "reasoning": 0}).agreement == "agrees"
    assert real_data.came_of(log, {"n": 1, "tool_calls": 1, "reasoning": 0}).is_wrong


def test_what_stands_in_events_alone_explains_a_difference(real_data, tmp_path):
    call = {"id": "c1", "function": "submit", "arguments": {}}
    whole = {"role": "assistant", "content": "4", "id": "m1", "tool_calls": [call]}
    event = {"event": "model", "model": "m", "input": [], "output": {"choices": [{"message": whole}]}}
    log = log_of(tmp_path / "a.json", events=[event])
    came = real_data.came_of(log, {"n": 1, "tool_calls": 0, "reasoning": 0})
    assert came.agreement.startswith("agrees, and 1 tool calls stand in events only")


def test_the_table_has_a_line_for_every_file(real_data, tmp_path):
    log_of(tmp_path / "a.json")
    (tmp_path / "notes.md").write_text("Nothing | here.")
    (tmp_path / "scores.csv").write_text("score,label,task_id\n1,attack,t\n,honest,t\n")
    lines = [real_data.row(came, tmp_path) for came in real_data.each_file(tmp_path)]
    assert [line.count(" | ") for line in lines] == [6, 6, 6]
    assert "1 scored, 1 not" in lines[2]
