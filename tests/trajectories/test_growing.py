"""The beginnings of a run: what a monitor would have seen, without laying out anything twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molehunt.trajectories import (
    ACTIONS,
    EVERYTHING,
    KINDS,
    REASONING,
    Growing,
    Step,
    Trajectory,
    View,
    render,
)

VIEWS = (ACTIONS, EVERYTHING, REASONING, View(reasoning=False, actions=True, tool_results=False))
PARTS = st.lists(st.tuples(st.sampled_from(KINDS), st.text(max_size=5)), max_size=8)


def steps_of(parts):
    return tuple(Step(index, kind, text) for index, (kind, text) in enumerate(parts))


@given(PARTS, st.lists(st.tuples(st.integers(0, 8), st.sampled_from(VIEWS)), max_size=8))
def test_a_beginning_is_shown_as_if_nothing_had_followed_in_whatever_order_one_looks(parts, looks):
    steps = steps_of(parts)
    run = Growing("Add.", steps)
    for length, view in looks:
        beginning = Trajectory("Add.", steps[:length])
        assert render(run.first(length), view) == render(beginning, view)
        assert run.first(length).has_reasoning_channel == beginning.has_reasoning_channel
        assert run.first(length).id == beginning.id


@given(PARTS, st.integers(0, 8))
def test_it_may_grow_between_two_looks(parts, pause):
    steps = steps_of(parts)
    run = Growing("Add.", steps[:pause])
    render(run.first(len(run)), EVERYTHING)
    run.add(steps[pause:])
    assert render(run.first(len(steps)), EVERYTHING) == render(Trajectory("Add.", steps), EVERYTHING)


def test_each_step_is_laid_out_once_however_often_one_looks(monkeypatch):
    shown = []
    shows = View.shows
    monkeypatch.setattr(
        View, "shows", lambda view, step, **how: shown.append(step) or shows(view, step, **how)
    )
    run = Growing("Add.", steps_of([("code", "a + b")] * 200))
    for length in range(201):
        render(run.first(length), EVERYTHING)
    assert len(shown) == 200


def test_steps_are_numbered_on():
    run = Growing("Add.", steps_of([("code", "a + b")]))
    with pytest.raises(ValueError, match="step 1 of a trajectory has index 0"):
        run.add(steps_of([("code", "a + b")]))


def test_what_cannot_be_encoded_is_replaced_in_the_task_too():
    assert Growing("\ud800").first(0).task == Trajectory("\ud800", ()).task
