"""OpenAI's Responses: lists of items in, lists of items out."""

from __future__ import annotations

import pytest

from molehunt.trajectories import Unread, read_runs

ASKED = [{"role": "user", "content": [{"type": "input_text", "text": "Add up n.txt."}]}]
CALL = {"type": "function_call", "call_id": "f1", "id": "x", "name": "bash", "arguments": '{"command": "ls"}'}
RESULT = {"type": "function_call_output", "call_id": "f1", "output": "n.txt"}
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Three."}]}


def test_items_of_input_and_output_are_one_history(read_lines, outlined):
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I list."}], "content": None}
    run = read_lines(
        {"input": [*ASKED, thought, CALL, RESULT], "instructions": "Obey.", "output": [SAID], "model": "o4"}
    )
    assert outlined(run) == [
        ("reasoning", "I list."),
        ("tool_call", "ls"),
        ("tool_result", "n.txt"),
        ("prose", "Three."),
    ]
    assert (run.trajectory.steps[2].answers, run.trajectory.steps[2].tool) == (1, "bash")
    assert (run.trajectory.task, run.reasoning, run.agent_model) == ("Add up n.txt.", "summary", "o4")


@pytest.mark.parametrize(
    ("thought", "kind"),
    [
        ({"summary": [], "encrypted_content": "gAAA"}, "hidden"),
        ({"summary": [], "content": [{"type": "reasoning_text", "text": "All of it."}]}, "full"),
    ],
)
def test_reasoning_may_be_kept_back_or_whole(thought, kind, read_lines):
    run = read_lines({"input": "Add.", "output": [{"type": "reasoning", **thought}, SAID]})
    assert run.reasoning == kind
    assert run.trajectory.steps[0].kind == "reasoning"


@pytest.mark.parametrize(
    ("item", "steps"),
    [
        (
            {"type": "web_search_call", "id": "w", "action": {"type": "search", "query": "sums"}},
            [("tool_call", "type: search\nquery: sums")],
        ),
        (
            {
                "type": "code_interpreter_call",
                "id": "k",
                "code": "1+2",
                "outputs": [{"type": "logs", "logs": "3"}],
            },
            [("tool_call", "1+2"), ("tool_result", "3")],
        ),
        (
            {"type": "mcp_call", "id": "m", "name": "get", "arguments": '{"a": "b"}', "output": "c"},
            [("tool_call", "b"), ("tool_result", "c")],
        ),
        ({"type": "custom_tool_call", "call_id": "c", "name": "sh", "input": "ls"}, [("tool_call", "ls")]),
        (
            {"type": "local_shell_call", "call_id": "l", "action": {"type": "exec", "command": ["ls"]}},
            [("tool_call", 'type: exec\ncommand: ["ls"]')],
        ),
        ({"type": "image_generation_call", "id": "i", "result": "aGk="}, [("tool_call", "")]),
    ],
)
def test_the_providers_own_tools_are_calls_with_what_came_of_them(item, steps, read_lines, outlined):
    assert outlined(read_lines({"input": "Add.", "output": [item]})) == steps


def test_items_that_are_no_doings_are_dropped_and_counted(write_lines):
    items = [{"type": "compaction", "encrypted_content": "x"}, {"type": "mcp_list_tools", "tools": []}, SAID]
    notes = []
    [run] = read_runs([write_lines({"input": ASKED, "output": items})], notes=notes)
    assert len(run.trajectory.steps) == 1
    assert {"item of type 'compaction'", "item of type 'mcp_list_tools'"} <= notes[0].dropped.keys()


def test_a_response_that_goes_on_from_another_says_so_in_the_note(write_lines):
    record = {"object": "response", "previous_response_id": "r0", "output": [SAID], "status": "incomplete"}
    notes = []
    [run] = read_runs([write_lines(record)], notes=notes)
    assert run.ending == "limit"
    assert "it goes on from an earlier response, whose steps are not here" in notes[0].guesses


@pytest.mark.parametrize(
    "bad",
    [
        {"input": [*ASKED, 3]},
        {"input": [*ASKED, {"type": 3}]},
        {"input": []},
        {"input": ASKED},
        {"output": [{"role": 3}]},
    ],
)
def test_a_record_that_is_none_costs_itself_only(bad, write_lines):
    first, unread, last = read_runs(
        [write_lines({"input": ASKED, "output": [SAID]}, bad, {"output": [CALL]})]
    )
    assert isinstance(unread, Unread)
    assert first.source == last.source == "openai_responses"
