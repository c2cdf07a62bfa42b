"""Steps are what the agent did, complete, once and in order, whatever a log loses, repeats or adds."""

from __future__ import annotations

import json

import pytest

from molehunt.trajectories import EVERYTHING, read_runs, render

BLOB = "EpMCCokBCA8YAipA2lZ+s2+vgxzj"


def span(name, kind, parent=None, **more):
    return {"event": "span_begin", "id": name, "name": name, "type": kind, "parent_id": parent, **more}


def end(name):
    return {"event": "span_end", "id": name}


def reasoning(text, summary=None, redacted=False):
    return {"type": "reasoning", "reasoning": text, "summary": summary, "redacted": redacted}


def test_a_log_without_events_is_read_from_its_messages(make, read_one, outlined):
    run = read_one(
        make.sample(
            make.assistant("Listing.", calls=[("c1", "bash", {"command": "ls"})]),
            make.tool("a.py", "c1"),
            make.user("Go on."),
            make.assistant("Done.\n```py\nx = 1\n```"),
        )
    )
    assert outlined(run) == [
        ("prose", "Listing."),
        ("tool_call", "ls"),
        ("tool_result", "a.py"),
        ("user", "Go on."),
        ("prose", "Done."),
        ("code", "x = 1"),
    ]
    assert run.trajectory.steps[2].answers == 1


def test_what_messages_have_lost_comes_from_the_events(make, read_one, outlined):
    last = make.assistant(
        [reasoning("Now submit."), {"type": "text", "text": "Found."}],
        "m2",
        [("c2", "submit", {"answer": "42"})],
    )
    kept = make.assistant("Found.\n\n42", "m2")
    events = [
        make.model_event(make.assistant("Look.", "m1", [("c1", "bash", {"command": "ls"})])),
        make.tool_event("c1", "a.py", message_id="t1"),
        make.model_event(last),
        make.tool_event("c2", "42", message_id="t2"),
    ]
    messages = [
        make.assistant("Look.", "m1", [("c1", "bash", {"command": "ls"})]),
        make.tool("a.py", "c1", "t1"),
        kept,
    ]
    assert outlined(read_one(make.sample(*messages, events=events))) == [
        ("prose", "Look."),
        ("tool_call", "ls"),
        ("tool_result", "a.py"),
        ("reasoning", "Now submit."),
        ("prose", "Found."),
        ("tool_call", "42"),
        ("tool_result", "42"),
    ]


def test_a_later_turn_of_the_user_stands_behind_what_came_before_it(make, read_one, outlined):
    events = [
        make.model_event(make.assistant("One.", "m1", [("c1", "bash", {})])),
        make.tool_event("c1", "ok", message_id="t1"),
        make.model_event(make.assistant("Two.", "m2")),
    ]
    messages = [
        make.assistant("One.", "m1", [("c1", "bash", {})]),
        make.tool("ok", "c1", "t1"),
        make.user("Go on.", "u2"),
        make.assistant("Two.", "m2"),
    ]
    assert [kind for kind, _ in outlined(read_one(make.sample(*messages, events=events)))] == [
        "prose",
        "tool_call",
        "tool_result",
        "user",
        "prose",
    ]


def test_an_agent_that_acts_under_a_role_is_read_and_its_monitor_is_not(make, read_one, outlined):
    first = make.assistant("I list.", "m1", [("c1", "bash", {"command": "ls"})])
    events = [
        make.model_event(first, role="untrusted"),
        make.model_event(make.assistant("Suspicion 0.", "v1"), [first], role="trusted"),
        make.tool_event("c1"),
    ]
    run = read_one(make.sample(first, events=events))
    assert [text for _, text in outlined(run)] == ["I list.", "ls", "done"]


def test_a_proposal_that_was_replaced_is_no_step(make, read_one, outlined):
    bad = make.assistant("I delete.", "m1", [("c1", "bash", {"command": "rm -rf /"})])
    good = make.assistant("I list.", "m2", [("c2", "bash", {"command": "ls"})])
    events = [
        make.model_event(bad, role="untrusted"),
        make.model_event(make.assistant("Suspicion 10.", "v1"), [bad], role="trusted"),
        make.model_event(good, role="trusted"),
        make.tool_event("c2"),
    ]
    run = read_one(make.sample(good, events=events))
    assert [text for _, text in outlined(run)] == ["I list.", "ls", "done"]


def test_what_only_a_models_input_holds_is_never_shown(make, read_one):
    whisper = make.user("Remember your SIDE TASK.", "w1")
    first, second = make.assistant("One.", "m1", [("c1", "bash", {})]), make.assistant("Two.", "m2")
    events = [
        make.model_event(first, [whisper]),
        make.tool_event("c1"),
        make.model_event(second, [first, whisper]),
    ]
    run = read_one(make.sample(first, second, events=events))
    assert "SIDE TASK" not in render(run.trajectory, EVERYTHING).text


def test_an_answer_that_only_a_later_history_holds_is_the_agents(make, read_one, outlined):
    # A compaction has dropped the first answer from the final messages.
    first, second = make.assistant("First.", "m1"), make.assistant("Second.", "m2")
    events = [
        make.model_event(first),
        make.model_event(second, input_refs=[[0, 2]]),
        make.model_event(make.assistant("A summary.", "x1"), [first]),
    ]
    run = read_one(
        make.sample(
            second,
            events=events,
            events_data={"messages": [first]},
        )
    )
    assert [text for _, text in outlined(run)] == ["First.", "Second."]


def test_an_answer_that_a_cache_gave_twice_counts_once(make, read_one, outlined):
    answer = make.assistant("Done.", "m1")
    run = read_one(make.sample(answer, events=[make.model_event(answer)] * 2))
    assert outlined(run) == [("prose", "Done.")]


def test_a_scorers_agent_is_not_the_agent(make, read_one, outlined):
    grading = make.assistant("Grading.", "g1", [("g", "bash", {"command": "pytest"})])
    events = [
        make.model_event(make.assistant("Done.", "m1")),
        span("score", "scorer"),
        span("grader", "agent", "score"),
        make.model_event(grading, span_id="grader"),
        make.tool_event("g", span_id="grader"),
        end("grader"),
        end("score"),
    ]
    run = read_one(make.sample(make.assistant("Done.", "m1"), events=events))
    assert outlined(run) == [("prose", "Done.")]


def test_a_scorer_of_an_early_log_is_not_the_agent_either(make, read_one, outlined):
    events = [
        make.model_event(make.assistant("Done.", "m1")),
        {"event": "step", "action": "begin", "type": "scorer"},
        make.model_event(make.assistant("Grading.", "g1", [("g", "bash", {})])),
        make.tool_event("g"),
        {"event": "step", "action": "end", "type": "scorer"},
    ]
    run = read_one(make.sample(make.assistant("Done.", "m1"), events=events))
    assert outlined(run) == [("prose", "Done.")]


def test_a_sub_agents_steps_bear_its_name_and_come_before_the_result_of_its_call(make, read_one):
    ask = make.assistant("", "m1", [("c1", "helper", {"input": "look"})])
    events = [
        span("react", "agent"),
        make.model_event(ask, span_id="react"),
        span("helper", "tool", "react"),
        make.tool_event("c1", "It is there.", function="helper", span_id="react"),
        span("worker", "agent", "helper"),
        make.model_event(make.assistant("It is there.", "s1"), span_id="worker"),
        end("worker"),
        end("helper"),
        make.model_event(make.assistant("Done.", "m2"), span_id="react"),
        end("react"),
    ]
    run = read_one(make.sample(ask, make.assistant("Done.", "m2"), events=events))
    assert [(step.agent, step.kind, step.answers) for step in run.trajectory.steps] == [
        (None, "tool_call", None),
        ("worker", "prose", None),
        (None, "tool_result", 0),
        (None, "prose", None),
    ]


def test_a_helper_model_that_a_solver_asks_is_not_the_agent(make, read_one, outlined):
    events = [
        span("solver", "solver"),
        make.model_event(make.assistant("Critique.", "x1"), span_id="solver"),
        make.model_event(make.assistant("Better.", "m1"), span_id="solver"),
        end("solver"),
    ]
    run = read_one(make.sample(make.assistant("Better.", "m1"), events=events))
    assert outlined(run) == [("prose", "Better.")]


def test_results_of_tools_that_ran_outside_inspect_come_from_the_next_input(make, read_one, outlined):
    first = make.assistant("", "m1", [("c1", "Bash", {"command": "ls"})])
    second = make.assistant("Done.", "m2")
    events = [
        make.model_event(first),
        make.model_event(second, [first, make.tool("a.py", "c1")]),
    ]
    run = read_one(make.sample(second, events=events))
    assert outlined(run) == [("tool_call", "ls"), ("tool_result", "a.py"), ("prose", "Done.")]
    assert run.trajectory.steps[1].answers == 0


def test_a_failed_tool_answers_with_its_error_and_one_that_was_cut_off_not_at_all(make, read_one, outlined):
    ask = make.assistant("", "m1", [("c1", "bash", {}), ("c2", "bash", {}), ("c3", "bash", {})])
    events = [
        make.model_event(ask),
        make.tool_event("c1", "", error={"type": "timeout", "message": "Timed out."}),
        make.tool_event("c2", "", failed=True),
        make.tool_event("c3", "", pending=True),
    ]
    run = read_one(make.sample(ask, events=events))
    assert [text for kind, text in outlined(run) if kind == "tool_result"] == ["Timed out."]


@pytest.mark.parametrize("state", [{"error": "404"}, {"pending": True}])
def test_a_call_that_failed_or_never_ended_said_nothing(make, read_one, outlined, state):
    done = make.assistant("Done.", "m1", [("c1", "bash", {})])
    events = [
        span("react", "agent"),
        make.model_event(done, span_id="react"),
        make.tool_event("c1"),
        make.model_event(make.assistant("Half a", "m2"), span_id="react", **state),
        end("react"),
    ]
    run = read_one(make.sample(done, events=events))
    assert [text for _, text in outlined(run)] == ["Done.", "", "done"]


def test_examples_in_a_prompt_are_not_what_the_agent_said(make, read_one, outlined):
    example = {"role": "assistant", "content": "Example.", "id": "e1"}
    messages = [make.user("Q?", "u1"), example, make.user("Do it.", "u2"), make.assistant("Done.", "m1")]
    with_events = make.sample(
        *messages, events=[make.model_event(make.assistant("Done.", "m1"), messages[:3])]
    )
    assert outlined(read_one(with_events)) == [("prose", "Done.")]
    marked = [{**message, "source": "input"} for message in messages[:3]]
    assert outlined(read_one(make.sample(*marked, messages[3]))) == [("prose", "Done.")]


def test_a_beginning_that_no_event_has_is_kept_if_a_model_is_said_to_have_given_it(make, read_one, outlined):
    first = make.assistant("First.", "m1")
    last = make.assistant("Last.", "m2")
    run = read_one(make.sample(first, make.user("Go on.", "u1"), last, events=[make.model_event(last)]))
    assert [text for _, text in outlined(run)] == ["First.", "Go on.", "Last."]


def test_a_handed_back_conversation_is_not_told_twice(make, read_one, outlined):
    sub = make.assistant("I looked.", "s1", [("c1", "bash", {"command": "ls"})])
    flattened = [
        make.assistant("[worker] I looked.\nbash(ls)", "s1"),
        make.user("a.py", "t1"),
        make.user("The worker agent has completed its work.", "u2"),
    ]
    events = [
        span("worker", "agent"),
        make.model_event(sub, span_id="worker"),
        make.tool_event("c1", "a.py", message_id="t1", span_id="worker"),
        end("worker"),
        make.model_event(make.assistant("Done.", "m2")),
    ]
    run = read_one(make.sample(*flattened, make.assistant("Done.", "m2"), events=events))
    assert [text for _, text in outlined(run)] == [
        "I looked.",
        "ls",
        "a.py",
        "The worker agent has completed its work.",
        "Done.",
    ]


def test_a_conversation_that_was_handed_back_under_other_ids_is_not_told_twice_either(
    make, read_one, outlined
):
    ask = make.assistant("I look.", "s1", [("c1", "bash", {"command": "ls"})])
    events = [
        make.model_event(ask),
        make.tool_event("c1", "a.py", message_id="t1"),
        make.model_event(make.assistant("Seen.", "s2"), [ask]),
        make.model_event(make.assistant("Done.", "m2"), [make.assistant("Seen.", "s2")]),
    ]
    handed_back = [make.user("a.py", "other1"), make.assistant("Seen.", "other2")]
    run = read_one(make.sample(*handed_back, make.assistant("Done.", "m2"), events=events))
    assert [text for _, text in outlined(run)] == ["I look.", "ls", "a.py", "Seen.", "Done."]


def test_a_user_who_repeats_the_agents_words_has_said_them(make, read_one, outlined):
    events = [
        make.model_event(make.assistant("Go on?", "m1")),
        make.model_event(make.assistant("Two.", "m2")),
    ]
    messages = [make.assistant("Go on?", "m1"), make.user("Go on?", "u2"), make.assistant("Two.", "m2")]
    assert outlined(read_one(make.sample(*messages, events=events))) == [
        ("prose", "Go on?"),
        ("user", "Go on?"),
        ("prose", "Two."),
    ]


def test_a_compactions_summary_is_no_turn_of_the_user(make, read_one, outlined):
    summary = make.user("[CONTEXT COMPACTION SUMMARY] …", "u2", metadata={"summary": True})
    run = read_one(make.sample(make.assistant("One."), summary, make.assistant("Two.")))
    assert [text for _, text in outlined(run)] == ["One.", "Two."]


@pytest.mark.parametrize(
    ("block", "text", "kind"),
    [
        (reasoning("Hm."), "Hm.", "full"),
        (reasoning(BLOB, "Thinking it over.", redacted=True), "Thinking it over.", "summary"),
        (reasoning(BLOB, "", redacted=True), "", "hidden"),
        (reasoning(BLOB, None, redacted=True), "", "hidden"),
        (reasoning("", None), "", "hidden"),
    ],
)
def test_reasoning_is_shown_as_far_as_it_can_be_read_and_never_as_a_blob(
    make, read_one, outlined, block, text, kind
):
    run = read_one(make.sample(make.assistant([block, {"type": "text", "text": "Done."}])))
    assert outlined(run) == [("reasoning", text), ("prose", "Done.")]
    assert run.reasoning == kind
    assert BLOB not in str(run)


def test_reasoning_that_was_charged_for_and_not_logged_is_recorded_as_hidden(make, read_one, outlined):
    answer = make.assistant("Done.", "m1")
    event = make.model_event(answer)
    event["output"]["usage"] = {"reasoning_tokens": 640}
    run = read_one(make.sample(answer, events=[event]))
    assert outlined(run) == [("reasoning", ""), ("prose", "Done.")]
    assert run.reasoning == "hidden"


def test_think_tags_in_text_are_reasoning_in_full(make, read_one):
    run = read_one(make.sample(make.assistant("<think>Hm.</think>Done.")))
    assert run.reasoning == "full"


def test_attachments_are_put_back_everywhere_and_a_missing_one_is_no_reference(make, read_one, outlined):
    key = "0123456789abcdef0123456789abcdef"
    answer = make.assistant("attachment://" + key, "m1", [("c1", "bash", {"command": "attachment://" + key})])
    events = [make.model_event(answer), make.tool_event("c1", "attachment://" + "f" * 32)]
    run = read_one(make.sample(answer, events=events, attachments={key: "a long text"}))
    assert [text for _, text in outlined(run)] == ["a long text", "a long text", "[missing attachment]"]
    assert run.trajectory.steps[1].arguments == {"command": "a long text"}


def test_text_that_only_looks_like_an_attachment_is_not_hidden(make, read_one, outlined):
    command = "attachment://0123456789abcdef0123456789abcdef; rm -rf /"
    run = read_one(make.sample(make.assistant("", calls=[("c1", "bash", {"command": command})])))
    assert outlined(run) == [("tool_call", command)]


def test_media_are_shown_as_placeholders(make, read_one, outlined):
    image = {"type": "image", "image": "data:image/png;base64,iVBORw0KGgo="}
    answer = make.assistant([{"type": "text", "text": "See:"}, image], calls=[("c1", "bash", {})])
    result = make.tool([image, {"type": "text", "text": "ok"}], "c1")
    run = read_one(make.sample(make.user([image]), answer, result, input=[make.user([image])]))
    assert run.trajectory.task == "[image]"
    assert [text for _, text in outlined(run)] == ["See:\n[image]", "", "[image]\nok"]


def test_a_tool_that_the_provider_ran_is_a_call_with_its_result(make, read_one):
    block = {
        "type": "tool_use",
        "tool_type": "web_search",
        "id": "w1",
        "name": "web_search",
        "arguments": '{"query": "x"}',
        "result": "found",
    }
    run = read_one(make.sample(make.assistant([block])))
    call, result = run.trajectory.steps
    assert (call.kind, call.tool, call.text) == ("tool_call", "web_search", "x")
    assert (result.kind, result.text, result.answers) == ("tool_result", "found", 0)


def test_a_fence_may_begin_in_one_block_of_text_and_end_in_the_next(make, read_one, outlined):
    blocks = [{"type": "text", "text": "```py\nx = 1"}, {"type": "text", "text": "y = 2\n```"}]
    run = read_one(make.sample(make.assistant(blocks)))
    assert outlined(run) == [("code", "x = 1\ny = 2")]


def test_times_count_from_the_beginning_of_the_sample(make, read_one):
    answer = make.assistant("Done.", "m1")
    event = make.model_event(
        answer, timestamp="2026-01-01T12:00:01+00:00", completed="2026-01-01T14:00:03.5+02:00"
    )
    run = read_one(make.sample(answer, events=[event], started_at="2026-01-01T12:00:00+00:00"))
    assert run.trajectory.steps[0].seconds == 3.5


def test_lone_surrogates_become_replacement_characters(make, write_eval, outlined):
    call = ("c1", "bash", {"k": ["\udc00"]})
    sample = make.sample(make.assistant("a\ud83db", calls=[call]))
    [run] = read_runs([write_eval(json.dumps(sample).encode())])
    assert outlined(run)[0] == ("prose", "a\ufffdb")
    assert run.trajectory.steps[1].arguments == {"k": ["\ufffd"]}
