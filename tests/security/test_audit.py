"""The audit of dependencies says what it found, and says in a line when it could not look."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

AUDIT = Path(__file__).resolve().parents[2] / ".ci" / "audit"

FALSE_SERVICE = """
import json, sys
answer = {answer!r}
if answer is None:
    print("ConnectionError: nobody is there", file=sys.stderr)
    sys.exit(1)
print(json.dumps({{"dependencies": answer, "fixes": []}}))
sys.exit(any(package.get("vulns") for package in answer))
"""


@pytest.fixture
def audited(tmp_path):
    """Runs the audit with a pip-audit that gives a known answer; None for no answer."""

    def run(answer: list[dict[str, object]] | None) -> subprocess.CompletedProcess[str]:
        (tmp_path / "pip_audit.py").write_text(FALSE_SERVICE.format(answer=answer))
        return subprocess.run(
            [sys.executable, str(AUDIT)],
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


CLEAN = {"name": "click", "version": "8.1", "vulns": []}
UNKNOWN = {"name": "numpy", "skip_reason": "not found on PyPI"}


def test_a_service_that_cannot_be_reached_is_a_line_and_no_failure(audited):
    done = audited(None)
    assert done.returncode == 0
    assert done.stdout == "audit: skipped, the service cannot be asked: ConnectionError: nobody is there\n"


def test_a_service_that_knows_no_package_has_audited_nothing(audited):
    done = audited([UNKNOWN, UNKNOWN])
    assert done.returncode == 0
    assert done.stdout.startswith("audit: skipped, the service knows none of 2 packages")


def test_a_vulnerability_is_named_and_fails_the_build(audited):
    bad = {"name": "jinja2", "version": "3.1", "vulns": [{"id": "CVE-2099-1", "fix_versions": ["3.2"]}]}
    done = audited([CLEAN, bad, UNKNOWN])
    assert done.returncode == 1
    assert "audit: jinja2 3.1: CVE-2099-1, mended in 3.2\n" in done.stdout
    assert "1 known vulnerabilities in 2 of 3 packages" in done.stdout


def test_packages_without_any_pass(audited):
    assert audited([CLEAN]).returncode == 0
