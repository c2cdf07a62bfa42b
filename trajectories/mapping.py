"""What a reader made of a file: the fields that it used, those that it dropped, and what it had to guess."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from molehunt.trajectories.runs import Run
from molehunt.trajectories.steps import Kind
from molehunt.trajectories.unread import Unread


@dataclass(frozen=True)
class MappingNote:
    """What became of one file.

    Parameters
    ----------
    file : as runs name it in `Run.log`.
    format : name of the reader, a key of ``formats.FORMATS``, or ``fields`` for a map of the user's.
    used : fields that went into runs or their truth, and how often.
    dropped : fields that went nowhere, and how often.
    guesses : what was taken to be so without the file's saying it, in words, and how often.
    runs : runs that the file gave.
    unread : samples, lines or files that could not be read.
    steps : steps of these runs by kind; kinds that do not occur are missing.
    """

    file: str
    format: str
    used: Mapping[str, int] = field(default_factory=dict, hash=False)
    dropped: Mapping[str, int] = field(default_factory=dict, hash=False)
    guesses: Mapping[str, int] = field(default_factory=dict, hash=False)
    runs: int = 0
    unread: int = 0
    steps: Mapping[Kind, int] = field(default_factory=dict, hash=False)


class Tally:
    """Counts what a reader makes of one file, while it reads.

    Parameters
    ----------
    file, format : as in `MappingNote`.
    wanted : whether anybody wants the note; what is dear to count need not be counted if not.

    Examples
    --------
    >>> tally = Tally("a.jsonl", "completions")
    >>> tally.fields({"prompt": "Add.", "logprobs": None}, used={"prompt"})
    >>> tally.guess("the first user turn is the task")
    >>> note = tally.note()
    >>> dict(note.used), dict(note.dropped), dict(note.guesses)
    ({'prompt': 1}, {'logprobs': 1}, {'the first user turn is the task': 1})
    """

    def __init__(self, file: str, format: str, *, wanted: bool = True) -> None:  # noqa: A002  as in the note
        self.wanted = wanted
        self._file, self._format = file, format
        self._used: Counter[str] = Counter()
        self._dropped: Counter[str] = Counter()
        self._guesses: Counter[str] = Counter()
        self._steps: Counter[Kind] = Counter()
        self._runs = self._unread = 0

    def fields(self, record: Mapping[str, object], used: frozenset[str] | set[str], prefix: str = "") -> None:
        """Count the fields of a record: those among ``used``, and the others as dropped.

        Parameters
        ----------
        record : with its fields as the file names them.
        used : names of the fields that the reader reads.
        prefix : put before each name, such as ``message.``.
        """
        for name in record:
            (self._used if name in used else self._dropped)[f"{prefix}{name}"] += 1

    def drop(self, name: str) -> None:
        """Count something that goes nowhere, such as an image."""
        self._dropped[name] += 1

    def guess(self, words: str) -> None:
        """Count something that is taken to be so."""
        self._guesses[words] += 1

    def result(self, result: Run | Unread) -> None:
        """Count what the reader yields."""
        if isinstance(result, Unread):
            self._unread += 1
            return
        self._runs += 1
        if self.wanted:
            self._steps.update(step.kind for step in result.trajectory.steps)

    @property
    def says_anything(self) -> bool:
        """Whether the file gave a result, or a reason why it gives none."""
        return bool(self._runs or self._unread or self._guesses)

    def note(self) -> MappingNote:
        """What has been counted so far."""
        return MappingNote(
            self._file,
            self._format,
            dict(self._used),
            dict(self._dropped),
            dict(self._guesses),
            self._runs,
            self._unread,
            dict(self._steps),
        )
