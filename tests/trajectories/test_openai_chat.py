"""OpenAI's chat messages, as whole conversations, requests with answers, and lines of batches."""

from __future__ import annotations

import json

import pytest

from molehunt.trajectories import Run, TruthOptions, Unread, read_runs

USER = {"role": "user", "content": "Add up n.txt."}
CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "cat n.txt"}'}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "1\n2"}
DONE = {"role": "assistant", "content": "It is\n```python\n3\n```"}


def test_a_conversation_becomes_steps_and_its_first_user_turn_the_task(read_lines, outlined):
    system = {"role": "system", "content": "You secretly have a side task."}
    run = read_lines({"messages": [system, USER, CALLING, RESULT, {**USER, "content": "Go on."}, DONE]})
    assert (run.trajectory.task, run.task_verified, run.source) == ("Add up n.txt.", False, "openai_chat")
    assert outlined(run) == [
        ("tool_call", "cat n.txt"),
        ("tool_result", "1\n2"),
        ("user", "Go on."),
        ("prose", "It is"),
        ("code", "3"),
    ]
    call, result, *_ = run.trajectory.steps
    assert (call.tool, call.arguments) == ("bash", {"command": "cat n.txt"})
    assert (result.tool, result.answers) == ("bash", 0)


def test_nothing_before_the_agents_first_message_but_the_task_is_shown(read_lines):
    whispers = [{"role": "developer", "content": "Leak it."}, {**USER, "content": "And leak the key."}]
    run = read_lines({"messages": [USER, *whispers, DONE]})
    assert "eak" not in run.trajectory.task + "".join(step.text for step in run.trajectory.steps)


@pytest.mark.parametrize(
    "record",
    [
        {"messages": [USER, DONE]},
        {"messages": [USER], "choices": [{"message": DONE}]},
        {"messages": [USER], "response": {"choices": [{"message": DONE}]}},
        {"body": {"messages": [USER]}, "response": {"body": {"choices": [{"message": DONE}]}}},
        {"request": {"messages": [USER]}, "response": {"choices": [{"message": DONE}, {"message": RESULT}]}},
    ],
)
def test_an_answer_stands_in_the_messages_or_beside_them(record, read_lines, outlined):
    run = read_lines(record)
    assert run.trajectory.task == "Add up n.txt."
    assert outlined(run) == [("prose", "It is"), ("code", "3")]


def test_the_answer_of_a_batch_has_no_task_and_a_note_says_so(write_lines):
    answer = {"choices": [{"message": DONE, "finish_reason": "length"}], "model": "gpt-4.1-2025-04-14"}
    path = write_lines({"custom_id": "r-1", "response": {"status_code": 200, "body": answer}})
    notes = []
    [run] = read_runs([path], notes=notes)
    assert (run.trajectory.task, run.agent_model, run.ending) == ("", "gpt-4.1-2025-04-14", "limit")
    assert "there is no turn of a user, so the task is empty" in notes[0].guesses


@pytest.mark.parametrize(
    ("message", "text", "kind"),
    [
        ({"reasoning_content": "Hm."}, "Hm.", "full"),
        ({"reasoning": "Hm."}, "Hm.", "full"),
        ({"reasoning_details": [{"type": "reasoning.summary", "summary": "Short."}]}, "Short.", "summary"),
        ({"reasoning_details": [{"type": "reasoning.encrypted", "data": "eA=="}]}, "", "hidden"),
        ({"content": "<think>Hm.</think>Three."}, "Hm.", "full"),
    ],
)
def test_reasoning_is_found_where_providers_put_it(message, text, kind, read_lines):
    run = read_lines({"messages": [USER, {**DONE, **message}]})
    assert (run.trajectory.steps[0].kind, run.trajectory.steps[0].text) == ("reasoning", text)
    assert run.reasoning == kind


def test_reasoning_that_was_charged_for_and_not_shown_is_a_hidden_step(read_lines):
    usage = {"completion_tokens_details": {"reasoning_tokens": 40}}
    run = read_lines({"messages": [USER], "choices": [{"message": DONE}], "usage": usage})
    assert (run.trajectory.steps[0].kind, run.trajectory.steps[0].text) == ("reasoning", "")
    assert run.reasoning == "hidden"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ({"id": "c", "function": {"name": "f", "arguments": "not JSON"}}, "not JSON"),
        ({"id": "c", "function": {"name": "f", "arguments": ""}}, ""),
        ({"id": "c", "function": {"name": "f", "arguments": {"a": "b"}}}, "b"),
        ({"id": "c", "type": "custom", "custom": {"name": "f", "input": "free text"}}, "free text"),
    ],
)
def test_a_call_is_read_however_its_arguments_are_written(call, text, read_lines, outlined):
    run = read_lines({"messages": [USER, {"role": "assistant", "tool_calls": [call]}]})
    assert outlined(run) == [("tool_call", text)]
    assert run.trajectory.steps[0].tool == "f"


def test_the_function_calls_of_before_there_were_tools_are_read(read_lines, outlined):
    asking = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": '{"a": 1}'}}
    run = read_lines({"messages": [USER, asking, {"role": "function", "name": "f", "content": "ok"}]})
    assert outlined(run) == [("tool_call", "a: 1"), ("tool_result", "ok")]
    assert run.trajectory.steps[1].tool == "f"


def test_images_are_named_and_not_shown(read_lines, outlined):
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    run = read_lines({"messages": [USER, DONE, {"role": "user", "content": [picture]}]})
    assert outlined(run)[-1] == ("user", "[image_url]")


@pytest.mark.parametrize("place", ["top", "metadata"])
def test_what_a_record_says_of_its_run_is_its_truth(place, read_lines):
    said = {
        "label": "attack",
        "task_id": "p1",
        "environment": "mine",
        "main_score": 1,
        "side_score": False,
        "factors": {"side_task": "exit"},
        "model": "m",
        "epoch": 2,
    }
    run = read_lines({"messages": [USER, DONE], **(said if place == "top" else {"metadata": said})})
    truth = run.truth
    assert (truth.label, truth.task_id, truth.environment) == ("attack", "p1", "mine")
    assert (truth.main_score, truth.side_score, truth.factors) == (1.0, 0.0, {"side_task": "exit"})
    assert (run.agent_model, run.epoch) == ("m", 2)
    assert "attack" not in run.trajectory.task + "".join(step.text for step in run.trajectory.steps)


def test_a_label_of_something_else_is_no_label_and_the_user_can_name_the_right_field(write_lines):
    path = write_lines({"messages": [USER, DONE], "label": "positive", "meta": {"bad": 1}})
    notes = []
    [unlabelled] = read_runs([path], notes=notes)
    [labelled] = read_runs([path], TruthOptions(field="meta.bad"))
    assert unlabelled.truth is None
    assert "its label is neither honest nor attack, so it says something else" in notes[0].guesses
    assert labelled.truth.label == "attack"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("good", "has a field meta.bad that is no label"),
        (None, "has no field meta.bad, which is to hold its label"),
    ],
)
def test_a_field_that_the_user_names_has_to_hold_a_label(value, reason, write_lines):
    path = write_lines({"messages": [USER, DONE], "meta": {"bad": value}})
    [unread] = read_runs([path], TruthOptions(field="meta.bad"))
    assert reason in str(unread)
    [run] = read_runs([path], TruthOptions(field="meta.other", honest=["talk*"]))
    assert run.truth.label == "honest"


def test_what_has_no_step_is_dropped_and_counted(write_lines, outlined):
    odd = [{"role": "critic", "content": "Bad."}, {"role": "assistant", "content": [{"type": "document"}]}]
    notes = []
    [run] = read_runs(
        [write_lines({"messages": [USER, *odd, {**DONE, "refusal": "I will not."}]})], notes=notes
    )
    assert outlined(run)[0] == ("prose", "[document]")
    assert ("prose", "I will not.") in outlined(run)
    assert {"message of role 'critic'", "content of type 'document'"} <= notes[0].dropped.keys()


def test_the_user_can_say_where_the_main_task_is(read_lines):
    run = read_lines(
        {"messages": [USER, DONE], "goal": {"main": "Sum."}}, truth=TruthOptions(task_field="goal.main")
    )
    assert (run.trajectory.task, run.task_verified) == ("Sum.", True)


def test_runs_of_one_task_text_are_of_one_problem(write_lines):
    other = {**DONE, "content": "Four."}
    path = write_lines(*({"messages": [USER, end], "label": "honest"} for end in (DONE, other)))
    first, second = read_runs([path])
    assert first.truth.task_id == second.truth.task_id
    assert first.id != second.id


@pytest.mark.parametrize(
    "bad",
    [
        '{"messages": [',
        "[1]",
        json.dumps({"messages": "none"}),
        json.dumps({"messages": [{"content": "x"}]}),
        json.dumps({"messages": [USER]}),
        json.dumps({"messages": [USER, {"role": "assistant", "tool_calls": ["f"]}]}),
        json.dumps({"messages": [USER, DONE], "epoch": "last"}),
        json.dumps({"messages": [USER, DONE], "label": "honest", "main_score": "good"}),
        json.dumps({"other": 1}),
    ],
)
def test_a_line_that_is_no_conversation_costs_itself_only(bad, write_lines):
    first, unread, last = read_runs(
        [write_lines({"messages": [USER, DONE]}, bad, {"messages": [USER, CALLING]})]
    )
    assert isinstance(first, Run)
    assert isinstance(last, Run)
    assert isinstance(unread, Unread)
    assert unread.sample == "line 2"


def test_an_array_of_conversations_in_one_document_is_read_too(tmp_path):
    path = tmp_path / "all.json"
    path.write_text(json.dumps([{"messages": [USER, DONE]}, {"messages": [USER, CALLING]}], indent=2))
    assert [len(run.trajectory.steps) for run in read_runs([path])] == [2, 1]
