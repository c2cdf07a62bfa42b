"""A process that is killed in the middle of scoring loses nothing that it paid for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from molehunt.scoring import score
from molehunt.verdicts import Store

MONITORS = ["action_only", "cot_action", "hybrid", "eae", "length"]
RETURNED = 9

CHILD = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("fakemonitor_provider", sys.argv[1])
module = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = module
spec.loader.exec_module(module)
from molehunt.scoring import score
log, store, at_a_time, *monitors = sys.argv[2:]
score(log, monitors, store=store, model="fakemonitor/judge", max_connections=int(at_a_time))
"""


@pytest.mark.parametrize("at_a_time", [1, 4])
def test_killed_and_run_again_it_ends_where_an_undisturbed_run_ends(log_of, tmp_path, sent, at_a_time):
    log, store, undisturbed = log_of(6), tmp_path / "scores.db", tmp_path / "undisturbed.db"
    assert score_until_killed(log, store, at_a_time) == -signal.SIGKILL
    kept, boundary = call_keys_in(store), boundary_in(store)
    assert 0 < len(verdicts_in(store)) < 30
    # one at a time, each call that returned was stored before the next was sent
    assert len(kept) == RETURNED or at_a_time > 1

    resumed = score(log, MONITORS, store=store, model="fakemonitor/judge", max_connections=at_a_time)
    assert resumed.exit_status == 0
    assert len(sent) == resumed.calls == len(call_keys_in(store)) - len(kept)

    with Store.open(undisturbed) as fresh:
        # the boundary is random in each store, and with it what the fake answers
        fresh._connection.execute("UPDATE secrets SET boundary_key = ?", [boundary])
    score(log, MONITORS, store=undisturbed, model="fakemonitor/judge", max_connections=at_a_time)
    assert verdicts_in(store) == verdicts_in(undisturbed)
    assert call_keys_in(store) == call_keys_in(undisturbed)


def score_until_killed(log: Path, store: Path, at_a_time: int) -> int:
    provider = Path(__file__).with_name("conftest.py")
    child = subprocess.run(
        [sys.executable, "-c", CHILD, str(provider), str(log), str(store), str(at_a_time), *MONITORS],
        env={**os.environ, "FAKEMONITOR_KILLED_AFTER": str(RETURNED)},
        capture_output=True,
        check=False,
    )
    return child.returncode


def verdicts_in(file: Path) -> set[tuple[object, ...]]:
    with Store.read(file) as store:
        return {(v.monitor, v.trajectory, v.draw, v.score, v.status, v.rationale) for v in store.verdicts()}


def call_keys_in(file: Path) -> set[str]:
    with Store.read(file) as store:
        return {call.key for call in store.calls()}


def boundary_in(file: Path) -> bytes:
    with Store.read(file) as store:
        return store.boundary_key
