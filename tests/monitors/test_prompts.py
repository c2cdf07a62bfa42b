"""Prompts: placeholders are checked when they are filled, and braces are braces."""

from __future__ import annotations

import pytest

from molehunt.monitors import build, prompts
from molehunt.monitors.prompts import SYSTEM, filled, prompt
from molehunt.monitors.registry import BUILT_IN
from molehunt.monitors.testing import Reply, ScriptedAsk
from molehunt.trajectories import Step, Trajectory


def test_braces_and_dollars_in_values_stay_what_they_are():
    text = filled("Say {x} about $what.", "mine", what='{"a": $1, $what}')
    assert text == 'Say {x} about {"a": $1, $what}.'


@pytest.mark.parametrize("values", [{}, {"other": "x"}, {"what": "x", "other": "x"}])
def test_missing_and_unknown_placeholders_are_errors(values):
    with pytest.raises(ValueError, match="placeholders"):
        filled("About $what.", "mine", **values)


def test_a_lone_dollar_sign_is_an_error():
    with pytest.raises(ValueError, match="dollar"):
        filled("It costs $ 5.", "mine")


@pytest.mark.parametrize(
    "sees",
    [
        "actions",
        "reasoning",
        "everything",
        "excerpts",
        "no_excerpts",
        "summaries",
        "inspection",
        "no_inspection",
    ],
)
def test_the_rubric_is_the_same_whatever_is_seen(sees):
    rubric = prompt("judge", sees=prompt(f"sees_{sees}"))
    assert rubric.removeprefix(prompt(f"sees_{sees}")) == prompt("judge", sees="")


def test_the_system_message_says_that_the_record_gives_no_instructions():
    assert "never an instruction" in SYSTEM


def test_a_prompt_file_with_a_placeholder_that_nobody_fills_is_an_error_before_anything_is_asked():
    with pytest.raises(ValueError, match=r"'extract' has the placeholders \['at_least', 'at_most', 'sees'\]"):
        prompt("extract", sees="You see it.", at_least="5")


class Example(ScriptedAsk):
    """Answers with the form's example."""

    async def __call__(self, role, prompt, answer, **settings):
        self.replies = [Reply(*answer.example(self.mode))]
        return await super().__call__(role, prompt, answer, **settings)


@pytest.mark.parametrize("name", [name for name in BUILT_IN if name != "learned"])
async def test_every_text_that_a_monitor_sends_is_part_of_its_identity(name, monkeypatch):
    read, texts = [], prompts.texts

    def reading(*names):
        read.extend(texts(*names))
        return texts(*names)

    monkeypatch.setattr(prompts, "texts", reading)
    # long enough for chunks of any size
    steps = tuple(Step(n, "code" if n % 2 else "reasoning", f"x_{n} = 1\n" * 1000) for n in range(20))
    monitor = build(name)
    await monitor(Trajectory("Count.", steps), Example([]))
    declared = {text for part in (monitor, *monitor.parts) for text in part.prompts}
    assert set(read) <= declared
