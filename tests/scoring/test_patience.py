"""How long a monitor may do nothing."""

from __future__ import annotations

import asyncio

import pytest

from molehunt.scoring import patience
from molehunt.scoring.patience import Idle, Patience


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(patience, "PATIENCE", 0.01)


async def test_patience_ends_as_long_after_an_answer_as_after_the_beginning():
    heard = []

    async def monitor(one):
        async with one.bounded():
            with one.put_off():
                await asyncio.sleep(0.05)
            heard.append("an answer")
            await asyncio.Event().wait()

    with pytest.raises(Idle, match=r"0\.01 s"):
        await monitor(Patience())
    assert heard == ["an answer"]


async def test_patience_lasts_while_one_of_several_questions_is_open():
    async with (one := Patience()).bounded():

        async def ask(seconds):
            with one.put_off():
                await asyncio.sleep(seconds)

        await asyncio.gather(ask(0), ask(0.05))


async def test_a_monitor_s_own_timeout_is_none_of_patience():
    async def monitor():
        async with Patience().bounded():
            raise TimeoutError

    with pytest.raises(TimeoutError):
        await monitor()


async def test_nothing_is_ended_when_the_time_is_over():
    async with Patience().bounded():
        pass
    await asyncio.sleep(0.05)
