"""One writer a store: a lock that the kernel lets go of when its process ends, however it ends."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from molehunt.trajectories import Problem


class WriterLock:
    """Holds ``STORE-lock``, a file beside the store, from construction until `release`.

    It is not the store itself that is locked: closing any descriptor of an SQLite file drops the locks that
    SQLite holds on it in the same process, and on network file systems the two kinds of lock collide.

    Raises
    ------
    Problem
        If another writer holds it.
    """

    def __init__(self, store: Path) -> None:
        self._path = store.with_name(store.name + "-lock")
        while True:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                raise Problem(
                    f"another run is writing to {store}. Wait for it to end, or give another file."
                ) from None
            # its last holder may have removed the file between the two lines above
            if self._is_still(descriptor):
                self._descriptor = descriptor
                return
            os.close(descriptor)

    def release(self) -> None:
        """Let go and remove the file."""
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)

    def _is_still(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), self._path.stat())
        except FileNotFoundError:
            return False
