"""Stores put together: nothing lost, nothing doubled, contradictions told, whatever interrupts it."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from molehunt.cli import cli
from molehunt.trajectories import Problem, Run, Step, Trajectory, Truth
from molehunt.trajectories.wording import count
from molehunt.verdicts import Call, MonitorRecord, Store, Verdict
from molehunt.verdicts.merging import loose_calls, merge, take_part

TABLES = ("trajectories", "runs", "monitors", "calls", "verdicts", "verdict_calls")
JUDGE = MonitorRecord("m1", "action_only", "action_only", models="openai/a")


def run_of(number: int, label: str | None = "attack") -> Run:
    trajectory = Trajectory("Add.", (Step(0, "code", f"a + b + {number}"),))
    truth = Truth(label=label, environment="sums", task_id=f"t{number}") if label else None  # type: ignore[arg-type]
    return Run(trajectory, truth, log="a.eval", sample=f"s{number}")


def fill(
    path: Path,
    numbers: range,
    *,
    verdict: Callable[[int], Verdict] = lambda number: Verdict(number % 10 / 10, rationale="Because."),
    label: str | None = "attack",
    reply: str = "Yes.",
) -> Path:
    with Store.open(path) as store:
        store.add_monitor(JUDGE)
        for number in numbers:
            run = run_of(number, label)
            store.add_run(run)
            store.add_call(Call(f"k{number}", "monitor", "openai/a", "a", None, 0.1, reply=reply))
            store.add_verdict(run.trajectory.id, "m1", 0, verdict(number), [f"k{number}"], 0.1)
    return path


def rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(path)) as connection:
        return {table: sorted(connection.execute(f"SELECT * FROM {table}"), key=repr) for table in TABLES}


def test_shards_put_together_hold_what_one_store_would(tmp_path: Path) -> None:
    whole = fill(tmp_path / "whole.db", range(9))
    shards = [fill(tmp_path / f"{one}.db", range(one, 9, 3)) for one in range(3)]
    merged = merge(shards, tmp_path / "all.db")
    assert rows(merged.store) == rows(whole)
    assert (merged.runs, merged.trajectories, merged.verdicts, merged.calls) == (9, 9, 9, 9)


def test_merging_again_changes_nothing_and_says_so(tmp_path: Path) -> None:
    shards = [fill(tmp_path / f"{one}.db", range(one, 6, 2)) for one in range(2)]
    once = rows(merge(shards, tmp_path / "all.db").store)
    again = merge(shards, tmp_path / "all.db")
    assert rows(again.store) == once
    assert (again.runs, again.trajectories, again.verdicts, again.calls) == (0, 0, 0, 0)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(ranges=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=4))
def test_in_whatever_pieces_and_order_stores_are_merged_the_result_is_the_same(
    ranges: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("stores")
    shards = [
        fill(folder / f"{n}.db", range(start, start + length)) for n, (start, length) in enumerate(ranges)
    ]
    at_once = merge(shards, folder / "at-once.db").store
    for shard in reversed(shards):
        merge([shard], folder / "one-by-one.db")
    assert rows(folder / "one-by-one.db") == rows(at_once)


def test_a_failed_verdict_gives_way_and_never_takes_the_place_of_another(tmp_path: Path) -> None:
    failed = fill(tmp_path / "failed.db", range(2), verdict=lambda _: Verdict.unscored("failed", "on fire"))
    made = fill(tmp_path / "made.db", range(2))
    assert rows(merge([failed, made], tmp_path / "one.db").store) == rows(made)
    assert rows(merge([made, failed], tmp_path / "other.db").store) == rows(made)


def test_two_verdicts_on_the_same_are_one_the_first_and_a_line_says_so(tmp_path: Path) -> None:
    one = fill(tmp_path / "one.db", range(3))
    with Store.open(one) as store:
        judged = {verdict.trajectory: verdict.score for verdict in store.verdicts()}
    other = fill(tmp_path / "other.db", range(3), verdict=lambda n: Verdict(min(n, 1), rationale="Because."))
    with Store.open(other) as store:
        differing = sum(judged[verdict.trajectory] != verdict.score for verdict in store.verdicts())
    merged = merge([one, other], tmp_path / "all.db")
    assert rows(merged.store)["verdicts"] == rows(one)["verdicts"]
    assert [
        note
        for note in merged.notes
        if note.startswith(f"{count(differing, 'verdict')} with another outcome in")
    ]


def test_conflicting_truths_are_told_in_one_line_and_the_first_is_kept(tmp_path: Path) -> None:
    attack = fill(tmp_path / "attack.db", range(3))
    honest = fill(tmp_path / "honest.db", range(3), label="honest")
    merged = merge([attack, honest], tmp_path / "all.db")
    with Store.read(merged.store) as store:
        assert {run.truth.label for run in store.runs() if run.truth} == {"attack"}
    [note] = [note for note in merged.notes if "another truth" in note]
    assert note.startswith("3 runs with another truth in")


def test_truth_that_one_store_lacks_is_taken_from_the_other(tmp_path: Path) -> None:
    unknown = fill(tmp_path / "unknown.db", range(2), label=None)
    known = fill(tmp_path / "known.db", range(2))
    merged = merge([unknown, known], tmp_path / "all.db")
    assert rows(merged.store)["runs"] == rows(known)["runs"]
    assert not [note for note in merged.notes if "another truth" in note]


def test_a_question_that_was_paid_for_twice_is_told(tmp_path: Path) -> None:
    one = fill(tmp_path / "one.db", range(2))
    other = fill(tmp_path / "other.db", range(2), reply="No.")
    notes = merge([one, other], tmp_path / "all.db").notes
    assert [note for note in notes if note.startswith("2 questions paid for in")]


def test_a_new_store_takes_the_key_of_the_first_so_that_its_calls_answer_more_questions(
    tmp_path: Path,
) -> None:
    one, other = fill(tmp_path / "one.db", range(1)), fill(tmp_path / "other.db", range(1, 2))
    merged = merge([one, other], tmp_path / "all.db")
    with Store.read(one) as first, Store.read(merged.store) as store:
        assert store.boundary_key == first.boundary_key
    [note] = merged.notes
    assert str(other) in note
    assert "was begun on its own" in note


def test_a_store_of_another_format_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    good, strange = fill(tmp_path / "good.db", range(2)), fill(tmp_path / "strange.db", range(2, 4))
    with closing(sqlite3.connect(strange)) as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(Problem, match=r"strange\.db is a store of format 7"):
        merge([good, strange], tmp_path / "all.db")
    assert not (tmp_path / "all.db").exists()


def test_a_damaged_store_is_named_and_nothing_of_it_comes_in(tmp_path: Path) -> None:
    good, damaged = fill(tmp_path / "good.db", range(2)), fill(tmp_path / "damaged.db", range(2, 200))
    with damaged.open("r+b") as file:
        file.seek(file.seek(0, os.SEEK_END) // 2)
        file.write(b"\xff" * 4096)
    with pytest.raises(Problem, match=r"damaged\.db"):
        merge([good, damaged], tmp_path / "all.db")
    assert rows(tmp_path / "all.db") == rows(good)


def test_of_a_damaged_store_alone_no_empty_one_is_made_and_an_old_one_stays(tmp_path: Path) -> None:
    damaged = fill(tmp_path / "damaged.db", range(200))
    with damaged.open("r+b") as file:
        file.seek(file.seek(0, os.SEEK_END) // 2)
        file.write(b"\xff" * 4096)
    with pytest.raises(Problem, match=r"damaged\.db"):
        merge([damaged], tmp_path / "new" / "all.db")
    assert list((tmp_path / "new").iterdir()) == []
    old = fill(tmp_path / "old.db", range(2))
    before = rows(old)
    with pytest.raises(Problem, match=r"damaged\.db"):
        merge([damaged], old)
    assert rows(old) == before


def test_a_store_is_not_merged_into_itself(tmp_path: Path) -> None:
    one = fill(tmp_path / "one.db", range(1))
    with pytest.raises(Problem, match="into itself"):
        merge([one], one)


def test_a_store_that_is_being_written_to_takes_nothing_in(tmp_path: Path) -> None:
    one = fill(tmp_path / "one.db", range(1))
    with Store.open(tmp_path / "all.db"), pytest.raises(Problem, match="another run is writing"):
        merge([one], tmp_path / "all.db")


def test_a_shard_may_be_merged_while_it_is_scored_and_again_when_it_is_done(tmp_path: Path) -> None:
    shard = fill(tmp_path / "shard.db", range(2))
    with Store.open(shard) as store:
        store.add_run(run_of(7))
        assert merge([shard], tmp_path / "all.db").runs == 3
        store.add_run(run_of(8))
    assert merge([shard], tmp_path / "all.db").runs == 1


CHILD = """
import sys, sqlite3
from molehunt.verdicts import merging
stores, out, stop_at = sys.argv[1:-2], sys.argv[-2], int(sys.argv[-1])
import os, signal
statements = 0
def traced(_):
    global statements
    statements += 1
    if statements == stop_at:
        os.kill(os.getpid(), signal.SIGKILL)
connect = merging.connect_to_write
def connect_and_trace(file):
    connection = connect(file)
    connection.set_trace_callback(traced)
    return connection
merging.connect_to_write = connect_and_trace
merging.merge(stores, out)
print(statements)
"""


def test_killed_at_any_statement_each_store_is_in_it_whole_or_not_at_all(tmp_path: Path) -> None:
    shards = [fill(tmp_path / f"{one}.db", range(one, 40, 2)) for one in range(2)]

    def merged_by_a_child(out: Path, stop_at: int) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-c", CHILD, *map(str, shards), str(out), str(stop_at)]
        return subprocess.run(words, capture_output=True, text=True, stdin=subprocess.PIPE, check=False)

    undisturbed = tmp_path / "undisturbed.db"
    statements = int(merged_by_a_child(undisturbed, 0).stdout)
    whole = len(rows(undisturbed)["verdicts"])
    for stop_at in random.Random(7).sample(range(1, statements), 6):
        out = tmp_path / f"killed-{stop_at}.db"
        assert merged_by_a_child(out, stop_at).returncode == -signal.SIGKILL
        kept = rows(out)
        assert {len(kept[table]) for table in TABLES if table != "monitors"} <= {0, whole // 2, whole}
        assert len({len(kept[table]) for table in TABLES if table != "monitors"}) == 1
        merge(shards, out)
        assert rows(out) == rows(undisturbed)


def test_a_part_holds_what_is_needed_to_score_its_trajectories_elsewhere(tmp_path: Path) -> None:
    store = fill(tmp_path / "store.db", range(4))
    with Store.open(store) as opened:
        opened.add_call(Call("paid-and-lost", "monitor", "openai/a", "a", None, 0.1))
        key = opened.boundary_key
    assert loose_calls(store) == ["paid-and-lost"]
    wanted = run_of(2).trajectory
    take_part(store, [wanted.id], ["paid-and-lost"], tmp_path / "part.db")
    with Store.read(tmp_path / "part.db") as part:
        assert part.trajectory(wanted.id) == wanted
        assert part.boundary_key == key
        assert {call.key for call in part.calls()} == {"k2", "paid-and-lost"}
        assert list(part.monitors()) == [JUDGE]
        assert not list(part.verdicts())


def test_the_command_says_what_came_in_and_what_was_at_odds(tmp_path: Path) -> None:
    attack = fill(tmp_path / "attack.db", range(3))
    honest = fill(tmp_path / "honest.db", range(4), label="honest")
    out = tmp_path / "all.db"
    said = CliRunner().invoke(cli, ["merge", str(attack), str(honest), "--out", str(out)])
    assert said.exit_code == 0
    assert "added     4 runs, 4 different trajectories" in said.output
    assert "note      3 runs with another truth" in said.output
    assert run_of(3).trajectory.id in {str(row[0]) for row in rows(out)["trajectories"]}
