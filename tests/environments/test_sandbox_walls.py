"""What model-written code tries against the bubblewrap sandbox, and does not get."""

from __future__ import annotations

import os
import pwd
import select
import socket
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from inspect_ai.util import SandboxUnavailableError, SandboxUserUnsupportedError

from molehunt.environments.sandbox import BubblewrapConfig, binaries, enclosure
from molehunt.environments.sandbox.binaries import python_folders
from molehunt.environments.sandbox.bubblewrap import BubblewrapSandbox, bubblewrap_environment
from molehunt.environments.sandbox.program import run_program

REPOSITORY = Path(__file__).resolve().parents[2]


async def test_our_environment_is_nowhere_inside(
    box: BubblewrapSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-top-secret")
    result = await box.exec(["sh", "-c", "env; cat /proc/[0-9]*/environ"])
    assert "HOME=/workspace" in result.stdout
    assert "sk-top-secret" not in result.stdout


async def test_a_variable_given_to_one_command_reaches_that_command(box: BubblewrapSandbox) -> None:
    result = await box.exec(["sh", "-c", "echo $ANSWER"], env={"ANSWER": "42"})
    assert result.stdout == "42\n"


async def test_the_hosts_files_are_not_there(box: BubblewrapSandbox, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    secret.chmod(0o644)
    at_home = f"{pwd.getpwuid(0).pw_dir}/.bashrc"
    for path in ("/etc/shadow", "/etc/hostname", at_home, str(secret), "/sys", "/var", "/run"):
        assert not (await box.exec(["test", "-e", path])).success, path


async def test_the_accounts_of_the_host_are_not_told(box: BubblewrapSandbox) -> None:
    assert (await box.read_file("/etc/passwd")).startswith("user:")
    assert "root" not in await box.read_file("/etc/passwd")


async def test_the_repository_is_not_there_but_its_libraries_are(box: BubblewrapSandbox) -> None:
    for name in ("pyproject.toml", "molehunt", ".git"):
        assert not (await box.exec(["test", "-e", str(REPOSITORY / name)])).success, name
    assert (await box.exec(["python3", "-c", "import pydantic"])).success


async def test_packages_that_would_tell_too_much_are_empty_inside(bubblewrap_works: None) -> None:
    limits = BubblewrapConfig(hidden=("sklearn/datasets/data", "no_such_package"))
    async with bubblewrap_environment(limits) as box:
        folder = f"{sysconfig.get_path('purelib')}/sklearn/datasets"
        assert "_base.py" in (await box.exec(["ls", folder])).stdout
        assert (await box.exec(["ls", "-A", f"{folder}/data"])).stdout in ("", "__init__.py\n")
        assert not (await box.exec(["touch", f"{folder}/data/x"])).success


async def test_a_hidden_package_is_not_there_for_a_program_that_wants_it(bubblewrap_works: None) -> None:
    wanted = "try:\n    import click\nexcept ModuleNotFoundError as missing:\n    print(missing)"
    async with bubblewrap_environment(BubblewrapConfig(hidden=("click",))) as box:
        assert (await box.exec(["python3", "-c", wanted])).stdout == "No module named 'click'\n"
        folder = f"{sysconfig.get_path('purelib')}/click"
        assert not (await box.exec(["touch", f"{folder}/x"])).success
        assert not (await box.exec(["sh", "-c", f"echo > {folder}/__init__.py"])).success


async def test_what_tells_of_a_hidden_package_says_its_name_and_no_more(
    bubblewrap_works: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = {
        "mole-1.0.dist-info": None,
        "mole-1.0.egg-info": None,
        "mole.egg-link": "/home/me/mole",
        "__editable__.mole-1.0.pth": "import __editable___mole_1_0_finder",
        "__editable___mole_1_0_finder.py": "MAPPING = {'mole': '/home/me/mole'}",
        "__pycache__/__editable___mole_1_0_finder.cpython-311.pyc": "MAPPING = {'mole': '/home/me/mole'}",
        "mole": "#!/usr/bin/python3",
        "moleskin-1.0.dist-info": None,
    }
    for name, text in installed.items():
        file = tmp_path / name if text else tmp_path / name / "METADATA"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text or "Summary: catches agents")
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)
    monkeypatch.setattr(binaries.sysconfig, "get_path", lambda _: str(tmp_path))
    monkeypatch.setattr(enclosure, "python_folders", lambda: (*python_folders(), str(tmp_path)))
    async with bubblewrap_environment(BubblewrapConfig(hidden=("mole",))) as box:
        told = await box.exec(["grep", "-hr", "", str(tmp_path)])
        assert not (await box.exec(["test", "-x", str(tmp_path / "mole")])).success
    name = ["Metadata-Version: 2.1", "Name: mole", "Version: 1.0"]
    assert sorted(told.stdout.splitlines()) == sorted([*name, *name, "Summary: catches agents"])


async def test_programs_that_list_what_is_installed_still_do(box: BubblewrapSandbox) -> None:
    listed = (
        "import importlib.metadata as it\n"
        "print(len([each.metadata['Name'].lower() + each.version for each in it.distributions()]))"
    )
    assert int((await box.exec(["python3", "-c", listed])).stdout) > 50


def test_our_own_package_is_hidden_unless_told_otherwise() -> None:
    assert BubblewrapConfig().hidden == ("molehunt",)


async def test_the_python_inside_is_ours(box: BubblewrapSandbox) -> None:
    result = await box.exec(["python3", "-c", "import sys; print(sys.prefix)"])
    assert result.stdout.strip() == sys.prefix


async def test_nothing_but_the_workspace_can_be_written(box: BubblewrapSandbox) -> None:
    for folder in ("/", "/etc", "/dev", "/usr", "/home", sys.prefix):
        assert not (await box.exec(["touch", f"{folder}/x"])).success, folder
    for folder in ("/workspace", "/tmp", "/dev/shm"):
        assert (await box.exec(["touch", f"{folder}/x"])).success, folder


async def test_no_network_can_be_reached(box: BubblewrapSandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for host in ("127.0.0.1", "198.51.100.1"):
            source = f"import socket; socket.create_connection(({host!r}, {port}), timeout=1)"
            result = await box.exec(["python3", "-I", "-S", "-c", source])
            assert "refused" in result.stderr or "unreachable" in result.stderr


async def test_other_processes_are_not_seen(box: BubblewrapSandbox) -> None:
    result = await box.exec(["sh", "-c", "ls -d /proc/[0-9]* | wc -l"])
    assert int(result.stdout) < 6


async def test_a_process_left_behind_ends_with_its_command(box: BubblewrapSandbox) -> None:
    started = await box.exec(["sh", "-c", "(sleep 1; touch alive) > /dev/null 2>&1 & exit 0"])
    assert started.success
    result = await box.exec(["sh", "-c", "sleep 1.5; ls"])
    assert "alive" not in result.stdout


async def test_a_planted_link_leads_to_no_file_of_the_host(box: BubblewrapSandbox, tmp_path: Path) -> None:
    target = tmp_path / "target.txt"
    target.write_text("secret")
    tmp_path.chmod(0o777)
    await box.exec(["ln", "-s", str(target), "link"])
    with pytest.raises(FileNotFoundError):
        await box.read_file("link")
    with pytest.raises(OSError, match="link"):
        await box.write_file("link", "changed")
    assert target.read_text() == "secret"


async def test_files_stay_between_commands(box: BubblewrapSandbox) -> None:
    await box.write_file("data/one.txt", "1")
    assert (await box.exec(["cat", "data/one.txt"])).stdout == "1"
    assert await box.read_file("/workspace/data/one.txt") == "1"


async def test_two_sandboxes_share_no_file(box: BubblewrapSandbox) -> None:
    await box.write_file("/tmp/one.txt", "1")
    async with bubblewrap_environment() as other:
        with pytest.raises(FileNotFoundError):
            await other.read_file("/tmp/one.txt")


async def test_memory_is_limited(box: BubblewrapSandbox) -> None:
    finished = await run_program("b'x' * (2 << 30)", box=box)
    assert "MemoryError" in finished.stderr


async def test_a_loop_ends_at_the_limit_on_processor_time(box: BubblewrapSandbox) -> None:
    finished = await run_program("while True: pass", box=box)
    assert finished.status == 137
    assert not finished.timed_out


async def test_a_fork_bomb_runs_out_of_processes(box: BubblewrapSandbox) -> None:
    source = """
import os, sys, time
for count in range(100):
    try:
        if os.fork() == 0:
            time.sleep(60)
    except OSError:
        break
print(count)
"""
    finished = await run_program(source, box=box)
    assert int(finished.stdout) < 20
    assert (await box.exec(["true"])).success


@pytest.mark.skipif(os.geteuid() != 0, reason="other users' processes are counted together only as root")
async def test_a_fork_bomb_takes_no_processes_from_another_sandbox(box: BubblewrapSandbox) -> None:
    async with bubblewrap_environment(BubblewrapConfig(processes=20)) as other:
        assert box.enclosure.uid != other.enclosure.uid


async def test_a_file_is_limited(box: BubblewrapSandbox) -> None:
    await box.exec(["sh", "-c", "head -c 20000000 /dev/zero > big"])
    assert len(await box.read_file("big", text=False)) <= 10 << 20


async def test_the_disk_is_limited_over_all_its_folders(box: BubblewrapSandbox) -> None:
    fill = "for file in a /tmp/b /dev/shm/c d; do head -c 9000000 /dev/zero > $file; done"
    command = f"{fill}; cat a /tmp/b /dev/shm/c d | wc -c"
    result = await box.exec(["sh", "-c", command])
    assert "No space left" in result.stderr
    assert int(result.stdout) <= 24 << 20


async def test_open_files_are_limited(box: BubblewrapSandbox) -> None:
    finished = await run_program("kept = [open('/dev/null') for _ in range(100)]", box=box)
    assert "Too many open files" in finished.stderr


async def test_privileges_cannot_be_gained(box: BubblewrapSandbox) -> None:
    status = await box.read_file("/proc/self/status")
    assert "CapEff:\t0000000000000000" in status
    assert "NoNewPrivs:\t1" in status
    assert not (await box.exec(["mount", "-t", "tmpfs", "none", "/tmp"])).success


async def test_the_sandbox_has_no_other_user(box: BubblewrapSandbox) -> None:
    with pytest.raises(SandboxUserUnsupportedError, match="root"):
        await box.exec(["true"], user="root")


async def test_a_program_that_speaks_as_the_sandbox_is_not_believed(box: BubblewrapSandbox) -> None:
    result = await box.exec(["sh", "-c", "echo 'bwrap: broken' >&2; exit 1"])
    assert result.returncode == 1


async def test_a_sandbox_that_is_gone_says_so(bubblewrap_works: None) -> None:
    async with bubblewrap_environment() as box:
        holder = box.enclosure._holder
        assert holder is not None
        holder.kill()
        holder.wait()
        with pytest.raises(SandboxUnavailableError):
            await box.exec(["true"])


async def test_nothing_is_left_on_the_host(bubblewrap_works: None) -> None:
    async with bubblewrap_environment() as box:
        folder = Path(box.enclosure._folder.name)
        await box.write_file("one.txt", "1")
        assert not list((folder / "disk").iterdir())
    assert not folder.exists()


def test_the_disk_is_given_up_when_we_are_killed(bubblewrap_works: None, tmp_path: Path) -> None:
    source = """
import os, signal
from molehunt.environments.sandbox.config import BubblewrapConfig
from molehunt.environments.sandbox.enclosure import Enclosure
enclosure = Enclosure(BubblewrapConfig())
enclosure.open()
print(enclosure._holder.pid, flush=True)
os.read(0, 1)
os.kill(os.getpid(), signal.SIGKILL)
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    ours = subprocess.Popen(
        [sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    with ours:
        assert ours.stdin is not None
        assert ours.stdout is not None
        holder = os.pidfd_open(int(ours.stdout.readline()))
        ours.stdin.write(b"x")
    ended, _, _ = select.select([holder], [], [], 10)
    os.close(holder)
    assert ended
