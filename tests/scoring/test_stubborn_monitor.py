"""A monitor that never waits: ours work aside and hear Ctrl-C at once; others' are hit by a second one."""

from __future__ import annotations

import gc
import logging
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from molehunt.scoring import score
from molehunt.trajectories import render
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


def test_an_interrupt_that_only_the_monitor_hears_ends_the_run_as_well(log_of, tmp_path, monkeypatch, caplog):
    file = tmp_path / "hit.py"
    file.write_text(BUSY.replace("signal.raise_signal(signal.SIGINT)", "raise KeyboardInterrupt"))
    monkeypatch.setenv("STUBBORN", "1")
    with caplog.at_level(logging.ERROR, "asyncio"):
        try:
            score(log_of(3), ["length", f"{file}@busy"], store=tmp_path / "scores.db", max_connections=1)
        except KeyboardInterrupt as interrupt:
            heard = str(type(interrupt))
        gc.collect()  # which is when asyncio complains of what nobody asked for
    assert "KeyboardInterrupt" in heard
    assert not caplog.records
    with Store.read(tmp_path / "scores.db") as opened:
        assert len(list(opened.verdicts())) == 1


def test_ctrl_c_is_heard_while_a_floor_is_at_work(log_of, tmp_path, monkeypatch):
    over = threading.Event()

    def slow(*about):
        signal.raise_signal(signal.SIGINT)
        # if the loop waited for this, it would hear of the interrupt when there is a verdict already
        over.wait(5)
        return render(*about)

    monkeypatch.setattr("molehunt.monitors.floors.render", slow)
    try:
        with pytest.raises(KeyboardInterrupt):
            score(log_of(3), "length", store=tmp_path / "scores.db", max_connections=1)
    finally:
        over.set()
    with Store.read(tmp_path / "scores.db") as store:
        assert not list(store.verdicts())


def test_ctrl_c_is_heard_where_inspect_has_replaced_how_asyncio_runs():
    program = (
        "import nest_asyncio2, pytest, sys\n"
        "nest_asyncio2.apply()\n"
        f"here = {str(Path(__file__).parent)!r}\n"
        "files = [f'{here}/test_score_command.py', f'{here}/test_stubborn_monitor.py']\n"
        "words = ['-q', '-p', 'no:cacheprovider', '-k', 'ctrl_c_keeps or only_the_monitor']\n"
        "sys.exit(pytest.main([*files, *words]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[2],
        input="",
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout
