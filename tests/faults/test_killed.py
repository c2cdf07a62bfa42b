"""A run of `molehunt score` that is killed over and over ends where an undisturbed one ends."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from molehunt.verdicts import Store

KILLS = 20
IN_FLIGHT = 4

# Importing takes seconds and asks nothing, so it is done once: each life is a process forked from this one.
BREEDER = """
import json, os, sys
import molehunt.commands.score, molehunt.scoring.api, molehunt.trajectories.formats
from inspect_ai.model import get_model
from molehunt.cli import main
get_model("openai/gpt-4.1-mini", memoize=False)
for line in sys.stdin:
    if (life := os.fork()) == 0:
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        main(json.loads(line))
    print(life, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(life, 0)[1]), flush=True)
"""


class Breeder:
    """Starts lives of the command line, one after the other."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def start(self, *words: object) -> int:
        """The process id of a new life."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([str(word) for word in words]) + "\n")
        self._process.stdin.flush()
        return self._line()

    def end(self) -> int:
        """The exit status of the life, when it has ended; minus the signal if one ended it."""
        return self._line()

    def _line(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())


@contextmanager
def breeding() -> Iterator[Breeder]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", BREEDER], **pipes) as process:  # type: ignore[call-overload]
        try:
            yield Breeder(process)
        finally:
            process.kill()


class Starter:
    """The same with a whole new process each time, as a user starts one."""

    def start(self, *words: object) -> int:
        command = [sys.executable, "-m", "molehunt", *map(str, words)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        return self._process.pid

    def end(self) -> int:
        return self._process.wait()


@contextmanager
def starting() -> Iterator[Starter]:
    yield Starter()


@pytest.mark.parametrize(
    "lives", [breeding, pytest.param(starting, marks=pytest.mark.slow)], ids=["forked", "started"]
)
def test_killed_at_twenty_random_moments_it_ends_where_an_undisturbed_run_ends(
    lives, provider, log_of, here, tmp_path
):
    log, store, undisturbed = log_of(30), tmp_path / "scores.db", tmp_path / "undisturbed.db"
    Store.open(store).close()
    shutil.copy(store, undisturbed)  # and with it the boundary that all prompts bear
    chance = random.Random(os.environ.get("MOLEHUNT_CHANCE", "mole"))

    def words(file: Path) -> list[object]:
        monitors = [word for name in here.MONITORS for word in ("--monitor", name)]
        return [
            "score",
            log,
            *monitors,
            "--model",
            here.MODEL,
            "--max-connections",
            IN_FLIGHT,
            "--store",
            file,
        ]

    kept: set[str] = set()
    judged: set[tuple[object, ...]] = set()
    killed = 0
    with lives() as life:
        while killed < KILLS:
            moment = Moment(chance, provider.received)
            provider.seen = moment.tell
            victim = life.start(*words(store))
            threading.Thread(target=moment.kill, args=[victim], daemon=True).start()
            status = life.end()
            moment.over.set()
            assert status in (0, -signal.SIGKILL)
            killed += status != 0
            # nothing that was there is gone, or is another than it was
            assert kept <= (kept := here.calls_in(store))
            assert judged <= (judged := here.verdicts_in(store))
            if status == 0:
                break
        provider.seen = lambda number, when: None
        life.start(*words(store))
        assert life.end() == 0
        paid_again = provider.paid_again
        asked = set(provider.paid)

        life.start(*words(undisturbed))
        assert life.end() == 0
    assert killed > KILLS // 2
    assert here.verdicts_in(store) == here.verdicts_in(undisturbed)
    assert here.calls_in(store) == here.calls_in(undisturbed)
    assert len(asked) == len(here.calls_in(store)) == 90
    # what was under way when it was killed is asked again, and nothing else
    assert paid_again <= killed * IN_FLIGHT


class Moment:
    """When a life is to end: so many requests from now, before or after the answer, and a little later."""

    def __init__(self, chance: random.Random, received: int) -> None:
        self._number = received + chance.randint(1, 6)
        self._when = chance.choice(["before", "after"])
        self._later = chance.random() * 0.02
        self._come = threading.Event()
        self.over = threading.Event()

    def tell(self, number: int, when: str) -> None:
        if number >= self._number and when == self._when:
            self._come.set()

    def kill(self, victim: int) -> None:
        self._come.wait(60)
        if not self.over.wait(self._later):
            os.kill(victim, signal.SIGKILL)
