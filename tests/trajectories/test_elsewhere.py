"""Files in stores elsewhere, by their addresses; a store in memory stands for all."""

from __future__ import annotations

import gzip
import json

import pytest

fsspec = pytest.importorskip("fsspec")

from molehunt.trajectories import Problem, Run, TruthOptions, Unread, read_runs  # noqa: E402

LINE = json.dumps(
    {"messages": [{"role": "user", "content": "Add."}, {"role": "assistant", "content": "Three."}]}
).encode()


@pytest.fixture
def bucket(write_eval, make):
    store = fsspec.filesystem("memory")
    log = write_eval(make.sample(make.assistant("Done."))).read_bytes()
    store.pipe(
        {
            "/bucket/logs/a.eval": log,
            "/bucket/logs/in/talk.jsonl.gz": gzip.compress(LINE),
            "/bucket/logs/in/attack.jsonl": LINE.replace(b"Three", b"Four"),
            "/bucket/logs/in/settings.txt": b"no log",
        }
    )
    yield "memory://bucket"
    store.rm("/bucket", recursive=True)


def test_a_folder_elsewhere_is_searched_with_all_that_is_below_it(bucket):
    runs = list(read_runs([f"{bucket}/logs"]))
    assert all(isinstance(run, Run) for run in runs), runs
    assert [run.log for run in runs] == [
        f"{bucket}/logs/a.eval",
        f"{bucket}/logs/in/attack.jsonl",
        f"{bucket}/logs/in/talk.jsonl.gz",
    ]


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("logs/a.eval", ["a.eval"]),
        ("logs/*.eval", ["a.eval"]),
        ("logs/in/*.jsonl*", ["attack.jsonl", "talk.jsonl.gz"]),
        ("logs/*", ["a.eval", "attack.jsonl", "talk.jsonl.gz"]),
        ("logs/**/*.jsonl", ["attack.jsonl"]),
    ],
)
def test_files_and_patterns_elsewhere_are_read_once(source, read, bucket):
    results = read_runs([f"{bucket}/{source}", f"{bucket}/{source}"])
    assert [result.log.rpartition("/")[2] for result in results] == read


def test_a_session_elsewhere_is_read_with_its_sub_agents(bucket):
    def entry(kind, text, **more):
        message = {"role": kind, "content": [{"type": "text", "text": text}]}
        return json.dumps({"type": kind, "sessionId": "s", "message": message, **more}).encode()

    own, agents = b"\n".join([entry("user", "Add."), entry("assistant", "1")]), entry("assistant", "2")
    store = fsspec.filesystem("memory")
    store.pipe(
        {
            "/bucket/s/s.jsonl": own,
            "/bucket/s/agent-1.jsonl": agents,
            "/bucket/s/s/subagents/agent-2.jsonl": agents,
        }
    )
    [run] = read_runs([f"{bucket}/s"])
    assert [(step.agent, step.text) for step in run.trajectory.steps] == [
        (None, "1"),
        ("agent-2", "2"),
        ("agent-1", "2"),
    ]


def test_patterns_for_truth_hold_for_addresses_too(bucket):
    runs = read_runs([f"{bucket}/logs/in"], TruthOptions(attack=["attack*"], honest=["*/logs/in/talk*"]))
    assert {run.truth.label for run in runs if isinstance(run, Run)} == {"attack", "honest"}


def test_a_log_is_the_same_run_wherever_it_lies(bucket, tmp_path):
    here = tmp_path / "copy.jsonl"
    here.write_bytes(LINE)
    [near] = read_runs([here])
    [far] = read_runs([f"{bucket}/logs/in/talk.jsonl.gz"])
    assert near.id == far.id


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("memory://bucket/none.eval", "no such file or folder"),
        ("memory://bucket/no*", "nothing matches this pattern"),
        ("nowhere://bucket/a.eval", "nowhere"),
    ],
)
def test_an_address_of_nothing_is_a_problem_at_once(source, message, bucket):
    with pytest.raises(Problem, match=message):
        read_runs([source])


def test_a_broken_file_elsewhere_costs_itself_only(bucket):
    fsspec.filesystem("memory").pipe("/bucket/logs/broken.eval", b"PK\x03\x04 and no more")
    results = list(read_runs([f"{bucket}/logs"]))
    assert [isinstance(result, Unread) for result in results] == [False, True, False, False]
