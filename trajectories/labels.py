"""Truth that the user states about logs which do not carry it: by file name, by a field, or by a table."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

from molehunt.trajectories.problem import Problem
from molehunt.trajectories.runs import Label, Run, Truth
from molehunt.trajectories.wording import count

_WORDS: dict[str, Label] = {
    "attack": "attack",
    "1": "attack",
    "1.0": "attack",
    "true": "attack",
    "honest": "honest",
    "0": "honest",
    "0.0": "honest",
    "false": "honest",
}
_KEYS = ("sample", "sample_id", "epoch", "log")
_TRUTH = ("label", "environment", "task_id", "main_score", "side_score")


def read_label(value: Any) -> Label:
    """What a label says, however it is written: attack or honest, 1 or 0, true or false.

    Raises
    ------
    ValueError
        If it is none of these.

    Examples
    --------
    >>> read_label("Attack"), read_label(0), read_label(True)
    ('attack', 'honest', 'attack')
    """
    label = _WORDS.get(str(value).strip().casefold())
    if label is None:
        raise ValueError(f"{str(value)[:40]!r} is none of attack, honest, 1, 0, true, false")
    return label


@dataclass(frozen=True)
class LabelRow:
    """One row of a table of labels: which samples it is about, and what is true of them.

    Parameters
    ----------
    sample : what `Run.sample` is, the sample's uuid in the log; None if the row names samples otherwise.
    sample_id, epoch, log : the sample's id, with its epoch and its log's file name where the row has them.
    label : see `read_label`.
    environment, task_id, main_score, side_score : as in `Truth`, None where the row does not say.
    factors : all other columns.
    """

    label: Label
    sample: str | None = None
    sample_id: str | None = None
    epoch: int | None = None
    log: str | None = None
    environment: str | None = None
    task_id: str | None = None
    main_score: float | None = None
    side_score: float | None = None
    factors: Mapping[str, str] = field(default_factory=dict, hash=False)

    def is_about(self, sample: str, sample_id: str, epoch: int, log: str) -> bool:
        """Whether the row is about this sample."""
        if self.sample is not None:
            return self.sample == sample
        return (
            self.sample_id == sample_id
            and self.epoch in (None, epoch)
            and (self.log is None or PurePath(self.log).name == PurePath(log).name)
        )

    def correct(self, truth: Truth) -> Truth:
        """``truth`` with what the row says in place of what it said."""
        return replace(
            truth,
            label=self.label,
            environment=self.environment or truth.environment,
            task_id=self.task_id or truth.task_id,
            main_score=truth.main_score if self.main_score is None else self.main_score,
            side_score=truth.side_score if self.side_score is None else self.side_score,
            factors={**truth.factors, **self.factors},
        )


@dataclass(frozen=True)
class TruthOptions:
    """What the user says about logs that do not say it themselves.

    Parameters
    ----------
    honest, attack : patterns of log files such as ``*honest*``. One with a slash is matched against the whole
        path, one without against the file name alone.
    field : dotted path in each sample to its label, such as ``metadata.label``; a path that begins with
        ``eval.`` is looked up in the log's header.
    labels : CSV file with a column ``label`` and, to say which sample, ``sample`` (its uuid) or ``sample_id``
        with or without ``epoch`` and ``log``. Columns ``environment``, ``task_id``, ``main_score`` and
        ``side_score`` complete the truth; any others become factors.
    task_field : dotted path to the main task, as ``field``.

    A row of ``labels`` overrules everything, also what a log of ours says of itself; then come the log's own
    word, ``field``, and the patterns.

    Examples
    --------
    >>> options = TruthOptions(honest=["*honest*"], attack=["*attack*"])
    >>> options.label_of_file("logs/apps-attack-5321ab66.eval")
    'attack'
    """

    honest: tuple[str, ...] = ()
    attack: tuple[str, ...] = ()
    field: str | None = None
    labels: str | Path | None = None
    task_field: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "honest", tuple(self.honest))
        object.__setattr__(self, "attack", tuple(self.attack))

    def check(self, logs: Iterable[str]) -> None:
        """Find what is wrong with the options before anything is read.

        Raises
        ------
        Problem
            If the table of labels cannot be read, a log matches patterns of both kinds, or a pattern matches
            no log.
        """
        _ = self._rows
        files = list(logs)
        for log in files:
            self.label_of_file(log)
        for option, patterns in (("--honest", self.honest), ("--attack", self.attack)):
            for pattern in patterns:
                if not any(_matches(log, [pattern]) for log in files):
                    raise Problem(
                        f"{option} {pattern!r} matches none of the "
                        f"{f'{len(files)} ' if len(files) > 1 else ''}log files"
                        f"{f', such as {files[0]}' if files else ''}; without a slash it is for file names"
                    )

    def label_of_file(self, log: str) -> Label | None:
        """What the patterns say of a log.

        Raises
        ------
        Problem
            If it matches patterns of both kinds.
        """
        honest, attack = _matches(log, self.honest), _matches(log, self.attack)
        if honest and attack:
            raise Problem(
                f"{log} matches both --honest {honest!r} and --attack {attack!r}; narrow one of the patterns"
            )
        return "honest" if honest else "attack" if attack else None

    def is_overruled(self, run: Run) -> bool:
        """Whether the patterns say something else of a run than its log, or the table, which holds."""
        said = self.label_of_file(run.log)
        return run.truth is not None and said not in (None, run.truth.label)

    def row(self, sample: str, sample_id: str, epoch: int, log: str) -> LabelRow | None:
        """The row of the table that is about a sample: one that names it before one that names its id."""
        if self.labels is None:
            return None
        candidates = [*self._rows.get(("sample_id", sample_id), ()), *self._rows.get(("sample", sample), ())]
        about = [row for row in reversed(candidates) if row.is_about(sample, sample_id, epoch, log)]
        self._asked_for.update(map(id, about))
        return about[0] if about else None

    def left_over(self) -> list[str]:
        """What is to be told of the table's rows that are about no sample so far: a line, or none."""
        rows = sum(map(len, self._rows.values()))
        left = rows - len(self._asked_for)
        if not left:
            return []
        are = "is" if left == 1 else "are"
        return [
            f"{left:,} of {count(rows, 'row')} of {self.labels} {are} about no run that was read; its column "
            "sample holds uuids of samples, sample_id their ids"
        ]

    @cached_property
    def _asked_for(self) -> set[int]:
        """Rows, by identity, that are about some sample."""
        return set()

    @cached_property
    def _rows(self) -> Mapping[tuple[str, str], list[LabelRow]]:
        rows: dict[tuple[str, str], list[LabelRow]] = {}
        for row in read_labels(self.labels) if self.labels is not None else ():
            key = ("sample", row.sample) if row.sample is not None else ("sample_id", row.sample_id or "")
            rows.setdefault(key, []).append(row)
        return rows


def contradictions(read: int, overruled: int, kept: int) -> list[str]:
    """What is to be told of labels that contradict each other, a line each.

    Parameters
    ----------
    read : how many runs were.
    overruled : of them, against what the patterns say.
    kept : of them, with the label that a store has and not with the one that was read now.

    Examples
    --------
    >>> contradictions(9, 0, 0)
    []
    """
    lines = []
    if overruled:
        bear = "bears a label of its own" if overruled == 1 else "bear labels of their own"
        lines.append(
            f"{overruled:,} of {count(read, 'run')} {bear} that --honest and --attack contradict, "
            "and it holds"
        )
    if kept:
        keep = "keeps the other label that it has" if kept == 1 else "keep the other labels that they have"
        lines.append(f"{kept:,} of {count(read, 'run')} {keep} in the store")
    return [f"{line}; a table changes it: --truth labels.csv" for line in lines]


def read_labels(path: str | Path) -> list[LabelRow]:
    """Read a table of labels; see `TruthOptions` for its columns.

    Raises
    ------
    Problem
        If the file cannot be read, lacks a column, or a row says what cannot be.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            table = csv.DictReader(file)
            columns = table.fieldnames or []
            if "label" not in columns or not {"sample", "sample_id"} & set(columns):
                raise Problem(f"{path} needs a column label and a column sample or sample_id")
            return [_row(cells, f"{path} line {table.line_num}") for cells in table]
    except OSError as error:
        raise Problem(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise Problem(f"{path} is no CSV file in UTF-8: {error}") from error


def _row(cells: Mapping[str | None, Any], where: str) -> LabelRow:
    if None in cells:
        raise Problem(f"{where}: more cells than columns")
    given = {str(name): cell.strip() for name, cell in cells.items() if cell and cell.strip()}
    if not ("sample" in given or "sample_id" in given):
        raise Problem(f"{where}: the row names no sample")
    try:
        return LabelRow(
            label=read_label(given.get("label", "")),
            sample=given.get("sample"),
            sample_id=given.get("sample_id"),
            epoch=int(given["epoch"]) if "epoch" in given else None,
            log=given.get("log"),
            environment=given.get("environment"),
            task_id=given.get("task_id"),
            main_score=_number(given.get("main_score")),
            side_score=_number(given.get("side_score")),
            factors={name: cell for name, cell in given.items() if name not in _KEYS + _TRUTH},
        )
    except ValueError as error:
        raise Problem(f"{where}: {error}") from error


def _number(cell: str | None) -> float | None:
    number = math.nan if cell is None else float(cell)
    return None if math.isnan(number) else number


def _matches(log: str, patterns: Sequence[str]) -> str | None:
    if not patterns:
        return None
    name = os.path.basename(log)  # noqa: PTH119  this is asked for every sample, and a path takes long to make
    return next(
        (pattern for pattern in patterns if fnmatchcase(log if "/" in pattern else name, pattern)), None
    )
