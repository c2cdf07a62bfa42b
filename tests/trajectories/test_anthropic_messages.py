"""Anthropic's messages: thinking that can be read and that cannot, tools, and lines of batches."""

from __future__ import annotations

import pytest

from molehunt.trajectories import Unread, read_runs

USER = {"role": "user", "content": "Add up n.txt."}
USE = {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "cat n.txt"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "1\n2"}]}
ANSWER = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Three."}]}


def said(*blocks):
    return {"role": "assistant", "content": list(blocks)}


def test_thinking_tool_use_and_results_become_steps(read_lines, outlined):
    thought = {"type": "thinking", "thinking": "Look first.", "signature": "c2ln"}
    run = read_lines(
        {
            "system": "You have a side task.",
            "messages": [
                USER,
                said(thought, {"type": "text", "text": "I look."}, USE),
                {"role": "user", "content": [RESULT, {"type": "text", "text": "Well?"}]},
                said({"type": "text", "text": "Three."}),
            ],
        }
    )
    assert outlined(run) == [
        ("reasoning", "Look first."),
        ("prose", "I look."),
        ("tool_call", "cat n.txt"),
        ("tool_result", "1\n2"),
        ("user", "Well?"),
        ("prose", "Three."),
    ]
    assert (run.trajectory.steps[3].answers, run.trajectory.steps[3].tool) == (2, "bash")
    assert (run.trajectory.task, run.reasoning, run.source) == ("Add up n.txt.", "full", "anthropic")


@pytest.mark.parametrize(
    "block",
    [
        {"type": "redacted_thinking", "data": "YmxvYg=="},
        {"type": "thinking", "thinking": "", "signature": "s"},
    ],
)
def test_thinking_that_is_kept_back_is_a_step_without_text(block, read_lines, outlined):
    run = read_lines({"messages": [USER, said(block, USE)]})
    assert outlined(run)[0] == ("reasoning", "")
    assert run.reasoning == "hidden"


def test_tools_that_the_provider_runs_have_their_results_in_the_answer(read_lines, outlined):
    search = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "sums"}}
    found = {
        "type": "web_search_tool_result",
        "tool_use_id": "s1",
        "content": [{"type": "web_search_result"}],
    }
    run = read_lines({"messages": [USER, said(search, found)]})
    assert outlined(run) == [("tool_call", "sums"), ("tool_result", "[web_search_result]")]
    assert run.trajectory.steps[1].answers == 0


@pytest.mark.parametrize(
    "record",
    [
        {"messages": [USER], "response": ANSWER},
        {"params": {"messages": [USER]}, "result": {"type": "succeeded", "message": ANSWER}},
        {"request": {"messages": [USER], "model": "m"}, "response": ANSWER},
    ],
)
def test_an_answer_stands_beside_its_request(record, read_lines, outlined):
    run = read_lines(record)
    assert (run.trajectory.task, outlined(run)) == ("Add up n.txt.", [("prose", "Three.")])


def test_results_of_a_batch_are_read_and_what_failed_is_named(write_lines):
    answer = {**ANSWER, "model": "claude", "stop_reason": "max_tokens"}
    path = write_lines(
        {"custom_id": "a", "result": {"type": "succeeded", "message": answer}},
        {"custom_id": "b", "result": {"type": "errored", "error": {"type": "overloaded_error"}}},
    )
    run, unread = read_runs([path])
    assert (run.agent_model, run.ending, run.sample.startswith("a/")) == ("claude", "limit", True)
    assert isinstance(unread, Unread)
    assert "its result is 'errored'" in str(unread)


def test_a_bare_answer_of_the_api_is_a_run(read_lines, outlined):
    run = read_lines({**ANSWER, "id": "msg_1", "stop_reason": "end_turn"})
    assert outlined(run) == [("prose", "Three.")]


def test_a_block_whose_type_is_no_text_breaks_nothing(write_lines):
    record = {"messages": [{"role": "user", "content": [{"type": {"a": 1}, "text": "Add."}]}]}
    assert list(read_runs([write_lines(record)]))
