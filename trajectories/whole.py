"""Files that are there when they are whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from molehunt.trajectories.problem import Problem


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A hidden name beside ``path`` to write to, which takes its place when all is written.

    What was at ``path`` stays until then, and for good if nothing was written or writing failed. The hidden
    name ends as ``path`` does, for writers that tell a format by it.

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
    part = path.with_name(f".{os.getpid()}-{path.name}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
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
