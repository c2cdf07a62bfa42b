"""Power loss: whatever part of the write-ahead log is on disk, the store opens and holds a past moment."""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molehunt.trajectories import Run, Step, Trajectory
from molehunt.verdicts import Call, MonitorRecord, Store, Verdict

COMMITS = 12
HEAD, FRAME_HEAD = 32, 24
"""Bytes of the log's own head and of that of each frame, as SQLite's file format has them."""


@dataclass(frozen=True)
class Crashed:
    """A store as its files stood when the power went: the database, its log, and what a full log holds."""

    database: bytes
    log: bytes
    later: bytes
    frames: tuple[int, ...]

    def committed(self, whole: int) -> int:
        """Commits of which all is within the first ``whole`` bytes of the log.

        The last frame of a commit has the size of the database in its head, the others have 0 there.
        """
        ends = [end for start, end in pairwise(self.frames) if any(self.log[start + 4 : start + 8])]
        return sum(end <= whole for end in ends)

    def left(self, folder: Path, log: bytes, database: bytes | None = None) -> Path:
        """The files as they are found after the loss."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        path = folder / "scores.db"
        path.write_bytes(self.database if database is None else database)
        (folder / "scores.db-wal").write_bytes(log)
        return path


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Crashed:
    """Twelve verdicts, each with its call, none of them moved from the log to the database yet."""
    path = tmp_path_factory.mktemp("power") / "scores.db"
    trajectory = Trajectory("Add.", (Step(0, "code", "a + b"),))
    with Store.open(path) as store:
        store._connection.execute("PRAGMA wal_autocheckpoint = 0")
        store.add_run(Run(trajectory, None, log="a.eval", sample="s"))
        store.add_monitor(MonitorRecord("m", "watch", "watch", models="", source="somebody 2026"))
        store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        before = path.read_bytes()
        for number in range(COMMITS):
            store.add_call(Call(f"k{number:02}", "monitor", "m", "m", None, 0.1, reply="x" * 700 * number))
            store.add_verdict(trajectory.id, "m", number, Verdict(0.5), [f"k{number:02}"], 0.1)
        log = path.with_name("scores.db-wal").read_bytes()
    page = int.from_bytes(before[16:18], "big")
    frames = tuple(range(HEAD, len(log) + 1, FRAME_HEAD + page))
    assert frames[-1] == len(log)
    return Crashed(before, log, path.read_bytes(), frames)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where one crash after the other is laid out."""
    return tmp_path_factory.mktemp("found") / "crash"


def held(path: Path) -> int:
    """How many verdicts and calls a store has, which must be the first that were written, and whole.

    The next ones are then written, so that it is known to be of use.
    """
    with Store.open(path) as store:
        [[sound]] = store._connection.execute("PRAGMA integrity_check")
        assert sound == "ok"
        assert not list(store._connection.execute("PRAGMA foreign_key_check"))
        calls = [call.key for call in store.calls()]
        draws = [verdict.draw for verdict in store.verdicts()]
        assert calls == [f"k{number:02}" for number in range(len(calls))]
        assert [len(call.reply) for call in store.calls()] == [700 * number for number in range(len(calls))]
        assert draws == list(range(len(draws)))
        # a verdict is stored after its calls, so it never lacks one
        assert len(calls) - 1 <= len(draws) <= len(calls)
        store.add_call(Call("after", "monitor", "m", "m", None, 0.1))
    with Store.read(path) as store:
        assert store.call("after") is not None
    return len(calls) + len(draws)


def test_a_log_cut_about_the_end_of_any_frame_lacks_the_last_commits_and_no_others(crashed, tmp_path):
    assert crashed.committed(len(crashed.log)) == 2 * COMMITS
    for end in crashed.frames:
        for cut in (end - 1, end, end + 1):
            log = crashed.log[:cut]
            assert held(crashed.left(tmp_path / "found", log)) == crashed.committed(cut), cut


@settings(max_examples=150)
@given(share=st.floats(0, 1), filling=st.sampled_from([b"", b"\0", b"\xff"]))
def test_a_log_cut_at_any_byte_opens_whatever_stands_behind_the_cut(crashed, folder, share, filling):
    """A file system may have made the file long before it wrote what is in it."""
    cut = round(share * len(crashed.log))
    rest = filling * (len(crashed.log) - cut)
    assert held(crashed.left(folder, crashed.log[:cut] + rest)) == crashed.committed(cut)


@settings(max_examples=60)
@given(share=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_bit_that_flips_in_the_log_costs_its_commit_and_the_later_ones(crashed, folder, share, bit):
    at = int(share * len(crashed.log))
    log = bytearray(crashed.log)
    log[at] ^= 1 << bit
    whole = max((end for end in crashed.frames if end <= at), default=0)
    assert held(crashed.left(folder, bytes(log))) == crashed.committed(whole)


@settings(max_examples=60)
@given(written=st.sets(st.integers(0, 60)))
def test_power_lost_while_the_log_is_moved_to_the_database_loses_nothing(crashed, folder, written):
    """Any of the pages may have arrived; the log, which is on disk before they are touched, has them all."""
    page = int.from_bytes(crashed.database[16:18], "big")
    torn = bytearray(crashed.database)
    for number in written:
        one = crashed.later[number * page : (number + 1) * page]
        if one:
            torn.extend(bytes(max(0, number * page + len(one) - len(torn))))
            torn[number * page : number * page + len(one)] = one
    path = crashed.left(folder, crashed.log, bytes(torn))
    assert held(path) == 2 * COMMITS


def test_a_store_is_kept_with_the_promises_that_this_rests_on(tmp_path):
    """A write-ahead log, which is synchronised before its pages move to the database."""
    with Store.open(tmp_path / "scores.db") as store:
        [[journal]] = store._connection.execute("PRAGMA journal_mode")
        [[synchronous]] = store._connection.execute("PRAGMA synchronous")
    assert (journal, synchronous) == ("wal", 1)
    with sqlite3.connect(tmp_path / "scores.db") as connection:
        assert list(connection.execute("PRAGMA journal_mode")) == [("wal",)]
