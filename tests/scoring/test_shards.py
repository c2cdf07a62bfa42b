"""Shards: parts of a job, scored apart and put together as if one run had scored them all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from molehunt.cli import cli
from molehunt.scoring import score
from molehunt.scoring.shards import Shard, share_of
from molehunt.trajectories import Problem
from molehunt.verdicts import Store
from molehunt.verdicts.merging import merge

MONITORS = ["action_only", "hybrid", "length"]


def verdicts_in(file: Path) -> set[tuple[Any, ...]]:
    with Store.read(file) as store:
        return {(v.trajectory, v.monitor, v.draw, v.status) for v in store.verdicts()}


def runs_in(file: Path) -> list[str]:
    with Store.read(file) as store:
        return sorted(run.id for run in store.runs())


@given(digest=st.text("0123456789abcdef", min_size=32, max_size=32), of=st.integers(1, 50))
def test_every_trajectory_is_of_one_shard_exactly(digest: str, of: int) -> None:
    assert 0 <= share_of(digest, of) < of


def test_shards_scored_apart_and_merged_are_the_whole(
    log_of: Callable[..., Path], tmp_path: Path, sent: list[Any]
) -> None:
    log, whole = log_of(12), tmp_path / "whole.db"
    score(log, MONITORS, store=whole, model="fakemonitor/judge")
    at_once = len(sent)
    shards = [tmp_path / f"{number}.db" for number in (1, 2, 3)]
    for number, shard in enumerate(shards, start=1):
        score(log, MONITORS, store=shard, model="fakemonitor/judge", shard=f"{number}/3")
    merge(shards, tmp_path / "all.db")
    assert len(sent) == 2 * at_once
    assert verdicts_in(tmp_path / "all.db") == verdicts_in(whole)
    assert runs_in(tmp_path / "all.db") == runs_in(whole)
    again = score(log, MONITORS, store=tmp_path / "all.db", model="fakemonitor/judge")
    assert (again.calls, again.already) == (0, 36)


def test_the_same_trajectory_in_two_files_is_judged_in_one_shard(
    log_of: Callable[..., Path], sample_of: Callable[..., Any], tmp_path: Path, sent: list[Any]
) -> None:
    logs = [log_of([sample_of(name, "a + b")], f"{name}.json") for name in ("one", "other")]
    outcomes = [
        score(logs, "action_only", store=tmp_path / f"{n}.db", model="fakemonitor/judge", shard=f"{n}/5")
        for n in range(1, 6)
    ]
    assert sorted(outcome.runs for outcome in outcomes) == [0, 0, 0, 0, 2]
    assert len(sent) == 1


def test_shards_that_begin_as_copies_of_one_store_answer_each_others_questions(
    log_of: Callable[..., Path], tmp_path: Path, sent: list[Any]
) -> None:
    log, seed = log_of(6), tmp_path / "seed.db"
    Store.open(seed).close()
    shards = []
    for number in (1, 2):
        shards.append(tmp_path / f"{number}.db")
        shards[-1].write_bytes(seed.read_bytes())
        score(log, "cot_action", store=shards[-1], model="fakemonitor/judge", shard=f"{number}/2")
    assert merge(shards, tmp_path / "all.db").notes == ()
    before = len(sent)
    # a further monitor that asks the same question among others is answered from what the shards paid for
    later = score(log, "hybrid(first=cot_action)", store=tmp_path / "all.db", model="fakemonitor/judge")
    assert later.replayed == 6
    assert len(sent) - before == later.calls == 6


def test_a_file_that_cannot_be_read_is_told_by_one_shard_only(
    log_of: Callable[..., Path], tmp_path: Path
) -> None:
    good, bad = log_of(2), tmp_path / "bad.json"
    bad.write_text("{")
    outcomes = [score([good, bad], "length", store=tmp_path / f"{n}.db", shard=f"{n}/4") for n in range(1, 5)]
    assert sorted(len(outcome.unread) for outcome in outcomes) == [0, 0, 0, 1]


def test_a_limit_counts_the_runs_of_all_shards(log_of: Callable[..., Path], tmp_path: Path) -> None:
    log = log_of(9)
    read = [score(log, "length", store=tmp_path / f"{n}.db", shard=f"{n}/2", limit=5).runs for n in (1, 2)]
    assert sum(read) == 5


@pytest.mark.parametrize("text", ["0/4", "5/4", "1", "1/0", "-1/4", "a/b", "", "1/4/2"])
def test_a_shard_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(Problem, match="Write i/n"):
        Shard.parse(text)


def test_the_command_scores_one_shard(log_of: Callable[..., Path], tmp_path: Path) -> None:
    words = ["score", str(log_of(8)), "--monitor", "length"]
    read = []
    for number in (1, 2):
        store = tmp_path / f"{number}.db"
        said = CliRunner().invoke(cli, [*words, "--store", str(store), "--shard", f"{number}/2"])
        assert said.exit_code == 0
        read += runs_in(store)
    assert len(read) == len(set(read)) == 8
