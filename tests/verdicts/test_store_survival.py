"""What happens to a store when its process is killed, its disk is full, or others use it at the same time."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from molehunt.trajectories import Problem
from molehunt.verdicts import Call, Store

PREAMBLE = """
import itertools, resource, sys
from molehunt.trajectories import Problem
from molehunt.verdicts import Call, Store

def call(number):
    return Call(f"k{number:06d}", "monitor", "m", "m", None, 0.1, reply="x" * 3000)
"""


@contextmanager
def child(program: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that runs ``program``, which finds the store's path in ``sys.argv[1]``."""
    source = PREAMBLE + textwrap.dedent(program)
    with subprocess.Popen(
        [sys.executable, "-c", source, str(path)],
        stdin=subprocess.PIPE,  # never at its end, as that of a machine without a terminal is
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def names_in(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def call(key: str) -> Call:
    return Call(key, "monitor", "m", "m", None, 0.1)


HOLDS_THE_LOCK = """
with Store.open(sys.argv[1]) as store:
    store.add_call(call(0))
    print("open", flush=True)
    sys.stdin.read()  # until it is killed
"""


def test_a_process_killed_while_it_commits_loses_no_commit_that_returned(tmp_path: Path) -> None:
    path = tmp_path / "scores.db"
    writes = """
    store = Store.open(sys.argv[1])
    for number in itertools.count():
        store.add_call(call(number))
        print(number, flush=True)
    """
    with child(writes, path) as process:
        assert process.stdout is not None
        told = [line_of(process) for _ in range(200)]
        process.send_signal(signal.SIGKILL)
        told += process.stdout.read().split("\n")[:-1]
        last = int(told[-1])
    with Store.open(path) as store:
        kept = [one.key for one in store.calls()]
        assert kept[: last + 1] == [f"k{number:06d}" for number in range(last + 1)]
        assert len(kept) <= last + 2  # one more may have been committed and not yet told
        assert all(len(one.reply) == 3000 for one in store.calls())
        store.add_call(call("after"))


def test_a_process_killed_while_it_makes_a_store_leaves_a_file_that_can_be_used(tmp_path: Path) -> None:
    path = tmp_path / "scores.db"
    half_made = """
    import os, signal
    from molehunt.verdicts import database

    def dies(file, *arguments):
        os.kill(os.getpid(), signal.SIGKILL)

    database.secrets.token_bytes = dies
    Store.open(sys.argv[1])
    """
    with child(half_made, path) as process:
        assert process.wait() == -signal.SIGKILL
    assert path.exists()
    with Store.open(path) as store:
        assert len(store.boundary_key) == 32


def test_a_second_writer_is_refused_until_the_first_ends_or_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "scores.db"
    with child(HOLDS_THE_LOCK, path) as process:
        assert line_of(process) == "open"
        with pytest.raises(Problem, match=r"another run is writing to .*scores\.db"):
            Store.open(path)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with Store.open(path) as store:
            assert store.call("k000000") is not None


def test_a_second_writer_in_the_same_process_is_refused_too(tmp_path: Path) -> None:
    path = tmp_path / "scores.db"
    with Store.open(path), pytest.raises(Problem, match="another run"):
        Store.open(path)
    Store.open(path).close()


def test_a_writer_behind_a_link_is_the_same_writer(tmp_path: Path) -> None:
    path = tmp_path / "scores.db"
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with Store.open(path), pytest.raises(Problem, match="another run"):
        Store.open(link)


def test_a_closed_store_is_one_file(tmp_path: Path) -> None:
    path = tmp_path / "scores.db"
    with Store.open(path) as store:
        store.add_call(call("k"))
    with Store.read(path) as store:
        assert store.call("k")
    assert names_in(tmp_path) == ["scores.db"]


def test_a_reader_reads_while_another_process_writes_and_sees_one_moment(tmp_path: Path) -> None:
    path = tmp_path / "scores.db"
    with child(HOLDS_THE_LOCK, path) as process:
        assert line_of(process) == "open"
        with Store.read(path) as reader:
            assert [one.key for one in reader.calls()] == ["k000000"]


def test_a_reader_keeps_its_moment_and_does_not_hold_the_writer_up(tmp_path: Path) -> None:
    path = tmp_path / "scores.db"
    with Store.open(path) as writer:
        writer.add_call(call("before"))
        with Store.read(path) as reader:
            writer.add_call(call("after"))
            assert [one.key for one in reader.calls()] == ["before"]
            with Store.read(path) as later:
                assert [one.key for one in later.calls()] == ["before", "after"]


def test_a_full_disk_is_one_line_and_what_was_stored_stays(tmp_path: Path) -> None:
    path = tmp_path / "scores.db"
    fills_the_disk = """
    store = Store.open(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
    for number in itertools.count():
        try:
            store.add_call(call(number))
        except Problem as problem:
            print(number, len(str(problem).splitlines()), problem)
            break
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    store.add_call(call(number))  # there is space again
    store.close()
    """
    with child(fills_the_disk, path) as process:
        number, n_lines, words = line_of(process).split(" ", 2)
        assert process.wait() == 0
    assert n_lines == "1"
    assert "cannot grow" in words
    assert "Free some space" in words
    with Store.read(path) as store:
        assert len(list(store.calls())) == int(number) + 1 > 10


def test_a_database_that_may_not_grow_says_so(tmp_path: Path) -> None:
    with Store.open(tmp_path / "scores.db") as store:
        [(pages,)] = store._connection.execute("PRAGMA page_count")
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(Problem, match="cannot grow"):
            store.add_call(Call("k", "monitor", "m", "m", None, 0.1, reply="x" * 100_000))
        store._connection.execute("PRAGMA max_page_count = 1000000")
        store.add_call(call("k"))
        assert [one.key for one in store.calls()] == ["k"]
