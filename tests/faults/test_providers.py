"""Providers that are down, overrun, silent, cut off, somebody else or boundless: what it costs and whom."""

from __future__ import annotations

import asyncio
import re
import time
from typing import Any

import pytest

from molehunt.verdicts import Store


def by_trajectory(number_of, troubled, trouble, well):
    """A behaviour: ``trouble`` for requests that hold ``a + b + N`` for a troubled N, else ``well``."""

    def behaviour(number: int, request: dict[str, Any]) -> Any:
        return trouble(number, request) if number_of(request) in troubled else well(request)

    return behaviour


def number_of(request: dict[str, Any]) -> int:
    """Which of the runs of the log a request is about."""
    # what is said, what is coded, or both, as the monitor's view has it
    found = re.search(r"(?:Let me add|a \+ b \+) (\d+)", str(request["messages"]))
    assert found
    return int(found[1])


@pytest.mark.parametrize(
    ("status", "headers"),
    [(503, {}), (500, {}), (429, {"retry_after": "1"}), (529, {})],
    ids=["unavailable", "broken", "too many requests", "overloaded"],
)
async def test_a_provider_that_is_down_for_minutes_is_waited_for(
    status, headers, provider, log_of, here, tmp_path, monkeypatch
):
    """The clock is a false one: whoever waits is told at once that the time is over."""
    clock = Clock(monkeypatch)
    provider.behaviour = lambda _, request: (
        here.said(request) if clock.passed > 180 else here.failed(status, "come back later", **headers)
    )
    from molehunt.scoring import score_async

    store = tmp_path / "scores.db"
    outcome = await score_async(log_of(4), here.MONITORS, model=here.MODEL, store=store)
    assert clock.passed > 180
    assert (outcome.counts, outcome.exit_status) == ({"scored": 20}, 0)
    assert provider.paid_again == 0
    with Store.read(store) as opened:
        assert max(call.retries for call in opened.calls()) > 0


class Clock:
    """Time that passes only by being waited for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.passed = 0.0
        really_sleeps, really = asyncio.sleep, time.monotonic

        async def sleeps(seconds: float, result: Any = None) -> Any:
            self.passed += max(0.0, seconds)
            return await really_sleeps(0, result)

        monkeypatch.setattr(asyncio, "sleep", sleeps)
        monkeypatch.setattr("anyio.sleep", sleeps)
        monkeypatch.setattr(time, "monotonic", lambda: really() + self.passed)


async def test_a_provider_that_stays_down_fails_its_verdicts_and_the_next_run_makes_them(
    scored, provider, log_of, here
):
    provider.behaviour = lambda *_: here.failed(503)
    down = await scored(log_of(3), here.MONITORS, max_retries=0)
    assert (down.outcome.counts, down.outcome.exit_status) == ({"failed": 12, "scored": 3}, 3)
    assert (down.calls, provider.paid.total()) == ([], 0)
    provider.behaviour = lambda _, request: here.said(request)
    up = await scored(log_of(3), here.MONITORS)
    assert (up.outcome.counts, up.outcome.already, up.outcome.exit_status) == ({"scored": 12}, 3, 0)
    assert len(up.verdicts) == 15
    assert len(up.calls) == provider.paid.total() == 9


async def test_where_nothing_could_be_judged_the_exit_status_is_one(scored, provider, log_of, here):
    provider.behaviour = lambda *_: here.failed(503)
    down = await scored(log_of(3), max_retries=0)
    assert (down.outcome.counts, down.outcome.exit_status) == ({"failed": 3}, 1)


async def test_a_storm_of_429_is_weathered_and_no_answer_is_paid_for_twice(scored, provider, log_of, here):
    """Three of four requests are turned away."""
    provider.behaviour = lambda number, request: (
        here.failed(429, "slow down", retry_after_ms="1") if number % 4 else here.said(request)
    )
    run = await scored(log_of(30), here.MONITORS, max_retries=50)
    assert (run.outcome.counts, run.outcome.exit_status) == ({"scored": 150}, 0)
    assert len(run.calls) == provider.paid.total() == 90
    assert provider.received >= 4 * 90 - 3


async def test_connections_that_hang_cost_their_verdicts_and_the_others_are_made(
    scored, provider, log_of, here
):
    hang = here.Answer(silent=True)
    provider.behaviour = by_trajectory(number_of, {2, 5}, lambda *_: hang, here.said)
    run = await scored(log_of(8), here.MONITORS, attempt_timeout=1, max_retries=0)
    assert run.outcome.exit_status == 3
    # of five verdicts on each of the two, the floor's needs no provider
    assert run.outcome.counts == {"scored": 32, "failed": 8}
    assert len(run.calls) == provider.paid.total() == 18
    provider.behaviour = lambda _, request: here.said(request)
    again = await scored(log_of(8), here.MONITORS)
    assert (again.outcome.counts, again.outcome.already) == ({"scored": 8}, 32)
    assert provider.paid_again == 0


@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
@pytest.mark.parametrize("cut", [0, 1, 200])
@pytest.mark.parametrize("chunked", [False, True], ids=["counted", "chunked"])
async def test_a_stream_that_ends_too_soon_is_asked_for_again(
    cut, reset, chunked, scored, provider, log_of, here
):
    def once_cut(number: int, request: dict[str, Any]) -> Any:
        whole = here.said(request)
        if number > 1:
            return whole
        headers = {"transfer-encoding": "chunked"} if chunked else {}
        body = b"fff\r\n" + b'{"id": "chatcmpl-1", ' * 20 if chunked else whole.body
        return here.Answer(body, headers=headers, cut=cut, reset=reset)

    provider.behaviour = once_cut
    run = await scored(log_of(2), max_connections=1)
    assert (run.outcome.counts, run.outcome.exit_status) == ({"scored": 2}, 0)
    assert len(run.calls) == provider.paid.total() == 2
    assert provider.received == 3


async def test_streams_that_always_end_too_soon_cost_their_verdicts_only(scored, provider, log_of, here):
    provider.behaviour = by_trajectory(
        number_of, {1}, lambda _, request: here.Answer(here.said(request).body, cut=200), here.said
    )
    run = await scored(log_of(3), max_retries=0)
    assert (run.outcome.counts, run.outcome.exit_status) == ({"scored": 2, "failed": 1}, 3)
    assert len(run.calls) == 2


async def test_another_model_that_answers_now_and_then_is_never_scored(scored, provider, log_of, here):
    provider.behaviour = by_trajectory(
        number_of, {0, 3}, lambda _, request: here.said(request, model="something-cheaper"), here.said
    )
    run = await scored(log_of(4), here.MONITORS)
    assert (run.outcome.counts, run.outcome.exit_status) == ({"scored": 12, "failed": 8}, 3)
    # its answers were paid for, so they stand in the bill
    assert len(run.calls) == provider.paid.total() == 12
    assert all("something-cheaper answered" in v.rationale for v in run.verdicts if v.status == "failed")


LONG = 10_000_000


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("x" * LONG + "\nSUSPICION: 7", "scored"),
        ("SUSPICION: 7\n" * (LONG // 13) + "SUSPICION: 7", "scored"),
        ("SUSPICION: 7\n" * (LONG // 13) + "SUSPICION: 8", "unreadable"),
        ("SUSPICION: 7\n" + "x" * LONG, "unreadable"),
        ("**" * (LONG // 2), "unreadable"),
        ("\x00\u202e" * (LONG // 4), "unreadable"),
        ("\n" * LONG, "unreadable"),
    ],
    ids=["reasons", "verdicts", "verdicts that differ", "a late end", "stars", "controls", "lines"],
)
async def test_an_answer_of_ten_megabytes_is_read_and_kept(text, status, scored, provider, log_of, here):
    provider.behaviour = by_trajectory(number_of, {0}, lambda _, request: here.said(request, text), here.said)
    run = await scored(log_of(2), attempt_timeout=60)
    verdicts = sorted(verdict.status for verdict in run.verdicts)
    assert verdicts == sorted(["scored", status])
    assert run.outcome.exit_status == 0
    assert len(run.calls) == provider.paid.total()
    assert sum(len(call.reply) for call in run.calls) > LONG
    assert (await scored(log_of(2))).outcome.already == 2
