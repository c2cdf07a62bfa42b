"""Every command and every program of the README runs, in the order in which a reader would try them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(?P<language>sh|python)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(block["language"], block["text"]) for block in BLOCK.finditer(README)]
PAGES = re.findall(r"\]\((?!https?:)([^)#]+)", README)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reader")


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-euc", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "INSPECT_DISPLAY": "plain"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


# one worker for all of them: each command builds on those before it
@pytest.mark.xdist_group("readme")
@pytest.mark.parametrize(
    ("language", "text"), BLOCKS, ids=[f"{language}-{number}" for number, (language, _) in enumerate(BLOCKS)]
)
def test_the_readme_keeps_its_word(language: str, text: str, folder: Path) -> None:
    if language == "python" and "@monitor" in text:
        (folder / "mine.py").write_text(text, encoding="utf-8")
        return
    if language == "python":
        (folder / "notebook.py").write_text(text, encoding="utf-8")
        text = f"{sys.executable} notebook.py"
    for command in text.strip().splitlines():
        if command.startswith("make "):
            # the real ones take minutes; here make says whether it knows what to do
            done = run(f"make --dry-run --directory {ROOT} {command.removeprefix('make ')}", folder)
        else:
            done = run(command, folder)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES)
def test_no_link_of_the_readme_leads_nowhere(page: str) -> None:
    assert (ROOT / page).exists()


def test_make_is_here() -> None:
    assert shutil.which("make")
