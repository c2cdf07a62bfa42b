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


def test_the_readme_keeps_its_word(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")  # a reader stands in a clone
    for language, text in BLOCKS:  # in one folder, since each command builds on those before it
        if language == "python" and "@monitor" in text:
            (tmp_path / "mine.py").write_text(text, encoding="utf-8")
            continue
        if language == "python":
            (tmp_path / "notebook.py").write_text(text, encoding="utf-8")
            text = f"{sys.executable} notebook.py"
        for command in text.strip().splitlines():
            # the real demo and tests take minutes; here make says whether it knows what to do
            typed = command.replace("make ", f"make --dry-run --directory {ROOT} ", 1)
            done = run(typed, tmp_path)
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
            cut = language == "python" and re.search(r"\.\.\.|…", done.stdout)
            assert not cut, f"a table is cut short:\n{done.stdout}"


@pytest.mark.parametrize("page", PAGES)
def test_no_link_of_the_readme_leads_nowhere(page: str) -> None:
    assert (ROOT / page).exists()


def test_make_is_here() -> None:
    assert shutil.which("make")
