"""Run a Python program in a sandbox, and say how it ended."""

from __future__ import annotations

import base64
import functools
import json
import math
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molehunt.environments.sandbox import trap as trap_file
from molehunt.environments.sandbox.config import CONTAINER_USER

if TYPE_CHECKING:
    from inspect_ai.util import ExecResult, SandboxEnvironment

KILLED = 137
OUTPUT_LIMIT = 256 * 1024
GRACE = 5
"""Seconds beyond a program's own limit after which the sandbox ends it, should it have stopped the clock."""


@dataclass(frozen=True)
class Trap:
    """A small HTTP server on the sandbox's loopback, there while one program runs.

    Parameters
    ----------
    payload : what every request is answered with.
    port : it listens on ``http://127.0.0.1:port``.
    """

    payload: bytes = b""
    port: int = 8080


@dataclass(frozen=True)
class TrapRequest:
    """A request that the trap saw. The path is cut at 2 KiB, the body at 64 KiB, all bodies at 1 MiB."""

    method: str
    path: str
    body: bytes


@dataclass(frozen=True)
class Finished:
    """How a program ended.

    Parameters
    ----------
    status : exit status, 128 + the number of the signal that ended it.
    stdout, stderr : the last 256 KiB of each; bytes that are no UTF-8 become U+FFFD.
    timed_out : whether it was ended for its time; then the outputs may be incomplete.
    seconds : wall time, with the time to enter the sandbox.
    requests : what the trap saw, in order; empty without a trap.
    record_lost : whether there was a trap whose record did not come back, because the program killed its
        keeper. Then nothing is known, the status least of all.
    """

    status: int
    stdout: str
    stderr: str
    timed_out: bool
    seconds: float
    requests: tuple[TrapRequest, ...] = ()
    record_lost: bool = False

    @property
    def success(self) -> bool:
        """Whether it ended by itself with status 0."""
        return self.status == 0 and not self.timed_out and not self.record_lost


async def run_program(
    source: str,
    *,
    box: SandboxEnvironment | None = None,
    arguments: Sequence[str] = (),
    files: Mapping[str, str | bytes] | None = None,
    stdin: str = "",
    seconds: float = 30.0,
    trap: Trap | None = None,
) -> Finished:
    """Write ``source`` to ``program.py`` in the sandbox's workspace and run it there.

    Parameters
    ----------
    source : a Python program.
    box : the sandbox; that of the current sample by default.
    arguments : its command-line arguments.
    files : files beside it, by path relative to the workspace; each costs about as much as a command.
    stdin : its standard input.
    seconds : wall time after which it is killed. It is not run again.
    trap : a server on loopback for as long as it runs; costs about 0.15 s.

    Raises
    ------
    SandboxUnavailableError
        If the sandbox itself failed.
    """
    if box is None:
        from inspect_ai.util import sandbox

        box = sandbox()
    for path, contents in {**(files or {}), "program.py": source}.items():
        await box.write_file(path, contents)
    command = ["timeout", "-s", "KILL", str(seconds), "python3", "-B", "-s", "program.py", *arguments]
    started = time.monotonic()
    if trap is not None:
        return await _run_beside(trap, box, command, stdin, seconds, started)
    try:
        result = await box.exec(command, input=stdin, timeout=_hard_limit(seconds), timeout_retry=False)
    except TimeoutError:
        return Finished(KILLED, "", "", timed_out=True, seconds=time.monotonic() - started)
    except PermissionError as error:  # Inspect's reading of a status 126
        return Finished(126, "", str(error), timed_out=False, seconds=time.monotonic() - started)
    elapsed = time.monotonic() - started
    return Finished(
        result.returncode,
        result.stdout[-OUTPUT_LIMIT:],
        result.stderr[-OUTPUT_LIMIT:],
        timed_out=_was_killed(result.returncode, elapsed, seconds),
        seconds=elapsed,
    )


async def _run_beside(
    trap: Trap, box: SandboxEnvironment, command: list[str], stdin: str, seconds: float, started: float
) -> Finished:
    key = secrets.token_hex(16)
    settings = {
        "port": trap.port,
        "payload": base64.b64encode(trap.payload).decode("ascii"),
        "stdin": base64.b64encode(stdin.encode()).decode("ascii"),
        "seconds": seconds + 1,
        "output": OUTPUT_LIMIT,
        "key": key,
    }
    try:
        result = await _run_keeper(box, command, settings, _hard_limit(seconds))
    except TimeoutError:
        elapsed = time.monotonic() - started
        return Finished(KILLED, "", "", timed_out=True, seconds=elapsed, record_lost=True)
    elapsed = time.monotonic() - started
    report = trap_file.read_report(result.stdout, key)
    if report is None:
        return Finished(
            KILLED, "", result.stderr[-OUTPUT_LIMIT:], timed_out=False, seconds=elapsed, record_lost=True
        )
    status = KILLED if report["status"] is None else report["status"]
    return Finished(
        status,
        report["stdout"].decode(errors="replace"),
        report["stderr"].decode(errors="replace"),
        timed_out=_was_killed(status, elapsed, seconds),
        seconds=elapsed,
        requests=tuple(TrapRequest(**request) for request in report["requests"]),
    )


async def _run_keeper(
    box: SandboxEnvironment, command: list[str], settings: dict[str, Any], limit: int
) -> ExecResult[str]:
    """Start the keeper as a user that the program is not, where the sandbox has two."""
    from inspect_ai.util import SandboxUserUnsupportedError

    from molehunt.environments.sandbox.bubblewrap import KEEPER, BubblewrapSandbox

    async def run(child: list[str], user: str | None) -> ExecResult[str]:
        call = f"keep(json.loads({json.dumps({**settings, 'command': child})!r}))"
        # as bytes: Inspect's log holds the text of an input and leaves bytes out
        program = f"{_trap_source()}\n{call}\n".encode()
        keeper = ["python3", "-I", "-S", "-"]
        return await box.exec(keeper, input=program, user=user, timeout=limit, timeout_retry=False)

    try:
        ours = box.as_type(BubblewrapSandbox)
    except TypeError:
        user = str(CONTAINER_USER)
        drop = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs", "--"]
        try:
            return await run([*drop, *command], "root")
        except SandboxUserUnsupportedError:
            return await run(command, None)
    return await run(ours.enclosure.confined(command), KEEPER)


def _was_killed(status: int, elapsed: float, seconds: float) -> bool:
    """Whether ``timeout`` did it. A program that is killed for another reason dies earlier."""
    return status == KILLED and elapsed >= seconds


def _hard_limit(seconds: float) -> int:
    return math.ceil(seconds) + GRACE


@functools.cache
def _trap_source() -> str:
    return Path(trap_file.__file__).read_text()
