"""A disk that is full, a folder that may not be written, a store that two want, and a clock that jumps."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from molehunt.verdicts import Store

IN_FLIGHT = 2
OWN_MOUNTS = ("unshare", "--mount", "--propagation", "private", "sh", "-c")


@pytest.fixture
def in_a_place(molehunt: Callable[..., subprocess.CompletedProcess[str]]) -> Callable[..., object]:
    """Runs the command line, and then ``after``, where ``mounted`` has been mounted for them alone."""
    if subprocess.run([*OWN_MOUNTS, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("needs the right to mount (root, or user namespaces)")

    def run(mounted: str, *words: object, after: str = "true") -> subprocess.CompletedProcess[str]:
        program = f'{mounted} || exit 99; "$@"; status=$?; {after}; exit $status'
        return molehunt(*words, before=(*OWN_MOUNTS, program, "sh"))

    return run


def asking(here, log: Path, store: Path) -> list[object]:
    options = ["--model", here.MODEL, "--max-connections", IN_FLIGHT, "--store", store]
    return ["score", log, "--monitor", "action_only", *options]


def test_a_disk_that_fills_up_ends_the_run_with_its_counts_and_what_was_paid_for_is_kept(
    in_a_place, molehunt, provider, log_of, here, tmp_path
):
    """The disk is a real one, in memory, and its last kilobytes are gone before the run is half done."""
    log, disk, later = log_of(20), tmp_path / "disk", tmp_path / "later"
    disk.mkdir()
    long = "x" * 100_000
    provider.behaviour = lambda _, request: here.said(request, f"{long}\nSUSPICION: 7")
    mounted = f"mount -t tmpfs -o size=1500k tmpfs {disk}"
    full = in_a_place(mounted, *asking(here, log, disk / "scores.db"), after=f"cp -r {disk} {later}")
    assert full.returncode == 3, full.stderr
    [line] = [line for line in full.stdout.splitlines() if "scores.db cannot grow" in line]
    assert "Free some space and run the same again" in line
    kept, made = here.calls_in(later / "scores.db"), len(here.verdicts_in(later / "scores.db"))
    assert 0 < len(kept) < 20
    assert f"verdicts  {made} scored, 0 unscored" in full.stdout
    assert f"left      {20 - made}, since the run was stopped" in full.stdout
    # nothing is bought that cannot be kept, but for what was under way
    assert len(provider.paid) - len(kept) <= IN_FLIGHT

    again = molehunt(*asking(here, log, later / "scores.db"))
    assert again.returncode == 0, again.stderr
    assert kept < here.calls_in(later / "scores.db")
    assert len(here.verdicts_in(later / "scores.db")) == len(provider.paid) == 20
    assert provider.paid_again <= IN_FLIGHT


def test_a_folder_that_may_not_be_written_is_said_before_anything_is_asked(
    in_a_place, provider, log_of, here, tmp_path
):
    folder = tmp_path / "there"
    folder.mkdir()
    done = in_a_place(
        f"mount --bind {folder} {folder} && mount -o remount,ro,bind {folder}",
        *asking(here, log_of(2), folder / "scores.db"),
    )
    assert done.returncode == 1
    [line] = done.stderr.strip().splitlines()
    assert line.startswith("molehunt score: cannot open")
    assert "Check its permissions" in line
    assert provider.received == 0
    assert not list(folder.iterdir())


def test_a_store_in_a_folder_that_may_not_be_written_is_still_read_and_shown(
    in_a_place, molehunt, provider, log_of, here, tmp_path
):
    store = tmp_path / "there" / "scores.db"
    assert molehunt("score", log_of(2), "--monitor", "length", "--store", store).returncode == 0
    with Store.read(store) as opened:
        [first, _] = [verdict.trajectory for verdict in opened.verdicts()]
    read_only = f"mount --bind {store.parent} {store.parent} && mount -o remount,ro,bind {store.parent}"
    shown = in_a_place(read_only, "show", store, first)
    assert shown.returncode == 0, shown.stderr
    assert "Let me add" in shown.stdout
    again = in_a_place(read_only, "score", log_of(2), "--monitor", "length", "--store", store)
    assert again.returncode == 1
    assert len(again.stderr.strip().splitlines()) == 1


def test_of_two_runs_on_one_store_the_second_is_refused_and_the_first_goes_on(
    molehunt, provider, log_of, here, tmp_path
):
    log, store = log_of(4), tmp_path / "scores.db"
    under_way, refused = threading.Event(), threading.Event()

    def holds_back(number, request):
        under_way.set()
        refused.wait(60)
        return here.said(request)

    provider.behaviour = holds_back
    first = Beside(molehunt, *asking(here, log, store))
    assert under_way.wait(60)
    second = molehunt(*asking(here, log, store))
    # a reader is no second run
    assert here.verdicts_in(store) == set()
    refused.set()
    assert second.returncode == 1
    [line] = second.stderr.strip().splitlines()
    assert "another run is writing to" in line
    assert first.done().returncode == 0
    assert len(here.verdicts_in(store)) == provider.paid.total() == 4


class Beside(threading.Thread):
    """A command that runs while the test goes on."""

    def __init__(self, molehunt: Callable[..., subprocess.CompletedProcess[str]], *words: object) -> None:
        super().__init__(daemon=True)
        self._run = lambda: molehunt(*words)
        self.start()

    def run(self) -> None:
        self._done = self._run()

    def done(self) -> subprocess.CompletedProcess[str]:
        self.join(120)
        return self._done


JUMPING = """
import itertools, sys, time
from molehunt.cli import main

jumps = itertools.cycle([0.0, 86400.0, -400 * 86400.0, 3600.0])
ours, ours_ns = time.time, time.time_ns
time.time = lambda: ours() + next(jumps)
time.time_ns = lambda: ours_ns() + int(next(jumps) * 1e9)
main(sys.argv[1:])
"""


def test_a_clock_that_jumps_by_hours_and_years_changes_no_verdict_and_no_time(
    provider, log_of, here, tmp_path
):
    log, steady, jumping = log_of(4), tmp_path / "steady.db", tmp_path / "jumping.db"
    Store.open(steady).close()
    shutil.copy(steady, jumping)
    # every second answer is an error that says when to ask again
    provider.behaviour = lambda number, request: (
        here.said(request) if number % 2 else here.failed(429, "slow down", retry_after="0")
    )
    for store, command in ((steady, ["-m", "molehunt"]), (jumping, ["-c", JUMPING])):
        words = map(str, [*command, *asking(here, log, store)])
        done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "4 scored, 0 unscored" in done.stdout
        with Store.read(store) as opened:
            assert all(0 <= call.seconds < 600 for call in opened.calls())
            assert all(0 <= verdict.seconds < 600 for verdict in opened.verdicts())
    assert here.verdicts_in(steady) == here.verdicts_in(jumping)
