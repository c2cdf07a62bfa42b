"""What a record of somebody else's says of its run besides what was done, and the run that comes of both."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.conversation import Conversation
from molehunt.trajectories.labels import TruthOptions, read_label
from molehunt.trajectories.lines import records
from molehunt.trajectories.mapping import Tally
from molehunt.trajectories.runs import Ending, Label, Run, Truth
from molehunt.trajectories.steps import Trajectory, encodable
from molehunt.trajectories.unread import Unread

NAMES = frozenset(
    {"label", "environment", "task_id", "main_score", "side_score", "model", "sample", "epoch", "factors"}
)
"""Fields of a record, or of its ``metadata``, that are understood in every format; see `Truth` and `Run`."""

OWN_NAMES = ("sample", "custom_id", "id", "uuid")
"""Where a record has a name of its own."""

RecordReader = Callable[[Path, TruthOptions, Tally], Iterator[Run | Unread]]

_LAST_EPOCH = 2**31


@dataclass(frozen=True)
class Reading:
    """A file that is being read, with all that bears on its runs.

    Parameters
    ----------
    path : the file.
    options : truth that the user states.
    tally : counts what becomes of the file.
    source : name of the format, as in `Run.source`.
    """

    path: Path
    options: TruthOptions
    tally: Tally
    source: str

    def each(
        self, rows: Iterable[tuple[str, Any]], run: Callable[[dict[str, Any]], Run]
    ) -> Iterator[Run | Unread]:
        """The run of each record; an `Unread` for one that is `Damaged`, or for which ``run`` raises it."""
        for place, record in rows:
            try:
                if isinstance(record, Damaged):
                    raise record
                if not isinstance(record, dict):
                    raise Damaged("is no JSON object")
                yield run(record)
            except Damaged as reason:
                yield Unread(str(self.path), place, str(reason))
            except RecursionError:
                yield Unread(str(self.path), place, "is nested too deeply to be read")

    def talk(self) -> Conversation:
        """An empty conversation."""
        return Conversation(self.tally)

    def run(
        self,
        talk: Conversation,
        record: Mapping[str, Any],
        *,
        uses: Iterable[str],
        known: Mapping[str, Any] | None = None,
        task: str | None = None,
        ending: Ending = "finished",
        idle: bool = False,
    ) -> Run:
        """The run of a conversation.

        Parameters
        ----------
        talk : what was done.
        record : the whole record, for the fields `NAMES` that it or its ``metadata`` may have, and for those
            that the user names.
        uses : names of the fields of ``record`` that ``talk`` was made of.
        known : values of `NAMES` that the format has elsewhere; these count before the record's.
        task : the main task where the format gives it apart; else it is the first turn of the user.
        ending : how the run ended.
        idle : whether an agent may have done nothing at all.

        Raises
        ------
        Damaged
            If nothing was done that had to be, or a value is not what it has to be.
        """
        metadata = record.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        said = {**metadata, **record, **(known or {})}
        self.tally.fields(record, {*uses, *NAMES, *OWN_NAMES, "metadata"})
        self.tally.fields(metadata, NAMES, "metadata.")
        named = self._user_task(record) or task
        trajectory = Trajectory(named if named is not None else talk.task or "", talk.steps())
        if not (trajectory.steps or idle):
            raise Damaged("holds nothing that an agent did")
        if named is None:
            self.tally.guess(
                "the task is the first turn of the user"
                if talk.task is not None
                else "there is no turn of a user, so the task is empty"
            )
        epoch = epoch_of(said.get("epoch"))
        own = next((str(said[name]) for name in OWN_NAMES if isinstance(said.get(name), str | int)), None)
        task_id = self._task_id(said, trajectory)
        sample = said.get("sample")
        name = str(sample) if isinstance(sample, str | int) else f"{own or task_id}/{trajectory.id[:16]}"
        model = said.get("model")
        return Run(
            trajectory,
            self._truth(said, record, (name, own or task_id, task_id), epoch),
            log=str(self.path),
            sample=name,
            epoch=epoch,
            source=self.source,
            agent_model=model if isinstance(model, str) else None,
            reasoning=talk.reasoning,
            ending=ending,
            task_verified=named is not None,
        )

    def _user_task(self, record: Mapping[str, Any]) -> str | None:
        task = find(record, self.options.task_field) if self.options.task_field else None
        return task if isinstance(task, str) else None

    def _task_id(self, said: Mapping[str, Any], trajectory: Trajectory) -> str:
        if isinstance(given := said.get("task_id"), str | int):
            return encodable(str(given))
        if not trajectory.task:
            self.tally.guess("without task or name, a run is a problem of its own")
            return f"task-{trajectory.id[:12]}"
        self.tally.guess("runs of the same task text are of one problem")
        return f"task-{hashlib.sha256(trajectory.task.encode()).hexdigest()[:12]}"

    def _truth(
        self,
        said: Mapping[str, Any],
        record: Mapping[str, Any],
        names: tuple[str, str, str],
        epoch: int,
    ) -> Truth | None:
        name, *ids = names  # a table of labels may go by the record's own id or by its problem's
        rows = (self.options.row(name, sample_id, epoch, str(self.path)) for sample_id in ids)
        row = next((row for row in rows if row), None)
        label = row.label if row else self._label(said, record)
        if label is None:
            return None
        factors = said.get("factors")
        environment = said.get("environment")
        truth = Truth(
            label,
            environment if isinstance(environment, str) and environment else self.source,
            names[-1],
            main_score=score(said.get("main_score")),
            side_score=score(said.get("side_score")),
            factors={encodable(str(key)): encodable(str(value)) for key, value in factors.items()}
            if isinstance(factors, dict)
            else {},
        )
        return row.correct(truth) if row else truth

    def _label(self, said: Mapping[str, Any], record: Mapping[str, Any]) -> Label | None:
        if (own := said.get("label")) is not None:
            try:
                return read_label(own)
            except ValueError:  # other people's labels are often of something else
                self.tally.guess("its label is neither honest nor attack, so it says something else")
        field = self.options.field
        if field is not None and (value := find(record, field)) is not None:
            try:
                return read_label(value)
            except ValueError as error:
                raise Damaged(f"has a field {field} that is no label: {error}") from error
        by_file = self.options.label_of_file(str(self.path))
        if field is not None and by_file is None:
            raise Damaged(f"has no field {field}, which is to hold its label")
        return by_file


def record_reader(source: str, run: Callable[[Reading, dict[str, Any]], Run]) -> RecordReader:
    """A reader of files whose records are a run each, lines or items of an array, one in memory at a time.

    Parameters
    ----------
    source : name of the format.
    run : makes the run of a record, or raises `Damaged`.
    """

    def read(path: Path, options: TruthOptions, tally: Tally) -> Iterator[Run | Unread]:
        reading = Reading(path, options, tally, source)
        return reading.each(records(path), lambda record: run(reading, record))

    return read


def find(record: Any, path: str) -> Any:
    """The value at a dotted path, None if there is none.

    Examples
    --------
    >>> find({"a": {"b": 1}}, "a.b"), find({"a.b": 2}, "a.b"), find({}, "a.b")
    (1, 2, None)
    """
    if isinstance(record, dict) and path in record:
        return record[path]
    for name in path.split("."):
        record = record.get(name) if isinstance(record, dict) else None
    return record


def score(value: Any) -> float | None:
    """A number between truth and lie, None where nothing is said.

    Raises
    ------
    Damaged
        If it is neither a number nor true or false.

    Examples
    --------
    >>> score(True), score("0.5"), score(None), score(float("nan"))
    (1.0, 0.5, None, None)
    """
    if value is None or value == "":
        return None
    if isinstance(value, str) and value.strip().casefold() in ("true", "false"):
        return float(value.strip().casefold() == "true")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise Damaged(f"has a score that is no number: {str(value)[:40]!r}") from error
    return number if math.isfinite(number) else None


def epoch_of(value: Any) -> int:
    """An epoch, the first where nothing is said.

    Raises
    ------
    Damaged
        If it is no number that an epoch can have.

    Examples
    --------
    >>> epoch_of(None), epoch_of("2")
    (1, 2)
    """
    if value is None:
        return 1
    if isinstance(value, int) and 0 <= value < _LAST_EPOCH:
        return value
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    raise Damaged(f"has an epoch that is no number: {str(value)[:40]!r}")
