"""Monitors that live in a file of the user's own rather than in an installed package."""

from __future__ import annotations

import hashlib
import importlib.abc
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from molehunt.trajectories import Problem

_PREFIX = "_molehunt_file_"


class _Source(importlib.abc.ExecutionLoader):
    """Runs the text that was read and digested, and leaves no compiled copy beside the user's file."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text

    def get_filename(self, fullname: str) -> str:
        return str(self.path)

    def get_source(self, fullname: str) -> str:
        return self.text


def load_file(path: Path) -> ModuleType:
    """The module that a file holds. A file is run once for each content that it has had.

    Raises
    ------
    Problem
        If it is not there, or fails.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Problem(f"monitor file {path} cannot be read: {error.strerror}") from error
    name = f"{_PREFIX}{hashlib.sha256(str(path.resolve()).encode() + content).hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    try:
        loader = _Source(path.resolve(), importlib.util.decode_source(content))
        spec = importlib.util.spec_from_loader(name, loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # dataclasses and pickle look a class's module up there
        loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a stranger's file may raise anything
        sys.modules.pop(name, None)
        raise Problem(f"monitor file {path} fails: {error!r}") from error
    module.__dict__[_PREFIX] = hashlib.sha256(content).hexdigest()
    return module


def content_digest(module: ModuleType) -> str | None:
    """Digest of the file that `load_file` made ``module`` of, as it was then; None for other modules."""
    digest: str | None = module.__dict__.get(_PREFIX)
    return digest
