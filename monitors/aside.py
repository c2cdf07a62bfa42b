"""Work that asks no model and takes long on a long run, done where it holds up nobody."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar

T = TypeVar("T")

_LIMITER = RunVar[CapacityLimiter]("_LIMITER")
"""Of each event loop: one that died in the middle of something keeps no other one waiting."""


async def aside(work: Callable[[], T]) -> T:
    """What ``work`` returns, done in a thread: meanwhile calls of others come home, and Ctrl-C is heard.

    One piece of work is done at a time, since more would only take more memory. Cancelled, it does not wait
    for the thread, which ends by itself and to no effect.

    Examples
    --------
    >>> import asyncio
    >>> asyncio.run(aside(lambda: 6 * 7))
    42
    """
    try:
        limiter = _LIMITER.get()
    except LookupError:
        _LIMITER.set(limiter := CapacityLimiter(1))
    return await to_thread.run_sync(work, abandon_on_cancel=True, limiter=limiter)
