"""Processes for jobs: each program gets one of its own, a time limit, and nothing of ours but its job."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LONGEST_REPORT = 32 << 20
PR_SET_CHILD_SUBREAPER = 36

START = """
import json, sys, types
sys.path[:] = [folder for folder in sys.path if folder]
given = json.load(sys.stdin.buffer)
for name, text in given.pop("sources"):
    for end in [place for place, character in enumerate(name) if character == "."]:
        sys.modules.setdefault(name[:end], types.ModuleType(name[:end])).__path__ = []
    sys.modules[name] = types.ModuleType(name)
    exec(compile(text, name, "exec"), sys.modules[name].__dict__)
sys.modules[given.pop("main")].main(given)
"""
"""Loads our modules under their full names from the text on standard input, and enters one of them."""


@dataclass(frozen=True)
class Ending:
    """How a job's process ended.

    Parameters
    ----------
    report : what it handed in; None if it ended before it did.
    status : exit status, negative for a signal; None if its time was up.
    """

    report: Mapping[str, Any] | None
    status: int | None

    @property
    def quiet_exit(self) -> bool:
        """Whether the program ended the process by itself, as if all were well."""
        return self.report is None and self.status == 0

    def __str__(self) -> str:
        if self.report is not None:
            return "finished"
        return "ran out of time" if self.status is None else f"ended early with status {self.status}"


class Processes:
    """Starts the processes.

    Parameters
    ----------
    sources : module names and texts for `START`, in the order in which they import each other.
    main : which of them has the function ``main`` that does a job.
    seconds : time limit of each process.
    """

    def __init__(self, sources: Sequence[Sequence[str]], main: str, seconds: float) -> None:
        self._common = {"sources": sources, "main": main}
        self._seconds = seconds

    def do(self, job: Mapping[str, Any]) -> Ending:
        """Do a job and wait for its end. Processes that the job started and left behind are killed."""
        reader, writer = os.pipe()
        token = secrets.token_hex(16)
        given = json.dumps({**self._common, **job, "token": token, "pipe": writer}).encode()
        folder = tempfile.mkdtemp()
        process = subprocess.Popen(
            [sys.executable, "-s", "-c", START],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(writer,),
            cwd=folder,
            env=_environment(folder),
            start_new_session=True,
        )
        os.close(writer)
        received: list[bytes] = []
        listener = threading.Thread(target=_listen, args=(reader, received), daemon=True)
        listener.start()
        status: int | None = None
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.communicate(given, timeout=self._seconds)
                status = process.returncode
        finally:
            with contextlib.suppress(ProcessLookupError):  # all of them may have ended
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            _kill_children()
            shutil.rmtree(folder, ignore_errors=True)
        listener.join(timeout=2)  # should one of them have got away, it may hold the pipe open
        return Ending(_read(b"".join(received), token), status)


def adopt_orphans() -> None:
    """Become the parent of processes that the jobs' processes leave behind, so that none outlives its job."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _kill_children() -> None:
    """Kill all children of this process, and theirs as they come up."""
    for _ in range(100):
        children = _children()
        if not children:
            return
        for child in children:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def _children() -> list[int]:
    found = []
    for name in os.listdir("/proc") if sys.platform == "linux" else []:  # noqa: PTH208, plain names
        with contextlib.suppress(OSError):
            if name.isdigit() and int(_status(name).rpartition(") ")[2].split()[1]) == os.getpid():
                found.append(int(name))
    return found


def _status(process: str) -> str:
    with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
        return file.read()


def _environment(folder: str) -> dict[str, str]:
    return {
        **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
        "HOME": folder,
        "TMPDIR": folder,
        "PYTHONHASHSEED": "0",  # sets come in one order in all processes
        "PYTHONDONTWRITEBYTECODE": "1",
        "MPLBACKEND": "Agg",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def _listen(reader: int, received: list[bytes]) -> None:
    with os.fdopen(reader, "rb") as pipe:
        received.append(pipe.read(LONGEST_REPORT))


def _read(text: bytes, token: str) -> Mapping[str, Any] | None:
    if not text.startswith(token.encode()):
        return None
    try:
        report = json.loads(text[len(token) :])
    except ValueError:
        return None
    return report if isinstance(report, dict) else None
