"""Steps, trajectories and renderings hold their promises for any content, however hostile."""

from __future__ import annotations

import copy
import hashlib
import json
import subprocess
import sys
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molehunt.trajectories import (
    ACTIONS,
    EVERYTHING,
    REASONING,
    Kind,
    Run,
    Step,
    Trajectory,
    Truth,
    View,
    call_text,
    encodable,
    render,
)
from molehunt.trajectories.views import HEADING

# Headings, line ends of every sort, surrogates and blanks are what an agent would attack a rendering with.
texts = st.text(st.sampled_from("▶▷ \n\r\t\u2028ab:#é\ud800\udfff\x00")) | st.text()
names = st.none() | st.text(st.sampled_from("▶ \nax"), max_size=6)
views = st.builds(
    View,
    reasoning=st.just(True),
    actions=st.booleans(),
    tool_results=st.booleans(),
    prose=st.sampled_from(["auto", "action", "reasoning"]),
) | st.just(ACTIONS)


@st.composite
def trajectories(draw: st.DrawFn) -> Trajectory:
    kinds = draw(st.lists(st.sampled_from(get_args(Kind)), max_size=8))
    steps = [Step(i, kind, draw(texts), tool=draw(names), agent=draw(names)) for i, kind in enumerate(kinds)]
    return Trajectory(draw(texts), tuple(steps))


@given(trajectories(), views)
def test_every_visible_step_stands_at_its_span_with_the_heading_mark_replaced(trajectory, view):
    rendering = render(trajectory, view)
    for span in rendering.spans:
        step = trajectory.steps[span.step]
        assert rendering.text[span.start : span.end] == step.text.replace(HEADING, "▷")
        assert span.end - span.start == len(step.text)


@given(trajectories(), views)
def test_a_rendering_shows_exactly_the_visible_steps_each_once_and_in_order(trajectory, view):
    channel = trajectory.has_reasoning_channel
    visible = [step.index for step in trajectory.steps if view.shows(step, reasoning_channel=channel)]
    assert [span.step for span in render(trajectory, view).spans] == visible


@given(trajectories(), views)
def test_no_content_can_forge_a_heading(trajectory, view):
    rendering = render(trajectory, view)
    assert rendering.text.count(HEADING) == len(rendering.spans)
    begins_with_mark = [line for line in rendering.text.split("\n") if line.startswith(HEADING)]
    assert len(begins_with_mark) == len(rendering.spans)


@given(trajectories(), views, st.integers(-1, 9))
def test_a_prefix_is_a_slice_that_ends_with_its_last_step(trajectory, view, step):
    rendering = render(trajectory, view)
    prefix = rendering.up_to(step)
    assert rendering.text.startswith(prefix)
    shown = [span for span in rendering.spans if span.step <= step]
    assert len(prefix) == (shown[-1].end if shown else 0)


@given(trajectories())
def test_a_prefix_is_what_the_shortened_trajectory_renders_to(trajectory):
    # Under this view prose does not depend on whether reasoning comes later.
    view = View(reasoning=True, actions=True, prose="action")
    for step in range(len(trajectory.steps)):
        shortened = Trajectory(trajectory.task, trajectory.steps[: step + 1])
        assert render(trajectory, view).up_to(step) == render(shortened, view).text


@given(trajectories())
def test_reasoning_and_actions_together_show_everything_once(trajectory):
    def shown(view: View) -> set[int]:
        return {span.step for span in render(trajectory, view).spans}

    assert shown(REASONING) | shown(ACTIONS) == shown(EVERYTHING)
    assert not shown(REASONING) & shown(ACTIONS)


@given(trajectories())
def test_every_trajectory_can_be_written_as_utf8(trajectory):
    (trajectory.task + render(trajectory, EVERYTHING).text.replace(HEADING, "")).encode()
    for step in trajectory.steps:
        step.text.encode()


@given(texts)
def test_replacing_surrogates_keeps_every_offset(text):
    clean = encodable(text)
    assert len(clean) == len(text)
    assert encodable(clean) == clean
    assert all(new == old for new, old in zip(clean, text, strict=True) if new != "\ufffd")


def test_a_step_is_a_value_whose_time_makes_no_difference():
    step = Step(0, "tool_call", "ls", tool="bash", arguments={"command": "ls"}, seconds=1.0)
    later = Step(0, "tool_call", "ls", tool="bash", arguments={"command": "ls"}, seconds=2.0)
    assert step == later
    assert hash(step) == hash(later)
    assert step != Step(0, "tool_call", "ls", tool="bash", arguments={"command": "ls -l"})
    assert step != "ls"
    assert copy.deepcopy(step).seconds == 1.0
    with pytest.raises(AttributeError):
        step.text = "rm"


@pytest.mark.parametrize(("index", "kind"), [(-1, "code"), (0, "thought")])
def test_a_step_that_there_cannot_be_is_refused(index, kind):
    with pytest.raises(ValueError, match="a step's"):
        Step(index, kind, "text")


@given(trajectories(), st.floats(0, 1e6))
def test_an_id_depends_on_content_and_not_on_time(trajectory, seconds):
    later = [
        Step(s.index, s.kind, s.text, s.tool, s.arguments, s.answers, s.agent, seconds)
        for s in trajectory.steps
    ]
    assert Trajectory(trajectory.task, tuple(later)).id == trajectory.id


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@given(
    texts | st.just("plain"),
    texts | st.just("\x7f"),
    names | st.just("\udfff"),
    st.dictionaries(texts, values),
)
def test_the_canonical_form_is_what_json_writes_in_ascii(task, text, name, arguments):
    steps = (
        Step(0, "tool_call", text, tool=name, arguments=arguments, agent=name),
        Step(1, "tool_result", text, tool=name, answers=0),
    )
    trajectory = Trajectory(task, steps)
    call, result = (
        [step.kind, step.text, step.tool, step.arguments, step.answers, step.agent] for step in steps
    )
    content = [trajectory.task, [call, result]]
    written = json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")
    assert trajectory.canonical() == written
    assert trajectory.id == hashlib.sha256(written).hexdigest()[:32]


class Marked(str):
    """A text of a kind of its own, such as NumPy's, or that of a parser which knows where each stood."""


class Flag(int):
    """A number of a kind of its own."""


@pytest.mark.parametrize("answers", [Flag(1), 2**63, 2**64, -(2**70)])
def test_texts_and_numbers_of_kinds_derived_from_pythons_are_written_as_what_they_are(answers):
    def of(text, number):
        task, name = text("Add."), text("bash")
        call = Step(0, "tool_call", text("ls"), name, {text("in"): text("ls")}, agent=name)
        return Trajectory(task, (call, Step(1, "tool_result", text("a\x7f"), name, answers=number)))

    assert of(Marked, answers).canonical() == of(str, int(answers)).canonical()
    assert str(int(answers)).encode() in of(Marked, answers).canonical()


@pytest.mark.parametrize(
    "other",
    [
        Step(0, "prose", "ls", tool="bash"),
        Step(0, "tool_call", "ls ", tool="bash"),
        Step(0, "tool_call", "ls", tool="sh"),
        Step(0, "tool_call", "ls", tool="bash", arguments={"command": "ls"}),
        Step(0, "tool_call", "ls", tool="bash", answers=0),
        Step(0, "tool_call", "ls", tool="bash", agent="helper"),
    ],
)
def test_an_id_changes_with_anything_that_a_monitor_could_see(other):
    step = Step(0, "tool_call", "ls", tool="bash")
    assert Trajectory("t", (step,)).id != Trajectory("t", (other,)).id


def test_an_id_is_the_same_in_another_process_with_another_hash_seed():
    code = (
        "from molehunt.trajectories import Step, Trajectory;"
        "call = Step(0, 'tool_call', 'x', arguments={'b': 1, 'a': [None, 2.5]});"
        "print(Trajectory('tä\\ud800sk', [call]).id)"
    )
    environment = {"PYTHONHASHSEED": "7", "PYTHONIOENCODING": "utf-8"}
    other = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    step = Step(0, "tool_call", "x", arguments={"a": [None, 2.5], "b": 1})
    assert Trajectory("tä\ud800sk", (step,)).id == other.stdout.strip()


def test_steps_that_are_not_numbered_in_order_are_refused():
    with pytest.raises(ValueError, match="step 0 of a trajectory has index 1"):
        Trajectory("t", (Step(1, "prose", "x"),))


def test_a_kind_or_label_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="not 'thought'"):
        Step(0, "thought", "x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="honest or attack"):
        Truth("evil", "env", "task")  # type: ignore[arg-type]


def test_hidden_reasoning_makes_prose_an_action_though_there_is_nothing_to_show():
    hidden, prose = Step(0, "reasoning", ""), Step(1, "prose", "Done.")
    assert render(Trajectory("t", (hidden, prose)), ACTIONS).text == "▶ prose\nDone."
    assert render(Trajectory("t", (Step(0, "prose", "Done."),)), ACTIONS).text == ""


def test_a_call_without_arguments_is_visible():
    assert render(Trajectory("t", (Step(0, "tool_call", "", tool="submit"),)), ACTIONS).spans


@given(st.dictionaries(st.text(max_size=5), st.text() | st.integers() | st.lists(st.booleans())))
def test_a_call_shows_every_string_argument_verbatim(arguments):
    text = call_text(arguments)
    assert all(value in text for value in arguments.values() if isinstance(value, str))


def test_a_log_that_is_moved_or_read_anew_keeps_its_runs_and_another_attempt_is_another_run():
    trajectory = Trajectory("t", ())
    run = Run(trajectory, None, log="a.eval", sample="u")
    assert run.id == Run(trajectory, None, log="elsewhere/b.eval", sample="u").id
    assert run.id == Run(Trajectory("the task, named", ()), None, log="a.eval", sample="u").id
    assert (
        len(
            {
                run.id,
                Run(trajectory, None, "a", "u", attempt=2).id,
                Run(trajectory, None, "a", "u", epoch=2).id,
            }
        )
        == 3
    )
