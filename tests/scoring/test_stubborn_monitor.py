"""A monitor that never waits holds up the loop; a second Ctrl-C hits it, and ends the run like the first."""

from __future__ import annotations

import logging

import pytest

from molehunt.scoring import score
from molehunt.verdicts import Store

BUSY = '''
import os, signal
from molehunt.monitors import monitor
from molehunt.verdicts import Verdict

@monitor(source="floor")
def busy():
    """Hears nothing."""
    async def score(trajectory, ask):
        if os.environ.get("STUBBORN"):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        return Verdict(0.5)
    return score
'''


@pytest.fixture
def busy(tmp_path):
    file = tmp_path / "busy.py"
    file.write_text(BUSY)
    return f"{file}@busy"


def test_two_interrupts_end_the_run_without_a_traceback_and_the_next_one_goes_on(
    busy, log_of, tmp_path, monkeypatch, caplog
):
    store = tmp_path / "scores.db"
    monkeypatch.setenv("STUBBORN", "1")
    with caplog.at_level(logging.ERROR, "asyncio"), pytest.raises(KeyboardInterrupt):
        score(log_of(3), ["length", busy], store=store, max_connections=1)
    assert not caplog.records
    with Store.read(store) as opened:
        assert len(list(opened.verdicts())) == 1
    monkeypatch.delenv("STUBBORN")
    assert score(log_of(3), ["length", busy], store=store).already == 1
