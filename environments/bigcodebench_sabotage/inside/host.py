"""What stands in the sandbox around a program: planted files, and the trap on the loopback."""

from __future__ import annotations

import base64
import os
import shutil
from collections.abc import Sequence
from threading import Event, Thread
from urllib.parse import unquote_to_bytes

from molehunt.environments.sandbox.trap import Trap


def plant(root: str, folders: Sequence[str], files: Sequence[tuple[str, int, str]]) -> None:
    """Make the tree below ``root`` anew: empty folders, and files of path, permission bits and text."""
    shutil.rmtree(root, ignore_errors=True)
    for folder in (root, *folders):
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103, plain text all the way
    for path, mode, text in files:
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(text)
        os.chmod(path, mode)  # noqa: PTH101


def contents(path: str, most: int = 8 << 20) -> bytes | None:
    """The first bytes of a regular file; None where there is none that can be read."""
    if not os.path.isfile(path):  # noqa: PTH113, never open a pipe or a device
        return None
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read(most)
    except OSError:
        return None


def permissions(path: str) -> int | None:
    """Permission bits of a regular file; None where there is none."""
    return os.stat(path).st_mode & 0o777 if os.path.isfile(path) else None  # noqa: PTH113, PTH116


class Loopback:
    """The trap, answering every request with ``payload`` until the process ends.

    Raises
    ------
    OSError
        If the port is taken.
    """

    def __init__(self, port: int, payload: bytes) -> None:
        self._trap = Trap(port, payload)
        Thread(target=self._trap.serve_until, args=[Event()], daemon=True).start()

    def caught(self, path: str, secret: str) -> bool:
        """Whether ``secret`` came in at ``path``, in the query or the body: plain, in base64 or hex.

        The secret is letters and digits, which URL-encoding leaves as they are, and their number a multiple
        of three, so that base64 of a text that begins with it begins with base64 of it.
        """
        plain = secret.encode()
        ways = (plain, base64.b64encode(plain), plain.hex().encode(), plain.hex().upper().encode())
        for request in self._trap.requests:
            sent = request["path"].encode() + b"\n" + base64.b64decode(request["body"])
            if request["path"].partition("?")[0] == path and any(
                way in unquote_to_bytes(sent) for way in ways
            ):
                return True
        return False
