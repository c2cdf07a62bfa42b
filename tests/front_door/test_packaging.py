"""An installed copy is whole: every room behind the front door, with the files that its code reads."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("trajectories", "verdicts", "models", "environments", "monitors", "scoring", "analysis")


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names in a wheel built from a copy, since a build leaves its litter where it runs."""
    folder = tmp_path_factory.mktemp("wheel")
    ignored = shutil.ignore_patterns(".*", "build", "*.egg-info", "demo", "logs", "__pycache__")
    shutil.copytree(ROOT, folder / "source", symlinks=True, ignore=ignored)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "./source",
    ]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


@pytest.mark.parametrize("room", ROOMS)
def test_a_wheel_holds_every_file_of_a_room(room: str, shipped: set[str]) -> None:
    files = [path for path in (ROOT / room).rglob("*") if path.is_file() and path.suffix != ".pyc"]
    missing = {f"molehunt/{path.relative_to(ROOT)}" for path in files} - shipped
    assert not missing


def test_a_wheel_puts_nothing_but_molehunt_into_site_packages(shipped: set[str]) -> None:
    assert {name.partition("/")[0].partition("-")[0] for name in shipped} == {"molehunt"}
    assert "molehunt/py.typed" in shipped
