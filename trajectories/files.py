"""What the user names, files, folders and patterns, here or in a store elsewhere, as a list of files."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from molehunt.trajectories.problem import Problem

_TEXTS = (".json", ".jsonl", ".ndjson", ".csv")
SUFFIXES = (
    ".eval",
    ".parquet",
    *_TEXTS,
    *(f"{text}{packed}" for text in _TEXTS for packed in (".gz", ".zst")),
)
"""What a log's name ends with, in folders; a file that is named itself may have any name."""

# Inspect's own, beside its logs, and what Claude Code keeps beside its sessions
_BOOKKEEPING = frozenset({"eval-set.json", "logs.json", "listing.json", "sessions-index.json"})
NOTE = ".note.json"
"""What the name of a note ends with, which `molehunt import` writes beside its file of runs."""

_ELSEWHERE = "://"


def log_files(sources: Sequence[str | Path]) -> list[Path]:
    """The files that ``sources`` name, each once, folders and patterns in the order of their names.

    A source such as ``s3://bucket/logs`` is looked up by fsspec, which Inspect uses too; its files are paths
    of universal_pathlib, which are used as those of pathlib are.

    Raises
    ------
    Problem
        If a source does not exist, or names nothing that could be a log.
    """
    if not sources:
        raise Problem("no logs: name a file, a folder or a pattern such as 'logs/*.eval'")
    found = [
        file
        for source in sources
        for file in (_files_elsewhere(str(source)) if is_elsewhere(source) else _files(source))
    ]
    if len(found) == 1:  # is itself, whatever links lead to it
        return found
    files: dict[str, Path] = {}
    for file in found:
        files.setdefault(str(file) if is_elsewhere(file) else os.path.realpath(file), file)
    return list(files.values())


def is_elsewhere(source: str | Path) -> bool:
    """Whether a source is an address rather than a path."""
    return _ELSEWHERE in str(source)


def _files(source: str | Path) -> list[Path]:
    path = source if isinstance(source, Path) else Path(source)
    if path.is_file():
        return [path]
    if path.is_dir():
        return _logs_below(path)
    if path.exists():
        # it would keep its reader waiting, and cannot be read twice, as is done to tell a format
        raise Problem(f"{source}: is a pipe or a device; write what comes out of it to a file first")
    if glob.has_magic(str(source)):
        found = [Path(name) for name in sorted(glob.glob(str(source), recursive=True))]  # noqa: PTH207
        if not found:
            raise Problem(f"{source}: nothing matches this pattern")
        files = (_logs_below(one, needed=False) if one.is_dir() else _unless_pipe(one) for one in found)
        return [file for some in files for file in some]
    raise Problem(f"{source}: no such file or folder")


def _logs_below(folder: Path, *, needed: bool = True) -> list[Path]:
    files: list[Path] = []
    entered: set[str] = set()
    for place, folders, names in os.walk(folder, followlinks=True, onerror=_refuse):
        real = os.path.realpath(place)
        if real in entered:  # a link that leads back up
            folders.clear()
            continue
        entered.add(real)
        folders.sort()
        paths = [Path(place, name) for name in sorted(names) if _may_be_log(name)]
        files += [path for one in paths for path in _unless_pipe(one)]
    return _some(files, folder) if needed else files


def _unless_pipe(path: Path) -> list[Path]:
    # a pipe or a device would keep its reader waiting; a link to nothing is told so when it is read
    return [path] if path.is_file() or not path.exists() else []


def _files_elsewhere(source: str) -> list[Path]:
    from upath import UPath

    try:
        path = UPath(source)
        if glob.has_magic(source):
            kept = source[: source.index(next(sign for sign in source if sign in "*?["))].rpartition("/")[0]
            found = sorted(UPath(kept).glob(source[len(kept) + 1 :]), key=str)
            if not found:
                raise Problem(f"{source}: nothing matches this pattern")
            return [file for one in found for file in (_below(one) if one.is_dir() else [cast(Path, one)])]
        if path.is_dir():
            return _some(list(_below(path)), path)
        if path.is_file():
            return [cast(Path, path)]
    except Problem:
        raise
    except Exception as error:  # each store has exceptions of its own, and a package that may be missing
        raise Problem(f"{source}: {' '.join(str(error).split()) or type(error).__name__}") from error
    raise Problem(f"{source}: no such file or folder")


def _below(folder: object) -> Iterator[Path]:
    from upath import UPath

    assert isinstance(folder, UPath)
    for file in sorted(folder.rglob("*"), key=str):
        if _may_be_log(file.name) and file.is_file():
            yield cast(Path, file)


def _some(files: list[Path], folder: object) -> list[Path]:
    if not files:
        raise Problem(f"{folder}: no logs in this folder; a log's name ends with {', '.join(SUFFIXES)}")
    return files


def _refuse(error: OSError) -> None:
    raise Problem(f"{error.filename}: {error.strerror}; make the folder readable or name others") from error


def _may_be_log(name: str) -> bool:
    kept_beside = name in _BOOKKEEPING or name.endswith(NOTE) or name.startswith(".")
    return name.endswith(SUFFIXES) and not kept_beside
