"""From what the user names, files, folders and patterns, to runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from molehunt.trajectories.files import is_elsewhere, log_files
from molehunt.trajectories.labels import TruthOptions
from molehunt.trajectories.mapping import MappingNote, Tally
from molehunt.trajectories.problem import Problem
from molehunt.trajectories.runs import Run
from molehunt.trajectories.unread import Unread

if TYPE_CHECKING:
    from molehunt.trajectories.beginnings import Beginning
    from molehunt.trajectories.formats import Reader

__all__ = ["UNKNOWN", "log_files", "read_runs"]

UNKNOWN = "unknown"
"""What a note calls the format of a file that is of none."""


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
    files = [file for file in log_files(sources) if not _is_table_of_labels(file, truth)]
    truth.check([str(file) for file in files])
    names = _Names()
    return (result for file in files for result in _file_runs(file, truth, choose, names, notes))


Choose = Callable[[Path], "tuple[str, Reader] | Unread"]


def _choice(format_: str | None, fields: Mapping[str, str] | None) -> Choose:
    """What finds the reader of a file."""
    from molehunt.trajectories.fields import SOURCE, FieldReader
    from molehunt.trajectories.formats import FORMATS  # not before somebody reads

    if format_ is not None and format_ not in FORMATS:
        raise Problem(f"no format is called {format_!r}; there are {', '.join(FORMATS)}")
    if fields is not None and format_ is not None:
        raise Problem(f"a map of fields is for files of no known format; leave out either it or {format_!r}")
    if fields is None and format_ is None:
        return _told
    chosen = (
        (SOURCE, FieldReader(fields)) if fields is not None else (str(format_), FORMATS[str(format_)].read)
    )
    return lambda file: _pointer(file) or chosen


def _told(file: Path) -> tuple[str, Reader] | Unread:
    """The format that a file begins like, or why it is none."""
    from molehunt.trajectories.archives import Damaged
    from molehunt.trajectories.beginnings import Beginning
    from molehunt.trajectories.formats import FORMATS
    from molehunt.trajectories.inspect_files import is_plainly_a_log
    from molehunt.trajectories.inspect_runs import inspect_runs

    try:
        beginning = Beginning.of(file)
    except OSError as error:
        return Unread(str(file), None, f"cannot be read: {error.strerror or error}")
    except Damaged as reason:
        return Unread(str(file), None, str(reason))
    if unread := _pointer(file, beginning):
        return unread
    if is_plainly_a_log(beginning):  # as many are; a small one need not be opened again
        return "inspect", partial(inspect_runs, beginning=beginning)
    for name, one in FORMATS.items():
        if one.tells(beginning):
            return name, one.read
    return Unread(str(file), None, _what_it_is(beginning))


def _pointer(file: Path, beginning: Beginning | None = None) -> Unread | None:
    from molehunt.trajectories.archives import Damaged
    from molehunt.trajectories.beginnings import Beginning

    try:
        is_pointer = (beginning or Beginning.of(file)).is_pointer
    except (OSError, Damaged):  # its reader says so
        return None
    why = "is a Git LFS pointer instead of the log itself; fetch the log with: git lfs pull"
    return Unread(str(file), None, why) if is_pointer else None


def _what_it_is(beginning: Beginning) -> str:
    """What is to be said of a file that is no transcript."""
    how = "insist on its format (--format) or map its fields (--map)"
    if not beginning.content.strip():
        return "is empty"
    if beginning.content.lstrip()[:1] in (b"{", b"["):
        if beginning.is_cut_off:
            return "is not JSON to its end, so no transcript that can be read; copy it again"
        return f"is JSON, but no transcript of a known format; if it is one, {how}"
    if len(beginning.columns) > 1:
        columns = ", ".join(beginning.columns)
        columns = columns if len(columns) <= 80 else f"{columns[:79]}…"
        return (
            f"is a table, but not of transcripts: its columns are {columns}; if it is one, {how}; "
            "a table of scores is for molehunt report"
        )
    return "is of no known format of transcripts, neither zip, JSON, Parquet nor a table"


def _file_runs(
    file: Path, truth: TruthOptions, choose: Choose, names: _Names, notes: list[MappingNote] | None
) -> Iterator[Run | Unread]:
    chosen = choose(file)
    if isinstance(chosen, Unread):
        tally = Tally(str(file), UNKNOWN)
        results: Iterator[Run | Unread] = iter([chosen])
    else:
        name, read = chosen
        tally = Tally(str(file), name, wanted=notes is not None)
        results = _or_why_not(file, read, truth, tally)
    for result in results:
        result = result if isinstance(result, Unread) else names.apart(result, tally)
        tally.result(result)
        yield result
    if not tally.says_anything:
        nothing = Unread(str(file), None, "holds no transcripts")
        tally.result(nothing)
        yield nothing
    if notes is not None:
        notes.append(tally.note())


def _or_why_not(file: Path, read: Reader, truth: TruthOptions, tally: Tally) -> Iterator[Run | Unread]:
    """What a reader gives, and as a last result why it gave no more."""
    from molehunt.trajectories.archives import Damaged

    try:
        yield from read(file, truth, tally)
    except Damaged as reason:
        yield Unread(str(file), None, str(reason))
    except OSError as error:
        yield Unread(str(file), None, f"cannot be read: {error.strerror or error}")
    except RecursionError:
        yield Unread(str(file), None, "is nested too deeply to be read")


class _Names:
    """Keeps runs apart that go by one name, as lines of two files that are numbered from 1 may.

    The same run, met again in a copy of its file, stays the same run.
    """

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, str | None]] = {}  # by the run's id

    def apart(self, run: Run, tally: Tally) -> Run:
        """``run``, by another name if another run has had its own."""
        content = hash(run.trajectory), run.truth.label if run.truth else None
        if self._seen.setdefault(run.id, content) == content:
            return run
        tally.guess("a name that another run has too is of two runs")
        digest = sha256(f"{run.trajectory.id} {content[1]}".encode()).hexdigest()[:8]
        return replace(run, sample=f"{run.sample}#{digest}")


def _is_table_of_labels(file: Path, truth: TruthOptions) -> bool:
    """Whether a file, met in a folder, is the table that says what the others are."""
    if truth.labels is None or is_elsewhere(str(file)):
        return False
    return os.path.realpath(file) == os.path.realpath(truth.labels)
