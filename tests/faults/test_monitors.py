"""Monitors that raise, hang, return nonsense or cannot be imported cost their own verdicts and no more."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest

from molehunt.monitors import monitor
from molehunt.scoring import patience
from molehunt.verdicts import Excerpt, Look, Verdict


@monitor()
def raises():
    """Makes a mistake."""

    async def score(trajectory, ask):
        raise ZeroDivisionError("a mistake in a monitor")

    return score


@monitor()
def hangs():
    """Waits for what never comes, and asks nobody."""

    async def score(trajectory, ask):
        await asyncio.Event().wait()

    return score


@monitor()
def returns(what="a number"):
    """Something that is no verdict, or one that cannot be."""

    async def score(trajectory, ask):
        return NONSENSE[what]()

    return score


@monitor()
def at_once():
    """Needs no time."""

    async def score(trajectory, ask):
        return Verdict(0.5)

    return score


def cancelled():
    """What a monitor meets that waits for a task of its own which was cancelled."""
    raise asyncio.CancelledError


NONSENSE = {
    "a number": lambda: 0.7,
    "nothing": lambda: None,
    "the class": lambda: Verdict,
    "a score of two": lambda: Verdict(2.0),
    "no number": lambda: Verdict(float("nan")),
    "a score and a status": lambda: Verdict(0.5, status="failed"),
    "text for a score": lambda: Verdict("high"),
    "no text for a reason": lambda: Verdict(0.5, rationale=["high"]),
    "no excerpts": lambda: Verdict(0.5, excerpts=("rm -rf",)),
    "excerpts of nothing": lambda: Verdict(0.5, excerpts=(Excerpt(None, "not_found"),)),
    "looks at nothing": lambda: Verdict(0.5, trace=(None,)),
    "looks that are no numbers": lambda: Verdict(0.5, trace=(Look(1, float("nan"), "scored"),)),
    "a cancellation": cancelled,
    "a number of NumPy's": lambda: Verdict(np.float32(0.25)),
}


@pytest.mark.parametrize("what", [name for name in NONSENSE if "NumPy" not in name])
async def test_nonsense_from_a_monitor_is_a_failed_verdict_and_the_others_are_made(what, scored, log_of):
    done = await scored(log_of(3), [returns(what), "length"])
    assert (done.outcome.counts, done.outcome.exit_status) == ({"failed": 3, "scored": 3}, 3)
    assert all(verdict.score is None for verdict in done.verdicts if verdict.status == "failed")


async def test_a_monitor_that_raises_is_a_failed_verdict_that_says_where(scored, log_of):
    done = await scored(log_of(3), [raises(), "length"])
    assert (done.outcome.counts, done.outcome.exit_status) == ({"failed": 3, "scored": 3}, 3)
    [reason] = done.outcome.failures
    assert "ZeroDivisionError: a mistake in a monitor (test_monitors.py:" in reason


async def test_monitors_that_all_raise_are_exit_status_one(scored, log_of):
    assert (await scored(log_of(3), [raises()])).outcome.exit_status == 1


async def test_a_monitor_that_hangs_is_given_up_and_the_others_are_made(scored, log_of, monkeypatch):
    monkeypatch.setattr(patience, "PATIENCE", 0.01)
    done = await scored(log_of(6), [hangs(), at_once()], max_connections=2)
    assert (done.outcome.counts, done.outcome.exit_status) == ({"failed": 6, "scored": 6}, 3)
    [reason] = done.outcome.failures
    assert "neither returned nor asked for 0.01 s" in reason


async def test_waiting_for_a_model_is_not_hanging(scored, log_of, provider, here, monkeypatch):
    """The answer comes only when the time of a monitor that asks nobody would be over."""
    monkeypatch.setattr(patience, "PATIENCE", 0.01)
    late = threading.Event()

    def answers_late(number, request):
        late.wait(0.1)
        return here.said(request)

    provider.behaviour = answers_late
    assert (await scored(log_of(2), ["cot_action"])).outcome.counts == {"scored": 2}


async def test_a_score_that_is_a_number_of_numpys_is_kept_as_a_number(scored, log_of):
    [verdict] = (await scored(log_of(1), [returns("a number of NumPy's")])).verdicts
    assert verdict.score == 0.25


BROKEN = {
    "a mistake in it": "import no_such_module_anywhere",
    "no Python": "def (:",
    "one that ends the process": "raise SystemExit(0)",
    "one that needs no monitor": "x = 1",
    "control characters": "raise ValueError('\\x1b[31m\\u202e' + 'x' * 5000)",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_file_that_cannot_be_imported_is_one_line_before_anything_is_asked(
    text, molehunt, log_of, provider, here, tmp_path
):
    (tmp_path / "mine.py").write_text(text)
    store = tmp_path / "scores.db"
    monitors = ["--monitor", "mine.py@mine", "--monitor", "action_only"]
    done = molehunt("score", log_of(2), *monitors, "--model", here.MODEL, "--store", store)
    assert done.returncode == 1
    [line] = done.stderr.strip().splitlines()
    assert "mine.py" in line
    assert line.isprintable()
    assert provider.received == 0
    assert not store.exists()
