"""A learned monitor reads a file of anybody's, judges each run by what has not seen it, and is an oracle."""

from __future__ import annotations

import json

import pytest

from molehunt.monitors import build, describe, from_record, monitor_digest, spec_text, to_record
from molehunt.monitors.features import Features
from molehunt.monitors.learned import learned
from molehunt.monitors.learned_file import LearnedFile, task_key
from molehunt.monitors.stepwise import stepwise
from molehunt.monitors.testing import ask_that_says, judged_by
from molehunt.trajectories import EVERYTHING, Problem, Step, Trajectory


def run_of(task: str, code: str, *tools: str) -> Trajectory:
    calls = [Step(index, "tool_call", "ls", tool=tool) for index, tool in enumerate(tools)]
    return Trajectory(task, (*calls, Step(len(calls), "code", code)))


SEEN = run_of("Add.", "def add(a, b): return a + b", "bash")
OTHER = run_of("Sort.", "def sort(xs): return sorted(xs)", "bash", "python")
NEW = run_of("Print.", "def show(x): return print(x)")


def linear(columns: int, intercept: float) -> dict:
    return {"coefficients": [0.0] * columns, "intercept": intercept}


@pytest.fixture
def content():
    features = Features.fit([SEEN, OTHER], EVERYTHING)
    columns = len(features.names)
    return {
        "kind": "molehunt learned monitor",
        "version": 1,
        "training": {"attack": 1, "honest": 1, "tasks": 2, "side_tasks": 1, "left_out": ["task"]},
        "features": json.loads(features.model_dump_json()),
        "whole": linear(columns, 0.0),
        "folds": [linear(columns, 2.0), linear(columns, -2.0)],
        "judges": {SEEN.id: [0], task_key("Sort."): [0, 1]},
    }


@pytest.fixture
def written(tmp_path, content):
    def write(**changes):
        file = tmp_path / "monitor.json"
        file.write_text(json.dumps({**content, **changes}))
        return file

    return write


@pytest.mark.parametrize(("run", "score"), [(SEEN, 0.8808), (OTHER, 0.5), (NEW, 0.5)])
async def test_a_run_is_judged_by_the_models_that_have_not_seen_it(written, run, score):
    verdict = await judged_by(learned(written()), ask_that_says(), run)
    assert verdict.score == pytest.approx(score, abs=1e-4)


async def test_a_known_task_is_judged_by_models_without_it_and_an_unknown_one_by_that_of_all(
    written, content
):
    whole = {**content["whole"], "intercept": 5.0}
    monitor = learned(written(whole=whole))
    scores = [(await judged_by(monitor, ask_that_says(), run)).score for run in (OTHER, NEW)]
    assert scores == [pytest.approx(0.5), pytest.approx(0.9933, abs=1e-4)]


async def test_the_beginning_of_a_run_is_no_way_around_the_folds(written, content):
    whole = {**content["whole"], "intercept": 5.0}
    verdict = await judged_by(stepwise(learned(written(whole=whole)), every=1), ask_that_says(), OTHER)
    assert [look.score for look in verdict.trace] == [pytest.approx(0.5)] * 3


async def test_its_reasons_are_the_features_that_moved_the_score_most(written, content):
    features = Features.model_validate_json(json.dumps(content["features"]))
    whole = linear(len(features.names), 0.0)
    whole["coefficients"][features.names.index('words "return"')] = 3.0
    whole["coefficients"][features.names.index('words "def"')] = -3.0
    verdict = await judged_by(learned(written(whole=whole)), ask_that_says(), NEW)
    assert verdict.rationale == 'up: words "return"\ndown: words "def"'


async def test_a_run_that_shows_nothing_is_unscored(written):
    verdict = await judged_by(learned(written()), ask_that_says(), Trajectory("Add.", ()))
    assert (verdict.score, verdict.status) == (None, "nothing_visible")


async def test_a_logit_of_any_size_is_a_probability(written, content):
    for intercept, score in ((-1e6, 0.0), (1e6, 1.0)):
        monitor = learned(written(whole={**content["whole"], "intercept": intercept}))
        assert (await judged_by(monitor, ask_that_says(), NEW)).score == score


def test_it_is_an_oracle_and_so_is_whatever_it_is_part_of(written):
    file = written()
    assert build(f"learned(file='{file}')").oracle
    assert build(f"hybrid(first=\"learned(file='{file}')\")").oracle
    assert not build("hybrid").oracle
    assert describe("learned").oracle


def test_another_content_of_the_file_is_another_monitor_and_another_name_of_it_is_not(
    written, content, tmp_path
):
    file = written()
    one, record = monitor_digest(learned(file), {}), to_record(learned(file))
    assert from_record(record) == learned(file)
    assert build(spec_text(learned(file))) == learned(file)
    copy = tmp_path / "copy.json"
    copy.write_bytes(file.read_bytes())
    assert monitor_digest(learned(copy), {}) == one
    written(whole={**content["whole"], "intercept": 1.0})
    assert monitor_digest(learned(file), {}) != one
    with pytest.raises(Problem, match="not what it was"):
        from_record(record)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"kind": "something else"}, "kind: Input should be"),
        ({"version": 2}, "version: Input should be 1"),
        ({"extra": 1}, "extra: Extra inputs"),
        ({"folds": []}, "judged by a model that is not there"),
        ({"judges": {"../../etc/passwd": [0]}}, "judges"),
        ({"judges": {"0" * 32: []}}, "judged by a model that is not there"),
        ({"judges": {"0" * 32: [-1]}}, "judged by a model that is not there"),
        ({"whole": {"coefficients": [], "intercept": 0.0}}, "another number of coefficients"),
        ({"whole": {"coefficients": ["0"], "intercept": 0.0}}, "whole.coefficients.0: Input should be"),
        ({"whole": {"coefficients": [], "intercept": float("nan")}}, "whole.intercept"),
        ({"whole": {"coefficients": [], "intercept": float("inf")}}, "whole.intercept"),
        ({"whole": {"coefficients": [1e300], "intercept": 0.0}}, "whole.coefficients.0: Input should be"),
        (
            {"whole": {"coefficients": [0.0] * 50_000, "intercept": 0.0}},
            "coefficients: Tuple should have at most",
        ),
        ({"folds": [{"coefficients": [], "intercept": 0.0}] * 1001}, "folds: Tuple should have at most 1000"),
    ],
)
def test_a_file_that_is_something_else_is_refused_in_one_line(written, changes, says):
    with pytest.raises(Problem, match=says) as problem:
        learned(written(**changes))
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("text", ["", "[" * 100_000, "\x80\x04K\x01.", '{"kind": "molehunt learned monitor"'])
def test_what_is_no_json_is_refused(tmp_path, text):
    file = tmp_path / "monitor.json"
    file.write_text(text)
    with pytest.raises(Problem, match="is no learned monitor"):
        learned(file)


@pytest.mark.parametrize(
    "terms",
    [
        {"longest": 9},
        {"shortest": 3, "longest": 2},
        {"unit": "pickle"},
        {"weights": [1.0]},
        {"terms": ["a", "a"], "weights": [1.0, 1.0]},
        {"terms": ["a" * 501], "weights": [1.0]},
    ],
)
def test_a_vocabulary_that_makes_no_sense_is_refused(written, content, terms):
    words = {"unit": "word", "shortest": 1, "longest": 2, "terms": [], "weights": []}
    with pytest.raises(Problem, match=r"features\.words"):
        learned(written(features={**content["features"], "words": {**words, **terms}}))


def test_a_file_that_is_missing_or_too_large_is_refused(written, tmp_path, monkeypatch):
    with pytest.raises(Problem, match="molehunt fit"):
        learned(tmp_path / "nowhere.json")
    file = written()
    monkeypatch.setattr("molehunt.monitors.learned_file.LARGEST_FILE", 10)
    with pytest.raises(Problem, match="larger than"):
        LearnedFile.read(file)


def test_tools_lengths_and_words_are_measured_and_the_task_is_not():
    features = Features.fit([SEEN, OTHER], EVERYTHING)
    assert {"calls of bash", "calls of python", "characters of code", 'words "return"'} <= set(features.names)
    assert "python" in str(features.matrix([OTHER]).nonzero()) or features.matrix([OTHER]).nnz
    assert not [name for name in features.names if "Sort" in name or "sort." in name]


def test_what_all_runs_have_alike_is_measured_in_units_of_its_own():
    alike = [run_of(f"Task {n}.", f"x = {n}", "bash", "bash", "bash") for n in range(100, 200)]
    spreads = {amount.name: amount.spread for amount in Features.fit(alike, EVERYTHING).amounts}
    assert (spreads["calls of bash"], spreads["steps of code"]) == (1.0, 1.0)


async def test_a_file_whose_numbers_would_overflow_has_no_say(written, content):
    amounts = [{**amount, "spread": 1e-300} for amount in content["features"]["amounts"]]
    with pytest.raises(Problem, match="spread: Input should be greater"):
        learned(written(features={**content["features"], "amounts": amounts}))


def test_runs_without_a_word_in_common_have_amounts_only():
    features = Features.fit([run_of("a", "x"), run_of("b", "y")], EVERYTHING)
    assert all(name.startswith(("steps", "characters of", "calls")) for name in features.names)
