"""The same probes against every sandbox that works here: what model-written code tries, and does not get."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest
from inspect_ai.util import SandboxEnvironment

from molehunt.environments.sandbox import BubblewrapConfig
from molehunt.environments.sandbox.bubblewrap import bubblewrap_environment
from molehunt.environments.sandbox.choice import (
    IMAGE,
    compose,
    find_bubblewrap_trouble,
    find_docker_trouble,
)

LIMITS = BubblewrapConfig(
    memory_mb=256, cpu_seconds=2, file_mb=10, processes=20, open_files=64, workspace_mb=24
)


@pytest.fixture(params=["bubblewrap", "docker"])
async def room(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Room]:
    """A sandbox with small limits, made while a key is in our environment; skips where there is none."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789")
    async with AsyncExitStack() as stack:
        if request.param == "bubblewrap":
            if trouble := find_bubblewrap_trouble(LIMITS):
                pytest.skip(trouble)
            yield Room(await stack.enter_async_context(bubblewrap_environment(LIMITS)), "bubblewrap")
            return
        if trouble := find_docker_trouble():
            pytest.skip(f"docker: {trouble}")
        pulled = subprocess.run(["docker", "image", "inspect", IMAGE], capture_output=True, check=False)
        if pulled.returncode != 0:
            pytest.skip(f"docker: pull the image first (docker pull {IMAGE})")
        from inspect_ai.util._sandbox.docker.docker import DockerSandboxEnvironment as Docker

        config = compose(LIMITS)
        await Docker.task_init("probes", config)
        stack.push_async_callback(Docker.task_cleanup, "probes", config, True)
        boxes = await Docker.sample_init("probes", config, {})
        stack.push_async_callback(Docker.sample_cleanup, "probes", config, boxes, False)
        yield Room(boxes["default"], "docker")


class Room:
    """A sandbox, and which kind it is."""

    def __init__(self, box: SandboxEnvironment, kind: str) -> None:
        self.box, self.kind = box, kind

    async def sh(self, script: str, timeout: int = 60) -> str:
        done = await self.box.exec(["sh", "-c", script], timeout=timeout, timeout_retry=False)
        return done.stdout + done.stderr

    async def python(self, source: str, timeout: int = 60) -> str:
        command = ["python3", "-I", "-S", "-c", source]
        done = await self.box.exec(command, timeout=timeout, timeout_retry=False)
        return done.stdout + done.stderr


async def test_environment_no_key_of_ours_is_in_any_process_that_can_be_seen(room: Room) -> None:
    seen = await room.sh("env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null")
    assert "planted" not in seen


async def test_host_files_are_neither_read_nor_written(room: Room, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("planted on the host")
    secret.chmod(0o666)
    tmp_path.chmod(0o777)
    tries = f"cat {secret} /proc/1/root{secret} /proc/self/root{secret} 2>&1; echo x > {secret}; true"
    assert "planted" not in await room.sh(tries)
    assert secret.read_text() == "planted on the host"


async def test_host_accounts_and_passwords_are_not_told(room: Room) -> None:
    host = Path("/etc/hostname").read_text().strip() if Path("/etc/hostname").exists() else "no such name"
    told = await room.sh("cat /etc/shadow 2>&1; hostname 2>/dev/null; cat /etc/hostname 2>/dev/null")
    assert "root:" not in told
    assert host not in told.split()


async def test_network_neither_ours_nor_the_worlds_is_reached(room: Room) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for host, at in (("127.0.0.1", port), ("198.51.100.1", 80), ("169.254.169.254", 80), ("::1", port)):
            said = await room.python(f"import socket; socket.create_connection(({host!r}, {at}), timeout=1)")
            assert "Error" in said or "timed out" in said, host
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    names = await room.python("import socket; print(socket.if_nameindex())")
    assert "eth" not in names


async def test_processes_of_the_host_are_neither_seen_nor_signalled(room: Room) -> None:
    with subprocess.Popen(["sleep", "60"]) as ours:
        try:
            await room.sh(f"kill -9 {ours.pid}; kill -9 -1; true")
            assert ours.poll() is None
        finally:
            ours.kill()
    assert "sleep 60" not in await room.sh("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '")


async def test_symlinks_lead_nowhere_when_we_read_or_write_through_them(room: Room, tmp_path: Path) -> None:
    target = tmp_path / "target.txt"
    target.write_text("planted")
    target.chmod(0o666)
    tmp_path.chmod(0o777)
    await room.sh(f"ln -s {target} /workspace/link; ln -s / /workspace/root")
    for path in ("link", f"root{target}"):
        with pytest.raises((FileNotFoundError, OSError)):
            await room.box.read_file(path)
    with suppress(OSError):
        await room.box.write_file("link", "changed")
    assert target.read_text() == "planted"


FORKS = """
import os, time
for count in range(200):
    try:
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
    except OSError:
        break
print(count)
"""


async def test_fork_bombs_run_out_of_processes(room: Room) -> None:
    assert int((await room.python(FORKS)).split()[0]) <= LIMITS.processes


async def test_memory_runs_out_inside_and_not_outside(room: Room) -> None:
    said = await room.python("x = bytearray(2 << 30); print('had it', len(x))")
    assert "had it" not in said


async def test_disk_runs_out_inside_and_not_outside(room: Room) -> None:
    fill = "for file in /workspace/a /tmp/b; do head -c 90000000 /dev/zero > $file; done"
    kept = await room.sh(f"({fill}) 2> /dev/null; cat /workspace/a /tmp/b | wc -c")
    assert 0 < int(kept) <= 2 * LIMITS.workspace_mb << 20
    for folder in ("/", "/etc", "/usr"):
        assert "denied" in await room.sh(f"touch {folder}/x || echo denied")


async def test_time_runs_out(room: Room) -> None:
    with pytest.raises(TimeoutError):
        await room.box.exec(["sh", "-c", "while :; do sleep 0.1; done"], timeout=1, timeout_retry=False)


async def test_devices_kernel_and_privileges_are_out_of_reach(room: Room) -> None:
    status = await room.sh("cat /proc/self/status")
    assert "CapEff:\t0000000000000000" in status
    assert "NoNewPrivs:\t1" in status
    tries = (
        "mount -t tmpfs none /tmp",
        "echo x > /proc/sysrq-trigger",
        "echo x > /proc/sys/kernel/core_pattern",
        "mknod /workspace/disk b 8 0",
        "cat /dev/mem /dev/kmsg /dev/sda",
        "chroot / true",
    )
    for attempt in tries:
        assert "refused" in await room.sh(f"({attempt}) 2>/dev/null || echo refused"), attempt
