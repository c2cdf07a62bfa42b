"""Files that are there when they are whole, or not at all."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from molehunt.trajectories.problem import Problem


def _process_table() -> str:
    """Tells the processes among which a number means one: containers share names of machines and numbers."""
    told = [platform.node()]
    with suppress(OSError):  # elsewhere than on Linux there is neither, and no container
        told.append(Path("/proc/sys/kernel/random/boot_id").read_text("ascii"))
        told.append(str(Path("/proc/self/ns/pid").readlink()))
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]


_TABLE = _process_table()
_LONGEST = 150
"""Bytes of a hidden name that are those of the file's, whose own name may be as long as a name can be."""


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A hidden name beside ``path`` to write to, which takes its place when all is written.

    What was at ``path`` stays until then, and for good if nothing was written or writing failed. The hidden
    name ends as ``path`` does, for writers that tell a format by it, and no two are alike. It also names the
    process, and the machine or container since it was started: what was left by a process that was killed is
    removed by the next one there that writes to ``path``; nobody else can be sure that it is dead.

    Raises
    ------
    Problem
        If it cannot be written there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole(Path(folder, "new", "a.txt")) as part:
    ...         _ = part.write_text("all of it")
    ...     Path(folder, "new", "a.txt").read_text()
    'all of it'
    """
    part = path.with_name(f".{_TABLE}-{os.getpid()}-{secrets.token_hex(8)}-{_ending(path)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_left_over(path)
        yield part
        if part.exists():
            with part.open("rb+") as file:
                os.fsync(file.fileno())
            part.replace(path)
    except OSError as error:
        # what else was read or written meanwhile speaks for itself; Inspect has hidden names of its own
        at_fault = part if error.filename is None else Path(str(error.filename))
        hidden_beside = at_fault.parent == path.parent and at_fault.name.startswith(".")
        if not hidden_beside and at_fault not in path.parents:
            raise
        raise Problem(
            f"{path} cannot be written: {error.strerror or error}. Make it possible, or give another place."
        ) from error
    finally:
        with suppress(OSError):
            part.unlink()


def _ending(path: Path) -> str:
    return os.fsencode(path.name)[-_LONGEST:].decode(errors="ignore")


def _remove_left_over(path: Path) -> None:
    ours = re.compile(rf"\.{_TABLE}-(\d+)-[0-9a-f]+-{re.escape(_ending(path))}")
    with suppress(OSError):  # then it stays
        for file in path.parent.iterdir():
            found = ours.fullmatch(file.name)
            if found and not _is_alive(int(found[1])):
                file.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # it is another user's, or no number that a process has
        return True
    return True
