"""The runs that benchmarks have Inspect play are those that `benchmarks.recorded` makes up, with events."""

from __future__ import annotations

from collections import Counter

import pytest
from inspect_ai.log import read_eval_log

RUNS = range(3, 6)
STEPS = 20


@pytest.fixture(scope="module")
def recorded(from_benchmarks):
    return from_benchmarks("recorded")


@pytest.fixture(scope="module")
def played(from_benchmarks, tmp_path_factory):
    log = tmp_path_factory.mktemp("played") / "runs.eval"
    from_benchmarks("recorded_by_inspect").play(log, RUNS, STEPS)
    return log


def test_a_run_that_inspect_played_has_the_trajectory_of_the_made_up_one(recorded, played, tmp_path):
    made_up = recorded.write_log(tmp_path / "made_up.eval", RUNS, STEPS)
    trajectories = list(recorded.trajectories_of([played]))
    assert sorted(one.id for one in trajectories) == sorted(
        one.id for one in recorded.trajectories_of([made_up])
    )
    assert [len(one.steps) for one in trajectories] == [STEPS] * len(RUNS)


def test_inspect_recorded_each_question_call_and_span_of_it(played):
    for sample in read_eval_log(str(played)).samples:
        events = Counter(event.event for event in sample.events)
        assert (events["model"], events["tool"]) == (7, 6)
        assert events["span_begin"] > 6


def test_other_programs_find_in_it_what_they_look_for(recorded, played):
    log = read_eval_log(str(played))
    assert log.eval.model == "mockllm/model"
    assert [step.solver for step in log.plan.steps] == ["control_solver"]
    for sample in log.samples:
        assert sample.metadata == recorded.sample_of(sample.id, STEPS)["metadata"]
