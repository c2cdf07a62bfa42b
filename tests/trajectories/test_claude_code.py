"""Sessions of Claude Code: what was said and done, and nothing of what the program keeps beside it."""

from __future__ import annotations

import pytest

from molehunt.trajectories import TruthOptions, Unread, read_runs


def entry(number, kind, content, **more):
    message = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {"id": "msg", "model": "claude-x"}
    return {
        "type": kind,
        "uuid": f"u{number}",
        "sessionId": "abc-1",
        "timestamp": f"2026-01-01T00:00:{number:02}.000Z",
        "message": message,
        **more,
    }


ASKED = entry(1, "user", "Add up n.txt.")
THOUGHT = entry(2, "assistant", [{"type": "thinking", "thinking": "I look.", "signature": "s"}])
USE = entry(
    3, "assistant", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat n.txt"}}]
)
RESULT = entry(
    4,
    "user",
    [{"type": "tool_result", "tool_use_id": "t1", "content": "1\n2"}],
    toolUseResult={"stdout": "1\n2"},
)
SAID = entry(9, "assistant", [{"type": "text", "text": "Three."}])
SESSION = [ASKED, THOUGHT, USE, RESULT, SAID]


def test_a_session_is_one_run(read_lines, outlined):
    run = read_lines({"type": "summary", "summary": "Sums", "leafUuid": "u9"}, *SESSION, name="abc-1.jsonl")
    assert outlined(run) == [
        ("reasoning", "I look."),
        ("tool_call", "cat n.txt"),
        ("tool_result", "1\n2"),
        ("prose", "Three."),
    ]
    assert [step.seconds for step in run.trajectory.steps] == [1.0, 2.0, 3.0, 8.0]
    assert run.trajectory.steps[2].answers == 1
    assert (run.sample, run.agent_model, run.source) == ("abc-1", "claude-x", "claude_code")
    assert run.trajectory.task == "Add up n.txt."


def test_what_the_program_adds_by_itself_is_left_out_and_counted(write_lines, outlined):
    extras = [
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        {"type": "progress", "sessionId": "abc-1", "data": {}},
        entry(0, "user", "Caveat: the messages below", isMeta=True),
        entry(5, "user", "This session is being continued", isCompactSummary=True),
    ]
    failed = entry(6, "assistant", [{"type": "text", "text": "API Error: 529"}])
    failed["message"]["model"] = "<synthetic>"
    notes = []
    [run] = read_runs([write_lines(*extras, *SESSION, failed)], notes=notes)
    assert run.trajectory.task == "Add up n.txt."
    assert len(outlined(run)) == 4
    assert notes[0].dropped["entry of the program's own"] == 3
    assert notes[0].dropped["entry of type 'progress'"] == 1


def test_entries_that_a_resumed_session_repeats_count_once(read_lines, outlined):
    assert outlined(read_lines(*SESSION, *SESSION)) == outlined(read_lines(*SESSION))


@pytest.mark.parametrize("name", ["abc-1/subagents/agent-7.jsonl", "agent-7.jsonl"])
def test_a_sub_agents_file_is_read_with_its_session_in_the_order_of_time(name, write_lines, tmp_path):
    session = write_lines(*SESSION, name="abc-1.jsonl")
    write_lines(
        entry(5, "user", "Look at the file.", isSidechain=True),
        entry(6, "assistant", [{"type": "text", "text": "Looked."}], isSidechain=True),
        name=name,
    )
    notes = []
    [run] = read_runs([tmp_path], notes=notes)
    assert run.log == str(session)
    assert [(step.agent, step.text) for step in run.trajectory.steps][-2:] == [
        ("agent-7", "Looked."),
        (None, "Three."),
    ]
    assert {note.file.rpartition("/")[2]: note.runs for note in notes} == {
        "abc-1.jsonl": 1,
        "agent-7.jsonl": 0,
    }


def test_a_sub_agents_file_alone_is_a_run_of_its_own(read_lines, outlined):
    run = read_lines(
        entry(1, "user", "Look."),
        entry(2, "assistant", [{"type": "text", "text": "Looked."}]),
        name="agent-7.jsonl",
    )
    assert outlined(run) == [("prose", "Looked.")]


def test_a_sidechain_within_the_session_is_a_sub_agents_doing(read_lines):
    inside = [
        entry(5, "user", "Look.", isSidechain=True),
        entry(6, "assistant", [{"type": "text", "text": "Looked."}], isSidechain=True),
    ]
    run = read_lines(*SESSION[:-1], *inside, SAID)
    assert [(step.agent, step.text) for step in run.trajectory.steps][-2:] == [
        ("sub-agent", "Looked."),
        (None, "Three."),
    ]


def test_a_broken_line_costs_itself_only_and_the_label_is_the_users_to_give(write_lines):
    path = write_lines(ASKED, "{broken", USE, {**SAID, "uuid": "u8", "message": {"content": 3}}, SAID)
    unread, run = read_runs([path], TruthOptions(attack=["talk*"]))
    assert isinstance(unread, Unread)
    assert unread.sample == "line 2"
    assert run.truth.label == "attack"
    assert [step.text for step in run.trajectory.steps] == ["cat n.txt", "3", "Three."]


def test_a_session_in_which_nothing_was_done_is_named(write_lines):
    [unread] = read_runs([write_lines(ASKED)])
    assert "holds nothing that an agent did" in str(unread)
