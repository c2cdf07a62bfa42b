"""What model-written code may use: the limits of the bubblewrap sandbox."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

CONTAINER_USER = 65533
"""Id of the user that model-written code has in a Docker container; the trap's keeper is 65534."""


class BubblewrapConfig(BaseModel):
    """Limits of one bubblewrap sandbox. There is none on the network: it is always denied.

    Parameters
    ----------
    memory_mb : address space of one process, MiB.
    cpu_seconds : processor time of one process, after which it is killed.
    wall_seconds : time of one command that was given no timeout of its own.
    file_mb : size of one file, MiB.
    processes : processes and threads that live at once in the sandbox.
    open_files : file descriptors of one process.
    workspace_mb : everything in ``/workspace``, ``/tmp`` and ``/dev/shm`` together, MiB. It is held in memory
        (a tmpfs), which is what makes the limit hold without quotas or privileges.
    hidden : folders below ``site-packages`` that are empty inside; a package among them cannot be imported
        either, its program cannot be run, and what tells of its installation says its name and version and no
        more. Ours would tell how a task is graded.

    Examples
    --------
    >>> BubblewrapConfig(memory_mb=512).cpu_seconds
    120
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    memory_mb: int = Field(default=2048, ge=64)
    cpu_seconds: int = Field(default=120, ge=1)
    wall_seconds: int = Field(default=300, ge=1)
    file_mb: int = Field(default=256, ge=1)
    processes: int = Field(default=128, ge=8)
    open_files: int = Field(default=256, ge=16)
    workspace_mb: int = Field(default=512, ge=1)
    hidden: tuple[str, ...] = ("molehunt",)
