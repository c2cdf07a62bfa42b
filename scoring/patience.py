"""How long a monitor may do nothing before it is given up: one that hangs costs its own verdict only."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

PATIENCE = 900.0
"""Seconds, as many as a call may take."""


class Idle(Exception):
    """A monitor has neither returned nor asked anything for too long."""


class Patience:
    """Ends what is done within `bounded` when nothing has been asked for `PATIENCE` seconds.

    Time in which a model is asked does not count: calls have limits of their own. A monitor that never waits,
    such as an endless loop, is out of reach, and so is all else in its process: Ctrl-C twice ends it.

    Examples
    --------
    >>> async def example():
    ...     patience = Patience()
    ...     async with patience.bounded():
    ...         with patience.put_off():
    ...             await asyncio.sleep(0)
    ...         return "in time"
    >>> asyncio.run(example())
    'in time'
    """

    def __init__(self) -> None:
        self._asking = 0
        # when the monitor last began or had an answer, in the loop's time
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @asynccontextmanager
    async def bounded(self) -> AsyncIterator[None]:
        """The time of one verdict.

        Raises
        ------
        Idle
            If it was ended.
        """
        timeout = asyncio.timeout(None)
        try:
            async with timeout:
                self._since = asyncio.get_running_loop().time()
                self._watch(timeout)
                yield
        except TimeoutError:
            if timeout.expired():
                raise Idle(f"the monitor has neither returned nor asked for {PATIENCE:g} s") from None
            raise
        finally:
            if self._timer is not None:
                self._timer.cancel()

    @contextmanager
    def put_off(self) -> Iterator[None]:
        """The time in which a model is asked."""
        self._asking += 1
        try:
            yield
        finally:
            self._asking -= 1
            self._since = asyncio.get_running_loop().time()

    def _watch(self, timeout: asyncio.Timeout) -> None:
        # one timer a verdict that looks now and then, since to set one anew for each question takes longer
        loop = asyncio.get_running_loop()
        now = loop.time()
        over = PATIENCE + (now if self._asking else self._since)
        if over <= now:
            timeout.reschedule(now)
        else:
            self._timer = loop.call_at(over, self._watch, timeout)
