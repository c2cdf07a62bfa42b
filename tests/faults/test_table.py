"""The table of faults names tests, and there are such tests."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def defined_in(file: Path) -> set[str]:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, functions)}


def test_every_row_names_a_test_and_every_test_is_there():
    rows = [line for line in (ROOT / "docs" / "faults.md").read_text().splitlines() if line.startswith("| ")]
    for row in rows[1:]:
        named = NAMED.findall(row)
        assert named, row
        for file, test in named:
            assert test in defined_in(ROOT / file), f"{file}::{test}"


def test_the_threats_that_are_called_defended_name_a_test_that_is_there():
    page = (ROOT / "docs" / "threat_model.md").read_text()
    named = NAMED.findall(page)
    assert named
    for file, test in named:
        assert test in defined_in(ROOT / file), f"{file}::{test}"
