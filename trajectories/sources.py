"""From what the user names, files, folders and patterns, to runs."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from molehunt.trajectories.labels import TruthOptions
from molehunt.trajectories.problem import Problem
from molehunt.trajectories.runs import Run
from molehunt.trajectories.unread import Unread

SUFFIXES = (".eval", ".json")
"""What a log's name ends with, in folders; a file that is named itself may have any name."""

_BOOKKEEPING = frozenset({"eval-set.json", "logs.json", "listing.json"})  # Inspect's own, beside its logs


def read_runs(
    sources: Sequence[str | Path],
    truth: TruthOptions = TruthOptions(),  # noqa: B008  it is a frozen value
) -> Iterator[Run | Unread]:
    """Read the runs of all ``sources``, in a fixed order, with one sample in memory at a time.

    Parameters
    ----------
    sources : files, folders (searched with all that is below them) and patterns such as ``logs/*.eval``. A
        file that is named more than once, also by a link, is read once.
    truth : what is known about logs that do not say it themselves.

    Returns
    -------
    Iterator of Run or Unread
        `Unread` for each file or sample that cannot be read; the others are read all the same.

    Raises
    ------
    Problem
        At once, before anything is read, if a source does not exist or holds no log, or ``truth`` cannot be.

    Examples
    --------
    >>> read_runs(["no/such/folder"])
    Traceback (most recent call last):
    molehunt.trajectories.problem.Problem: no/such/folder: no such file or folder
    """
    files = log_files(sources)
    truth.check([str(file) for file in files])
    return (result for file in files for result in _reader_of(file)(file, truth))


def _reader_of(file: Path) -> Callable[[Path, TruthOptions], Iterator[Run | Unread]]:
    """The reader for what a file begins with; Inspect's says what is wrong with one that is none of all."""
    # not before somebody reads
    from molehunt.trajectories.completions import are_completions, completion_runs
    from molehunt.trajectories.inspect_runs import inspect_runs
    from molehunt.trajectories.mrt import is_mrt, mrt_runs

    if are_completions(file):
        return completion_runs
    return mrt_runs if is_mrt(file) else inspect_runs


def log_files(sources: Sequence[str | Path]) -> list[Path]:
    """The files that ``sources`` name, each once, folders and patterns in the order of their names.

    Raises
    ------
    Problem
        If a source does not exist, or names nothing that could be a log.
    """
    if not sources:
        raise Problem("no logs: name a file, a folder or a pattern such as 'logs/*.eval'")
    files: dict[str, Path] = {}
    for source in sources:
        for file in _files(source):
            files.setdefault(os.path.realpath(file), file)
    return list(files.values())


def _files(source: str | Path) -> list[Path]:
    path = Path(source)
    if path.is_dir():
        return _logs_below(path)
    if path.exists():
        return [path]
    if glob.has_magic(str(source)):
        found = [Path(name) for name in sorted(glob.glob(str(source), recursive=True))]  # noqa: PTH207
        if not found:
            raise Problem(f"{source}: nothing matches this pattern")
        return [file for one in found for file in (_logs_below(one, needed=False) if one.is_dir() else [one])]
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
        # a pipe or a device would keep its reader waiting; a link to nothing is told so when it is read
        files += [path for path in paths if path.is_file() or path.is_symlink()]
    if needed and not files:
        raise Problem(f"{folder}: no logs in this folder; a log's name ends with {' or '.join(SUFFIXES)}")
    return files


def _refuse(error: OSError) -> None:
    raise Problem(f"{error.filename}: {error.strerror}; make the folder readable or name others") from error


def _may_be_log(name: str) -> bool:
    return name.endswith(SUFFIXES) and name not in _BOOKKEEPING and not name.startswith(".")
