"""Runs of any format into one file of our own, with a note beside it of what became of every file read."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, cast

from molehunt.trajectories.files import NOTE
from molehunt.trajectories.mapping import MappingNote
from molehunt.trajectories.molehunt_jsonl import LONGEST_LINE, SCHEMA_VERSION, run_line
from molehunt.trajectories.problem import Problem
from molehunt.trajectories.runs import Run
from molehunt.trajectories.unread import Unread
from molehunt.trajectories.whole import whole

SUFFIXES = (".jsonl", ".jsonl.gz")


@dataclass(frozen=True)
class Imported:
    """What an import came to.

    Parameters
    ----------
    out : the file, None if no run was read and none was written.
    runs : that were written.
    labels : of them by label, ``unlabelled`` where nobody has said what they are.
    notes : what became of each file.
    unread : files, samples and lines that could not be read.
    """

    out: Path | None
    runs: int
    labels: Mapping[str, int]
    notes: Sequence[MappingNote] = ()
    unread: tuple[Unread, ...] = field(default=(), repr=False)

    @property
    def exit_status(self) -> Literal[0, 1, 3]:
        """0 all was read; 1 nothing was; 3 some was."""
        return 1 if not self.runs else 3 if self.unread else 0


def write_runs(
    results: Iterable[Run | Unread],
    out: str | Path | None,
    *,
    notes: Sequence[MappingNote] = (),
    each: Callable[[Run], None] = lambda run: None,
) -> Imported:
    """Write runs as JSON lines, one in memory at a time; the file is there when it is whole, or not at all.

    Parameters
    ----------
    results : as `read_runs` gives them.
    out : a file whose name ends in ``.jsonl`` or ``.jsonl.gz``; it replaces one of the same name. Without it
        runs are only counted, and shown to ``each``.
    notes : what `read_runs` is told to put its notes into.
    each : is shown every run that is written.

    Returns
    -------
    Imported

    Raises
    ------
    Problem
        If ``out`` has another name.

    Examples
    --------
    >>> import tempfile
    >>> from molehunt.trajectories import Step, Trajectory
    >>> run = Run(Trajectory("Add.", (Step(0, "code", "a + b"),)), None, log="a.eval", sample="s1")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_runs([run], Path(folder, "runs.jsonl")).labels
    {'unlabelled': 1}
    """
    path = None if out is None else check_out(out)
    labels: Counter[str] = Counter()
    unread: list[Unread] = []
    with Path(os.devnull).open("wb") if path is None else _packed(path) as file:
        for result in results:
            if isinstance(result, Unread):
                unread.append(result)
            elif len(line := run_line(result).encode()) >= LONGEST_LINE:
                unread.append(Unread(result.log, result.sample, f"has more than {LONGEST_LINE >> 20} MiB"))
            else:
                file.write(line + b"\n")
                labels[result.truth.label if result.truth else "unlabelled"] += 1
                each(result)
    return Imported(path if labels else None, labels.total(), dict(labels), notes, tuple(unread))


@contextmanager
def _packed(path: Path) -> Iterator[IO[bytes]]:
    """A file to write, packed if its name says so, which takes its place if anything was written."""
    with whole(path) as part:
        with part.open("wb") as raw:
            if path.suffix == ".gz":
                # no name and no time in it: the same runs make the same file
                with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
                    yield cast(IO[bytes], packed)
                    written = packed.tell()
            else:
                yield raw
                written = raw.tell()
        if not written:
            part.unlink()


def check_out(out: str | Path) -> Path:
    """``out`` as a path.

    Raises
    ------
    Problem
        If it is not called like a file of runs, or is a folder.
    """
    path = Path(out)
    if path.is_dir():
        raise Problem(f"{path} is a folder; give the name of a file in it, one that ends in .jsonl")
    if not path.name.endswith(SUFFIXES) or path.name in SUFFIXES:
        raise Problem(
            f"{path} is to be a file of JSON lines; give it a name that ends in .jsonl or .jsonl.gz"
        )
    return path


def note_file(out: Path) -> Path:
    """Where the note about a file of runs stands: beside it.

    Examples
    --------
    >>> note_file(Path("data/runs.jsonl.gz")).name
    'runs.note.json'
    """
    name = next(out.name.removesuffix(suffix) for suffix in reversed(SUFFIXES) if out.name.endswith(suffix))
    return out.with_name(f"{name}{NOTE}")


def note_of(imported: Imported, **more: Any) -> dict[str, Any]:
    """All that is known of an import, as JSON values; ``more`` goes in as it is."""
    return {
        "schema_version": SCHEMA_VERSION,
        "runs": imported.runs,
        "labels": dict(imported.labels),
        "files": [_plain(note) for note in imported.notes],
        "unread": [str(unread) for unread in imported.unread],
        **more,
    }


def write_note(imported: Imported, **more: Any) -> Path:
    """Write `note_of` beside the file of runs."""
    if imported.out is None:
        raise ValueError("there is no file of runs to put a note beside")
    path = note_file(imported.out)
    with whole(path) as part:
        part.write_text(json.dumps(note_of(imported, **more), indent=1) + "\n")
    return path


def _plain(note: MappingNote) -> dict[str, Any]:
    # what says nothing is left out: many files use all that is in them
    return {
        name: dict(value) if isinstance(value, Mapping) else value
        for name, value in vars(note).items()
        if value
    }
