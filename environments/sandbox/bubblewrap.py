"""Inspect's sandbox provider ``bubblewrap``: model-written code without a network, keys or host files."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, overload

import anyio.to_thread
import yaml
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxEnvironmentLimits,
    SandboxUnavailableError,
    SandboxUserUnsupportedError,
    sandboxenv,
    subprocess,
)
from pydantic import BaseModel, ValidationError

from molehunt.environments.sandbox import enclosure as enclosures
from molehunt.environments.sandbox.config import BubblewrapConfig
from molehunt.environments.sandbox.enclosure import Enclosure
from molehunt.trajectories import Problem

KEEPER = "keeper"
"""User under which the trap's keeper runs, never a model's command."""

WRITE = (
    'd=$(dirname -- "$1"); mkdir -p -- "$d" && '
    'if [ -d "$1" ]; then echo "Is a directory" >&2; exit 1; fi && cat > "$1"'
)
READ = 'exec head -c "$2" -- "$1"'


@sandboxenv(name="bubblewrap")
class BubblewrapSandbox(SandboxEnvironment):
    """A sandbox of Linux namespaces, for evals without Docker.

    Files live as long as the sandbox, processes only as long as the command that started them. File access
    goes through the sandbox, so that links which a model plants lead nowhere outside it.

    Parameters
    ----------
    enclosure : an open one.
    """

    def __init__(self, enclosure: Enclosure) -> None:
        super().__init__()
        self.enclosure = enclosure

    @classmethod
    def config_deserialize(cls, config: dict[str, Any]) -> BaseModel:
        """Limits out of a log."""
        return BubblewrapConfig(**config)

    @classmethod
    def default_concurrency(cls) -> int | None:
        """Samples at once: two a processor."""
        return 2 * (os.cpu_count() or 1)

    @classmethod
    async def task_init(cls, task_name: str, config: SandboxEnvironmentConfigType | None) -> None:
        """Fail before the first sample where bubblewrap does not work."""
        await anyio.to_thread.run_sync(enclosures.check, _read_config(config))

    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        """One sandbox for one sample."""
        return {"default": await _open(_read_config(config))}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        """Give up the sample's sandbox."""
        for environment in environments.values():
            await _close(environment.as_type(cls))

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,  # noqa: A002, the name is Inspect's
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Run a command. A command that timed out is never run again, whatever ``timeout_retry`` says."""
        if user is None:
            command = self.enclosure.confined(cmd)
        elif user == KEEPER:
            command = list(cmd)
        else:
            raise SandboxUserUnsupportedError(f"the bubblewrap sandbox has one user and cannot be {user!r}")
        result = await subprocess(
            self.enclosure.argv(command, cwd=cwd, env=env),
            input=input,
            timeout=timeout or self.enclosure.config.wall_seconds,
            concurrency=concurrency,
            output_limit=SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE,
        )
        await self._check_started(result.success, result.stderr)
        if result.returncode == 126 and "failed to execute" in result.stderr and not result.stdout:
            raise PermissionError(result.stderr.strip())
        return result

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write a file as the sandbox's user, with the folders above it."""
        data = contents.encode() if isinstance(contents, str) else contents
        await self._in_shell(WRITE, [file], data)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """Read a file as the sandbox's user."""
        limit = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE
        contents = await self._in_shell(READ, [file, str(limit + 1)])
        if len(contents) > limit:
            raise OutputLimitExceededError(
                limit_str=SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, truncated_output=None
            )
        return contents.decode() if text else contents

    async def _in_shell(self, script: str, arguments: Sequence[str], data: bytes = b"") -> bytes:
        command = self.enclosure.confined(["/bin/sh", "-c", script, "sh", *arguments])
        result = await subprocess(
            self.enclosure.argv(command),
            text=False,
            input=data or None,
            timeout=self.enclosure.config.wall_seconds,
        )
        if not result.success:
            stderr = result.stderr.decode(errors="replace")
            await self._check_started(result.success, stderr)
            raise _os_error(arguments[0], stderr)
        return result.stdout

    async def _check_started(self, success: bool, stderr: str) -> None:
        """Tell a sandbox that is gone from a program that only says so."""
        if success or not stderr.startswith(("bwrap: ", "nsenter: ")):
            return
        trial = await subprocess(self.enclosure.argv(self.enclosure.confined(["true"])), timeout=30)
        if not trial.success:
            raise SandboxUnavailableError(trial.stderr.strip())


@asynccontextmanager
async def bubblewrap_environment(config: BubblewrapConfig | None = None) -> AsyncIterator[BubblewrapSandbox]:
    """A sandbox outside an eval, for the time of the ``async with`` block.

    Parameters
    ----------
    config : limits.

    Raises
    ------
    Problem
        If bubblewrap does not work here.
    """
    box = await _open(config or BubblewrapConfig())
    try:
        yield box
    finally:
        await _close(box)


async def _open(config: BubblewrapConfig) -> BubblewrapSandbox:
    enclosure = Enclosure(config)
    await anyio.to_thread.run_sync(enclosure.open)
    return BubblewrapSandbox(enclosure)


async def _close(box: BubblewrapSandbox) -> None:
    with anyio.CancelScope(shield=True):  # a cancelled sample gives its disk back too
        await anyio.to_thread.run_sync(box.enclosure.close)


def _read_config(config: SandboxEnvironmentConfigType | None) -> BubblewrapConfig:
    """Limits as Inspect hands them over: none, a model, or the path of a YAML file."""
    if config is None:
        return BubblewrapConfig()
    if isinstance(config, BubblewrapConfig):
        return config
    if not isinstance(config, str):
        raise Problem(f"the bubblewrap sandbox takes a BubblewrapConfig, not a {type(config).__name__}")
    try:
        return BubblewrapConfig(**(yaml.safe_load(Path(config).read_text()) or {}))
    except (OSError, yaml.YAMLError, TypeError, ValidationError) as error:
        reason = str(error).replace("\n", " ")
        raise Problem(f"{config} holds no limits of the bubblewrap sandbox: {reason}") from None


def _os_error(file: str, stderr: str) -> OSError:
    for sign, kind in (
        ("Permission denied", PermissionError),
        ("Read-only file system", PermissionError),
        ("No such file", FileNotFoundError),
        ("s a directory", IsADirectoryError),
    ):
        if sign in stderr:
            return kind(f"{file}: {stderr.strip()}")
    return OSError(f"{file}: {stderr.strip()}")
