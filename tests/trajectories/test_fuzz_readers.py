"""A few seconds of broken transcripts for every reader; ``benchmarks.fuzz_readers`` goes on for longer."""

from __future__ import annotations

import json
from dataclasses import replace

import msgspec.structs
import pytest

from molehunt.trajectories import Run, read_runs
from molehunt.trajectories.formats import FORMATS

CASES = 400


@pytest.fixture(scope="module")
def fuzzing(from_benchmarks):
    pytest.importorskip("pyarrow")
    return from_benchmarks("fuzz_readers")


def test_there_is_a_file_to_break_for_every_format_and_it_is_told_and_read(fuzzing, tmp_path):
    seeds = fuzzing.seeds()
    assert {seed.format for seed in seeds} == set(FORMATS)
    for seed in seeds:
        path = tmp_path / seed.name
        path.write_bytes(seed.content())
        notes = []
        assert all(isinstance(result, Run) for result in read_runs([path], notes=notes)), seed
        assert (notes[0].format, notes[0].runs > 0) == (seed.format, True)


def test_no_truth_stands_in_what_a_monitor_sees_of_any_format(fuzzing, tmp_path):
    told = ("attack", "honest", "label", "side_task", "injection", "passed", "score", "eval_mode", "metadata")
    for seed in fuzzing.seeds():
        path = tmp_path / seed.name
        path.write_bytes(seed.content())
        for run in read_runs([path]):
            seen = json.dumps([run.trajectory.task, *map(msgspec.structs.asdict, run.trajectory.steps)])
            assert not [word for word in told if word in seen], seed.format


def test_no_broken_file_breaks_a_reader_or_costs_its_neighbours(fuzzing, tmp_path):
    fuzzer = fuzzing.Fuzzer(tmp_path, number=20261201)
    for _ in range(CASES):
        finding = fuzzer.once()
        assert finding is None, f"{finding.seed.format}: {finding.content[:2000]!r}\n{finding.what}"


def test_the_search_finds_a_reader_that_breaks(fuzzing, tmp_path, monkeypatch):
    def broken(path, options, tally):
        raise KeyError("role")
        yield

    fuzzer = fuzzing.Fuzzer(tmp_path, number=1)
    monkeypatch.setitem(FORMATS, "tool_calls", replace(FORMATS["tool_calls"], read=broken))
    findings = [found for _ in range(120) if (found := fuzzer.once()) is not None]
    assert findings
    assert all("KeyError" in found.what for found in findings)
