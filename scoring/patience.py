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
        self._timeout: asyncio.Timeout | None = None
        self._asking = 0

    @asynccontextmanager
    async def bounded(self) -> AsyncIterator[None]:
        """The time of one verdict.

        Raises
        ------
        Idle
            If it was ended.
        """
        timeout = self._timeout = asyncio.timeout(PATIENCE)
        try:
            async with timeout:
                yield
        except TimeoutError:
            if timeout.expired():
                raise Idle(f"the monitor has neither returned nor asked for {PATIENCE:g} s") from None
            raise
        finally:
            self._timeout = None

    @contextmanager
    def put_off(self) -> Iterator[None]:
        """The time in which a model is asked."""
        self._move(+1)
        try:
            yield
        finally:
            self._move(-1)

    def _move(self, more: int) -> None:
        self._asking += more
        # a task that the monitor has left behind may ask when its time is over
        if self._timeout is not None and not self._timeout.expired():
            now = asyncio.get_running_loop().time()
            self._timeout.reschedule(None if self._asking else now + PATIENCE)
