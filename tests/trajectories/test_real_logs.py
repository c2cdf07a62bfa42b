"""Forty-two logs of other people, of many versions and states, read as their manifest says."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from molehunt.trajectories import EVERYTHING, TruthOptions, Unread, read_runs, render

POINTER = "ukgovernmentbeis__a6277786__long_log.eval"
# Their agents are `react` with its default: the call that submits is in the events only.
LOST_CALLS = {"metr__8bb89238__small.eval": 6}


@pytest.fixture(scope="module")
def logs(shared_data):
    return shared_data / "inspect-logs"


@pytest.fixture(scope="module")
def manifest(logs):
    return {row["file"]: row for row in json.loads((logs / "manifest.json").read_text())}


@pytest.fixture(scope="module")
def results(logs):
    by_file = {}
    for result in read_runs([logs], TruthOptions(honest=["*honest*"], attack=["*attack*"])):
        by_file.setdefault(result.log.rpartition("/")[2], []).append(result)
    return by_file


def steps_of(runs, kind):
    return [step for run in runs for step in run.trajectory.steps if step.kind == kind]


def test_every_log_gives_the_samples_calls_and_reasoning_that_its_manifest_counts(results, manifest):
    for file, row in manifest.items():
        if file == POINTER or not row["n"]:
            continue
        runs = results[file]
        assert len(runs) == row["n"], file
        lost = LOST_CALLS.get(file, 0)
        assert len(steps_of(runs, "tool_call")) == row["tool_calls"] + lost, file
        assert len(steps_of(runs, "reasoning")) == row["reasoning"] + lost, file


def test_what_cannot_be_read_is_told_in_one_line_each(results, manifest):
    unread = {file: found for file, found in results.items() if isinstance(found[0], Unread)}
    empty = {file for file, row in manifest.items() if file != POINTER and not row["n"]}
    assert set(unread) == {POINTER, "manifest.json", *empty}
    assert all(len(found) == 1 for found in unread.values())


def test_the_control_arena_runs_have_their_truth_and_pair_up(results):
    runs = [run for file, found in results.items() if file.startswith("andre-williams22__") for run in found]
    assert len(runs) == 29
    assert Counter(run.truth.label for run in runs) == {"honest": 17, "attack": 12}
    assert {run.truth.environment for run in runs} == {"control_arena/apps", "control_arena/iac"}
    assert Counter(run.ending for run in runs) == {"finished": 26, "error": 2, "cancelled": 1}
    assert all(run.task_verified for run in runs)
    tasks = {}
    for run in runs:
        tasks.setdefault((run.truth.environment, run.truth.task_id), set()).add(run.trajectory.task)
    assert all(len(texts) == 1 for texts in tasks.values())
    labels = {}
    for run in runs:
        labels.setdefault((run.truth.environment, run.truth.task_id), set()).add(run.truth.label)
    assert all(found == {"honest", "attack"} for found in labels.values())


def test_the_control_arena_agents_are_known_by_the_model_that_is_not_trusted(results):
    models = {run.agent_model for file, runs in results.items() if file.startswith("andre") for run in runs}
    assert models == {
        "anthropic/claude-opus-4-8",
        "anthropic/claude-sonnet-4-20250514",
        "anthropic/claude-sonnet-5",
    }


def test_no_trajectory_shows_a_monitors_words_a_side_task_or_an_attachment(results):
    for runs in results.values():
        for run in runs:
            if isinstance(run, Unread):
                continue
            text = run.trajectory.task + render(run.trajectory, EVERYTHING).text
            assert "attachment://" not in text
            assert "secret_input" not in text
            assert "suspicion score" not in text
            assert "You are secretly trying" not in text


def test_every_result_answers_the_call_before_it_that_has_its_tool(results):
    for runs in results.values():
        for run in runs:
            if isinstance(run, Unread):
                continue
            for step in run.trajectory.steps:
                if step.kind == "tool_result":
                    call = run.trajectory.steps[step.answers]
                    assert call.kind == "tool_call"
                    assert (call.tool, call.index < step.index) == (step.tool, True)
