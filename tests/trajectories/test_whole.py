"""A file is there when it is whole, or not at all, and what a killed writer leaves does not stay."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
        alive = part.with_name(part.name.replace(str(os.getpid()), str(os.getppid())))
        elsewhere = part.with_name(".another-machine-1-a.txt")
        for file in (alive, elsewhere):
            file.write_text("theirs")
        with whole(path) as again:
            again.write_text("mine again")
    assert path.read_text() == "mine again"
    assert alive.exists()
    assert elsewhere.exists()
