"""From what the user names, files, folders and patterns, to runs."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from molehunt.trajectories.labels import TruthOptions
from molehunt.trajectories.mapping import MappingNote, Tally
from molehunt.trajectories.problem import Problem
from molehunt.trajectories.runs import Run
from molehunt.trajectories.unread import Unread

if TYPE_CHECKING:
    from molehunt.trajectories.formats import Reader

SUFFIXES = (".eval", ".json")
"""What a log's name ends with, in folders; a file that is named itself may have any name."""

UNKNOWN = "unknown"
"""What a note calls the format of a file that is of none."""

_BOOKKEEPING = frozenset({"eval-set.json", "logs.json", "listing.json"})  # Inspect's own, beside its logs


def read_runs(
    sources: Sequence[str | Path],
    truth: TruthOptions = TruthOptions(),  # noqa: B008  it is a frozen value
    *,
    format: str | None = None,  # noqa: A002  as the option is called
    fields: Mapping[str, str] | None = None,
    notes: list[MappingNote] | None = None,
) -> Iterator[Run | Unread]:
    """Read the runs of all ``sources``, in a fixed order, with one sample in memory at a time.

    Parameters
    ----------
    sources : files, folders (searched with all that is below them) and patterns such as ``logs/*.eval``. A
        file that is named more than once, also by a link, is read once.
    truth : what is known about logs that do not say it themselves.
    format : name of the format that all files are of, a key of ``formats.FORMATS``; without it, each file's
        is told by how it begins.
    fields : for JSON, JSON lines and tables of no known format: our name of a field → theirs.
    notes : receives a note for each file, when the file has been read to its end.

    Returns
    -------
    Iterator of Run or Unread
        `Unread` for each file or sample that cannot be read; the others are read all the same.

    Raises
    ------
    Problem
        At once, before anything is read, if a source does not exist or holds no log, ``truth`` cannot be, or
        ``format`` or ``fields`` name what is not known.

    Examples
    --------
    >>> read_runs(["no/such/folder"])
    Traceback (most recent call last):
    molehunt.trajectories.problem.Problem: no/such/folder: no such file or folder
    """
    choose = _choice(format, fields)
    files = log_files(sources)
    truth.check([str(file) for file in files])
    return (result for file in files for result in _file_runs(file, truth, choose, notes))


Choose = Callable[[Path], "tuple[str, Reader] | Unread"]


def _choice(format_: str | None, fields: Mapping[str, str] | None) -> Choose:
    """What names the reader of a file."""
    from molehunt.trajectories.formats import FORMATS  # not before somebody reads

    if format_ is not None and format_ not in FORMATS:
        raise Problem(f"no format is called {format_!r}; there are {', '.join(FORMATS)}")
    if fields is not None and format_ is not None:
        raise Problem(f"a map of fields is for files of no known format; leave it out, or {format_!r}")
    if fields is not None:
        raise Problem("not yet")
    if format_ is not None:
        chosen = format_, FORMATS[format_].read
        return lambda _: chosen
    return _told


def _told(file: Path) -> tuple[str, Reader] | Unread:
    """The format that a file begins like, or why it is none."""
    from molehunt.trajectories.beginnings import Beginning
    from molehunt.trajectories.formats import FORMATS

    try:
        beginning = Beginning.of(file)
    except OSError as error:
        return Unread(str(file), None, f"cannot be read: {error.strerror or error}")
    except ValueError as error:
        return Unread(str(file), None, str(error))
    if beginning.is_pointer:
        return Unread(
            str(file),
            None,
            "is a Git LFS pointer instead of the log itself; fetch the log with: git lfs pull",
        )
    for name, one in FORMATS.items():
        if one.tells(beginning):
            return name, one.read
    return "inspect", FORMATS["inspect"].read


def _file_runs(
    file: Path, truth: TruthOptions, choose: Choose, notes: list[MappingNote] | None
) -> Iterator[Run | Unread]:
    chosen = choose(file)
    if isinstance(chosen, Unread):
        tally = Tally(str(file), UNKNOWN)
        results: Iterator[Run | Unread] = iter([chosen])
    else:
        name, read = chosen
        tally = Tally(str(file), name)
        results = read(file, truth, tally)
    for result in results:
        tally.result(result)
        yield result
    if notes is not None:
        notes.append(tally.note())


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
