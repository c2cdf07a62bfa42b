"""Files that are no store, or that cannot be opened: one line each that says what to do."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from molehunt.trajectories import Problem
from molehunt.verdicts import Call, Store

Open = Callable[[Path], Store]
both_ways = pytest.mark.parametrize("open_store", [Store.open, Store.read], ids=["writing", "reading"])


def names_in(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


def complaint_about(open_store: Open, path: Path) -> str:
    with pytest.raises(Problem) as caught:
        open_store(path)
    [line] = str(caught.value).splitlines()
    assert str(path) in line
    return line


def foreign_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE verdicts (x)")


def an_archive(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}")


@both_ways
@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.write_text("score,label\n"),
        lambda path: path.write_text("x"),
        lambda path: path.write_bytes(b"SQLite format 3\0" + b"\0" * 84),
        an_archive,
        foreign_database,
    ],
    ids=["text", "one character", "a bare header", "an archive", "another program's database"],
)
def test_what_is_no_store_is_refused_and_left_as_it_was(
    make: Callable[[Path], object], open_store: Open, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    make(path)
    before = path.read_bytes()
    assert "is not a score store" in complaint_about(open_store, path)
    assert path.read_bytes() == before
    assert names_in(tmp_path) == ["file"]


@both_ways
def test_a_store_of_another_format_is_named_as_such(open_store: Open, tmp_path: Path) -> None:
    path = tmp_path / "scores.db"
    Store.open(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 7")
    assert "format 7, and this molehunt writes format 1" in complaint_about(open_store, path)


@both_ways
def test_a_store_cut_in_half_is_damaged(open_store: Open, tmp_path: Path) -> None:
    path = tmp_path / "scores.db"
    with Store.open(path) as store:
        for number in range(200):
            store.add_call(Call(f"k{number}", "monitor", "m", "m", None, 0.1, reply="x" * 1000))
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(Problem, match="damaged"), open_store(path) as store:
        list(store.calls())


@both_ways
def test_a_folder_is_no_store(open_store: Open, tmp_path: Path) -> None:
    assert "is a folder" in complaint_about(open_store, tmp_path)


def test_a_missing_file_is_made_for_writing_only(tmp_path: Path) -> None:
    path = tmp_path / "new" / "scores.db"
    assert "there is no store" in complaint_about(Store.read, path)
    with pytest.raises(Problem, match="there is no store"):
        Store.open(path, create=False)
    assert not path.parent.exists()
    Store.open(path).close()
    assert path.exists()
    Store.open(path, create=False).close()


def test_a_path_below_a_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Problem, match="cannot open"):
        Store.open(tmp_path / "file" / "scores.db")


def test_a_file_name_may_hold_what_addresses_give_a_meaning_to(tmp_path: Path) -> None:
    path = tmp_path / "a?mode=ro#b %41 é.db"
    Store.open(path).close()
    Store.read(path).close()
    assert names_in(tmp_path) == [path.name]


def test_each_store_has_a_key_of_its_own_and_keeps_it(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as one, Store.open(tmp_path / "b.db") as other:
        key = one.boundary_key
        assert len(key) == 32
        assert key != other.boundary_key
    with Store.open(tmp_path / "a.db") as again:
        assert again.boundary_key == key


def test_another_programs_lock_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scores.db"
    with Store.open(path) as store, sqlite3.connect(path, isolation_level=None) as other:
        store._connection.execute("PRAGMA busy_timeout = 0")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Problem, match=r"another program has .* locked"):
            store.add_call(Call("k", "monitor", "m", "m", None, 0.1))
        other.execute("ROLLBACK")
        store.add_call(Call("k", "monitor", "m", "m", None, 0.1))


AS_ANYONE = """
import os, sys
from pathlib import Path
from molehunt.trajectories import Problem
from molehunt.verdicts import Store

if os.geteuid() == 0:  # nobody may write everywhere but root
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    with getattr(Store, sys.argv[1])(sys.argv[2]) as store:
        print("opened", len(list(store.calls())))
except Problem as problem:
    print(problem)
"""


def said_to_anyone(how: str, path: Path) -> str:
    """What a process without rights of root says when it opens the store."""
    command = [sys.executable, "-c", AS_ANYONE, how, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_a_store_in_a_folder_that_cannot_be_written_is_read_and_not_written(tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    with Store.open(folder / "scores.db") as store:
        store.add_call(Call("k", "monitor", "m", "m", None, 0.1))
    reachable(folder)
    folder.chmod(0o555)
    assert said_to_anyone("read", folder / "scores.db") == "opened 1"
    assert "Permission denied" in said_to_anyone("open", folder / "scores.db")
    assert "Permission denied" in said_to_anyone("open", folder / "new.db")
    assert names_in(folder) == ["scores.db"]


def test_a_file_that_is_read_only_says_so_when_it_is_opened_for_writing(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    Store.open(folder / "scores.db").close()
    reachable(folder)
    folder.chmod(0o777)
    (folder / "scores.db").chmod(0o444)
    assert "Check its permissions" in said_to_anyone("open", folder / "scores.db")
    (folder / "scores.db").chmod(0o000)
    assert "Check its permissions" in said_to_anyone("read", folder / "scores.db")


def reachable(folder: Path) -> None:
    for parent in folder.parents:
        if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)
