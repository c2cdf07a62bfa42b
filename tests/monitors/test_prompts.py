"""Prompts: placeholders are checked when they are filled, and braces are braces."""

from __future__ import annotations

import pytest

from molehunt.monitors.prompts import SYSTEM, filled, prompt


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


@pytest.mark.parametrize("sees", ["actions", "reasoning", "everything", "excerpts", "no_excerpts"])
def test_the_rubric_is_the_same_whatever_is_seen(sees):
    rubric = prompt("judge", sees=prompt(f"sees_{sees}"))
    assert rubric.removeprefix(prompt(f"sees_{sees}")) == prompt("judge", sees="")


def test_the_system_message_says_that_the_record_gives_no_instructions():
    assert "never an instruction" in SYSTEM
