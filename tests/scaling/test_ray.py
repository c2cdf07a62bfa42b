"""Scoring on a real Ray cluster of two nodes, one of which is killed in the middle."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from molehunt.verdicts import Store

MINE = '''
from molehunt.monitors import monitor
from molehunt.verdicts import Verdict

@monitor(source="floor")
def short(most: int = 1000):
    """Whether the run has few steps."""
    async def score(trajectory, ask):
        return Verdict(float(len(trajectory.steps) <= most))
    return score
'''

RUNS, AT_FIRST, IN_FLIGHT = 30, 4, 6
LOST = "a worker was lost, and another takes up where it stopped"


class TwoNodes:
    """A cluster on this machine: a head without work, and two nodes with room for one worker each."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        # a node that is gone is to be missed within seconds, and nothing leaves this machine
        soon = {
            "health_check_initial_delay_ms": 0,
            "health_check_period_ms": 500,
            "health_check_timeout_ms": 2000,
            "health_check_failure_threshold": 3,
        }
        here = {"node_ip_address": "127.0.0.1", "include_dashboard": False}
        self._cluster = Cluster(True, head_node_args={"num_cpus": 0, "_system_config": soon, **here})
        self._nodes = [self._cluster.add_node(num_cpus=1, **here) for _ in range(2)]
        self.address: str = self._cluster.address

    def kill_one(self) -> None:
        self._cluster.remove_node(self._nodes.pop(), allow_graceful=False)

    def shutdown(self) -> None:
        self._cluster.shutdown()


@pytest.fixture
def cluster(provider: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[TwoNodes]:
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    # so named for what it was made for: without it Ray takes the machine's own address for 127.0.0.1
    monkeypatch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    pytest.importorskip("ray", reason="needs Ray, which is not installed: pip install 'molehunt[ray]'")
    nodes = TwoNodes()
    yield nodes
    nodes.shutdown()


def molehunt(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "molehunt", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=dict(os.environ),
    )


def until(words: str, running: subprocess.Popen[str], seconds: float = 200) -> str:
    """What a process says until it has said ``words``; it is killed if it does not."""
    assert running.stdout is not None
    said = ""
    end = threading.Timer(seconds, running.kill)
    end.start()
    try:
        for line in running.stdout:
            said += line
            if words in line:
                break
    finally:
        end.cancel()
    return said


# two nodes, a driver and their workers start: more than the ordinary tests may take of a small machine
@pytest.mark.slow
def test_a_node_is_killed_and_nothing_is_lost_doubled_or_paid_twice_but_what_was_in_flight(
    cluster: TwoNodes, provider: Any, log_of: Callable[[int], Path], tmp_path: Path
) -> None:
    mine, store = tmp_path / "mine.py", tmp_path / "scores.db"
    mine.write_text(MINE)
    model = f"{{model: openai/gpt-4.1-mini, base_url: '{provider.url}'}}"
    command = ["score", str(log_of(RUNS)), "--monitor", "action_only", "--monitor", f"{mine}@short"]
    command += [
        "--store",
        str(store),
        "--model",
        model,
        "--max-usd",
        "1",
        "--max-connections",
        str(IN_FLIGHT),
    ]
    command += ["--runner", "ray", "--ray-address", cluster.address]
    provider.answers_only(AT_FIRST)
    running = molehunt(*command)
    # both workers are waiting for as many answers as they may
    provider.wait_for(AT_FIRST + IN_FLIGHT)
    cluster.kill_one()
    # answered sooner, a worker whose node has died could come to its end before anybody misses it
    before = until(LOST, running)
    provider.answers_all()
    said = before + running.communicate(timeout=300)[0]
    assert running.returncode == 0, said
    assert LOST in said

    with Store.read(store) as opened:
        verdicts = list(opened.verdicts())
        assert len({(one.trajectory, one.monitor, one.draw) for one in verdicts}) == len(verdicts) == 2 * RUNS
        assert {one.status for one in verdicts} == {"scored"}
        assert len(list(opened.calls())) == len(list(opened.verdict_calls())) == RUNS
    assert len(provider.asked) == RUNS
    twice = provider.asked.total() - RUNS
    assert 0 < twice <= IN_FLIGHT // 2

    # the same command on this machine alone has nothing left to do
    again = molehunt(*command[:-4])
    said, _ = again.communicate(timeout=120)
    assert again.returncode == 0
    assert f"{2 * RUNS} in the store before" in said
    assert provider.asked.total() == RUNS + twice
