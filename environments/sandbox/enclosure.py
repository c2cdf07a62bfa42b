"""One sandbox's place on this machine: a bounded disk in a mount namespace, and the command lines into it."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from molehunt.environments.sandbox.binaries import (
    SYSTEM_FOLDERS,
    find_bwrap,
    find_tool,
    packages,
    python_folders,
)
from molehunt.environments.sandbox.config import BubblewrapConfig
from molehunt.trajectories import Problem

WORKSPACE = "/workspace"
SHOWN_FILES = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ssl", "/etc/localtime", "/etc/mime.types")

# Mounts the disk, says so, and holds the namespace until its input ends. That happens with our process,
# however it ends, so nothing is left behind.
HOLD = (
    'mount -t tmpfs -o "$2" tmpfs "$1" && mkdir -m 1777 "$1/workspace" "$1/tmp" "$1/shm"'
    " && echo ready && exec cat > /dev/null"
)
ABSENT = 'raise ModuleNotFoundError(f"No module named {__name__!r}", name=__name__)\n'
"""The program that stands in a hidden package's place."""


class Enclosure:
    """A mount namespace with a tmpfs of limited size, entered anew by each command.

    Commands share the files and nothing else: each gets its own process, network and IPC namespaces, which
    end with it. Made by `open`, ended by `close`.

    Parameters
    ----------
    config : limits.
    """

    def __init__(self, config: BubblewrapConfig) -> None:
        self.config = config
        self.is_root = os.geteuid() == 0
        # RLIMIT_NPROC counts by user: as root, each sandbox has a user of its own. Ids above 60,000 may be
        # unmapped in a container, low ones belong to the system.
        self.uid = random.randrange(20_000, 60_000) if self.is_root else os.geteuid()
        self._bwrap = find_bwrap()
        self._env, self._nsenter, self._unshare, self._sh = map(
            find_tool, ("env", "nsenter", "unshare", "sh")
        )
        self._prlimit, self._setpriv = map(find_tool, ("prlimit", "setpriv"))
        self._python = python_folders()
        self._hidden = packages(config.hidden)
        self._folder = tempfile.TemporaryDirectory(prefix="sandbox-")
        self._holder: subprocess.Popen[str] | None = None

    @property
    def _disk(self) -> Path:
        return Path(self._folder.name, "disk")

    def open(self) -> None:
        """Mount the disk.

        Raises
        ------
        Problem
            If this machine does not let us make namespaces.
        """
        folder = Path(self._folder.name)
        (folder / "passwd").write_text(f"user:x:{self.uid}:{self.uid}::{WORKSPACE}:/bin/sh\n")
        (folder / "group").write_text(f"user:x:{self.uid}:\n")
        (folder / "hosts").write_text("127.0.0.1 localhost\n")
        (folder / "absent").write_text(ABSENT)
        (folder / "empty").touch()
        for name, version in (Path(path).stem.split("-", 1) for path in self._hidden if _metadata_of(path)):
            (folder / f"{name}.metadata").write_text(
                f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
            )
        for file in folder.iterdir():
            file.chmod(0o644)
        self._disk.mkdir()
        identity = [] if self.is_root else ["--user", "--map-current-user", "--keep-caps"]
        options = f"size={self.config.workspace_mb}m,nr_inodes=100000,mode=0755,nosuid,nodev"
        hold = [self._sh, "-c", HOLD, "sh", str(self._disk), options]
        self._holder = subprocess.Popen(
            [self._unshare, *identity, "--mount", "--propagation", "private", *hold],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={"PATH": "/usr/bin:/bin:/usr/sbin:/sbin"},
            cwd="/",
            start_new_session=True,  # Ctrl-C ends it through us, after the commands inside
        )
        assert self._holder.stdout is not None
        assert self._holder.stderr is not None
        if self._holder.stdout.readline() != "ready\n":
            reason = self._holder.stderr.read().strip().replace("\n", "; ")
            self.close()
            raise Problem(f"bubblewrap cannot work here: namespaces are denied ({reason}); use Docker")

    def close(self) -> None:
        """Give up the disk and all that is on it."""
        if self._holder is not None:
            assert self._holder.stdin is not None
            self._holder.stdin.close()
            self._holder.wait()
            for stream in (self._holder.stdout, self._holder.stderr):
                if stream is not None:
                    stream.close()
            self._holder = None
        self._folder.cleanup()

    def confined(self, command: Sequence[str]) -> list[str]:
        """``command`` under the limits and, when we are root, as this sandbox's own user."""
        limits = self.config
        argv = [
            self._prlimit,
            f"--as={limits.memory_mb << 20}",
            f"--cpu={limits.cpu_seconds}",
            f"--fsize={limits.file_mb << 20}",
            f"--nproc={limits.processes}",
            f"--nofile={limits.open_files}",
            "--core=0",
        ]
        if self.is_root:
            argv += [self._setpriv, f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups"]
            argv += ["--no-new-privs", "--inh-caps=-all", "--"]
        return [*argv, *command]

    def argv(
        self, command: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None
    ) -> list[str]:
        """Command line that runs ``command`` inside, as it stands: see `confined` for the limits.

        Parameters
        ----------
        command : program and arguments; the program is looked up inside.
        cwd : folder inside, relative to ``/workspace``.
        env : variables beside the few that are always set. Nothing of our own environment gets in.
        """
        if self._holder is None:
            raise ValueError("the enclosure is not open")
        # env -i first: what bwrap was started with stays readable in /proc/1/environ inside
        argv = [self._env, "-i", self._nsenter, f"--mount=/proc/{self._holder.pid}/ns/mnt"]
        if not self.is_root:
            argv += [f"--user=/proc/{self._holder.pid}/ns/user", "--preserve-credentials"]
        argv += [self._bwrap, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
        argv += ["--unshare-cgroup-try", "--hostname", "sandbox", "--die-with-parent", "--new-session"]
        argv += ["--clearenv", "--cap-drop", "ALL"]
        if self.is_root:
            argv += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]  # setpriv gives them up again
        else:
            argv += ["--unshare-user", "--disable-userns"]
        argv += self._mounts()
        for name, value in {**self._variables(), **(env or {})}.items():
            argv += ["--setenv", name, value]
        return [*argv, "--chdir", str(PurePosixPath(WORKSPACE, cwd or ".")), "--", *command]

    def _mounts(self) -> list[str]:
        argv = ["--perms", "0755", "--dir", "/etc"]
        for path in (*SYSTEM_FOLDERS, *SHOWN_FILES):
            argv += ["--ro-bind-try", path, path]
        for name in ("passwd", "group", "hosts"):
            argv += ["--ro-bind", str(Path(self._folder.name, name)), f"/etc/{name}"]
        argv += ["--proc", "/proc", "--dev", "/dev"]
        for name, path in (("shm", "/dev/shm"), ("tmp", "/tmp"), ("workspace", WORKSPACE)):
            argv += ["--bind", str(self._disk / name), path]
        for path in self._python:  # after /tmp, which would hide what lies below it
            for parent in reversed(PurePosixPath(path).parents[:-1]):
                argv += ["--perms", "0755", "--dir", str(parent)]
            argv += ["--ro-bind", path, path]
        for path in self._hidden:
            if not Path(path).is_dir():
                argv += ["--ro-bind", str(Path(self._folder.name, "empty")), path]
                continue
            argv += ["--tmpfs", path]
            if Path(path, "__init__.py").exists():  # an empty folder could still be imported
                argv += ["--ro-bind", str(Path(self._folder.name, "absent")), f"{path}/__init__.py"]
            if metadata := _metadata_of(path):  # programs that list what is installed read at least a name
                name = Path(path).name.partition("-")[0]
                argv += ["--ro-bind", str(Path(self._folder.name, f"{name}.metadata")), metadata]
            argv += ["--remount-ro", path]
        # bwrap's own tmpfs has no size: what is not on our disk is read-only
        return [*argv, "--remount-ro", "/dev", "--remount-ro", "/"]

    def _variables(self) -> dict[str, str]:
        folders = [f"{path}/bin" for path in self._python]
        return {
            "PATH": ":".join([*folders, "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": WORKSPACE,
            "USER": "user",
            "LANG": "C.UTF-8",
            # libraries that start a thread a core would meet the limits on processes and memory
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }


def check(config: BubblewrapConfig | None = None) -> None:
    """See whether bubblewrap and Python work here: start a Python in a sandbox and end it again.

    Raises
    ------
    Problem
        If they do not, with the reason.
    """
    enclosure = Enclosure(config or BubblewrapConfig())
    try:
        enclosure.open()
        argv = enclosure.argv(enclosure.confined(["python3", "-I", "-S", "-c", ""]))
        done = subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=60, check=False)
        if done.returncode != 0:
            reason = done.stderr.strip().replace("\n", "; ") or f"status {done.returncode}"
            raise Problem(f"bubblewrap cannot work here: {reason}")
    except subprocess.TimeoutExpired:
        raise Problem("bubblewrap cannot work here: a first command did not end in 60 s") from None
    finally:
        enclosure.close()


def _metadata_of(path: str) -> str | None:
    """The file with a package's name in a folder that tells of its installation; None for another folder."""
    file = {".dist-info": "METADATA", ".egg-info": "PKG-INFO"}.get(Path(path).suffix)
    return f"{path}/{file}" if file and Path(path).is_dir() else None
