"""Which sandbox model-written code runs in: Docker where there is a daemon, else bubblewrap, else none."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from molehunt.environments.sandbox.config import CONTAINER_USER, BubblewrapConfig
from molehunt.trajectories import Problem

if TYPE_CHECKING:
    from inspect_ai.util import ComposeConfig, SandboxEnvironmentSpec

CHOICES = ("auto", "docker", "bubblewrap", "local")
ALLOW_LOCAL = "MOLEHUNT_ALLOW_LOCAL_SANDBOX"
IMAGE = "python:3.11-slim"


def choose_sandbox(
    sandbox: str = "auto", config: BubblewrapConfig | None = None, *, image: Path | None = None
) -> SandboxEnvironmentSpec:
    """The sandbox to give to an Inspect task.

    Parameters
    ----------
    sandbox : ``docker``, ``bubblewrap``, ``local`` (no sandbox at all: it shows the host's files and every
        environment variable, and is refused unless ``MOLEHUNT_ALLOW_LOCAL_SANDBOX=1``), or ``auto``: the
        first of Docker and bubblewrap that works.
    config : limits. Docker takes memory, processes and the workspace's size from it.
    image : folder of a Dockerfile, for what needs more than Python's standard library.

    Raises
    ------
    Problem
        If what was asked for does not work here, or is no choice.
    """
    from inspect_ai.util import SandboxEnvironmentSpec

    limits = config or BubblewrapConfig()
    if sandbox == "local":
        if os.environ.get(ALLOW_LOCAL) != "1":
            raise Problem(
                "sandbox 'local' is no sandbox: model-written code would see your files and keys; "
                f"use docker or bubblewrap, or set {ALLOW_LOCAL}=1 to run it all the same"
            )
        return SandboxEnvironmentSpec("local")
    if sandbox not in CHOICES:
        raise Problem(f"unknown sandbox {sandbox!r}; choose one of {', '.join(CHOICES)}")
    docker_trouble = None
    if sandbox != "bubblewrap":
        docker_trouble = find_docker_trouble()
        if docker_trouble is None:
            return SandboxEnvironmentSpec("docker", compose(limits, image))
        if sandbox == "docker":
            raise Problem(f"sandbox 'docker' does not work here: {docker_trouble}")
    bubblewrap_trouble = find_bubblewrap_trouble(limits)
    if bubblewrap_trouble is None:
        return SandboxEnvironmentSpec("bubblewrap", limits)
    if sandbox == "bubblewrap":
        raise Problem(f"sandbox 'bubblewrap' does not work here: {bubblewrap_trouble}")
    raise Problem(
        f"no sandbox works here for model-written code; docker: {docker_trouble}; "
        f"bubblewrap: {bubblewrap_trouble}"
    )


def find_docker_trouble() -> str | None:
    """Why Docker cannot be used, None if its daemon answers."""
    docker = shutil.which("docker")
    if docker is None:
        return "install Docker (docker was not found)"
    try:
        asked = subprocess.run(
            [docker, "version", "--format", "{{.Server.Version}}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=15,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return "start the Docker daemon (it does not answer)"
    return None if asked.returncode == 0 else "start the Docker daemon (it does not answer)"


def find_bubblewrap_trouble(config: BubblewrapConfig) -> str | None:
    """Why bubblewrap cannot be used, None if a Python started in it."""
    from molehunt.environments.sandbox.enclosure import check

    try:
        check(config)
    except Problem as problem:
        return str(problem)
    return None


def compose(limits: BubblewrapConfig, image: Path | None = None) -> ComposeConfig:
    """A container of the slim Python image: no network, an unprivileged user, a bounded workspace in memory.

    It has the standard library only; what needs more gives the folder of a Dockerfile. Docker pulls or
    builds the image at the first run. Root inside may change users and nothing else, which the trap's
    keeper needs.
    """
    from inspect_ai.util import ComposeConfig

    size = f"size={limits.workspace_mb}m,mode=1777"
    service = {
        **({"image": IMAGE} if image is None else {"build": {"context": str(image)}}),
        "command": "tail -f /dev/null",
        "init": True,
        "network_mode": "none",
        "user": f"{CONTAINER_USER}:{CONTAINER_USER}",
        "working_dir": "/workspace",
        "environment": {"HOME": "/workspace"},
        "tmpfs": [f"/workspace:{size},exec", f"/tmp:{size},exec"],
        "cap_drop": ["ALL"],
        "cap_add": ["SETUID", "SETGID"],
        "security_opt": ["no-new-privileges:true"],
        "mem_limit": f"{limits.memory_mb}m",
        "pids_limit": limits.processes,
    }
    return ComposeConfig.model_validate({"services": {"default": service}})
