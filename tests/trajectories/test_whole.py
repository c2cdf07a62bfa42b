"""A file is there when it is whole, or not at all, and what a killed writer leaves does not stay."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from molehunt.trajectories import whole as module
from molehunt.trajectories.whole import whole

KILLED = """
import os, signal, sys
from pathlib import Path
from molehunt.trajectories.whole import whole
with whole(Path(sys.argv[1])) as part:
    part.write_text("half of")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def killed_while_writing(path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode < 0


def test_what_a_killed_writer_left_is_gone_after_the_next_write_to_that_name(tmp_path):
    path, other = tmp_path / "a.txt", tmp_path / "b.txt"
    killed_while_writing(path)
    killed_while_writing(other)
    assert not path.exists()
    with whole(path) as part:
        part.write_text("all of it")
    assert path.read_text() == "all of it"
    hidden = [file.name for file in tmp_path.iterdir() if file != path]
    assert [name.endswith("-b.txt") for name in hidden] == [True]


@pytest.mark.parametrize("name", ["a" * 251 + ".csv", "é" * 125 + "a.csv", "a [x]*\n(1).csv"])
def test_a_name_may_be_as_long_and_as_odd_as_the_file_system_allows(name, tmp_path):
    path = tmp_path / name
    killed_while_writing(path)
    with whole(path) as part:
        assert part.suffix == ".csv"
        part.write_text("all of it")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["all of it"]


def test_what_others_are_writing_is_left_alone(tmp_path):
    path = tmp_path / "a.txt"
    with whole(path) as part:
        part.write_text("mine")
        process, another = f"-{os.getpid()}-", f"-{os.getppid()}-"
        alive = part.with_name(part.name.replace(process, another))
        # whoever is dead here may be alive in a container of the same name
        elsewhere = part.with_name(part.name.replace(process, "-4194999-").replace(".", ".0", 1))
        for file in (alive, elsewhere):
            file.write_text("theirs")
        with whole(path) as again:
            again.write_text("mine again")
        assert path.read_text() == "mine again"
    assert path.read_text() == "mine"
    assert alive.exists()
    assert elsewhere.exists()


def test_threads_that_write_the_same_file_do_not_write_into_each_others(tmp_path):
    path, together = tmp_path / "a.txt", threading.Barrier(4)

    def write(letter: str) -> None:
        with whole(path) as part, part.open("w") as file:
            for _ in range(3):
                together.wait(timeout=60)
                file.write(letter)
                file.flush()

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(write, letter) for letter in "abcd"]:
            done.result()
    assert path.read_text() in {"aaa", "bbb", "ccc", "ddd"}
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not Path("/proc/self/ns/pid").exists(), reason="there are no containers here")
def test_a_container_of_the_same_name_has_another_table_of_processes(tmp_path, monkeypatch):
    here = module._process_table()
    assert module._process_table() == here
    monkeypatch.setattr(Path, "readlink", lambda place: Path("pid:[4026532999]"))
    assert module._process_table() != here
