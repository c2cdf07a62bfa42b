"""Files of no known format, read by a map of fields that the user gives: our names of them → theirs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.beginnings import Beginning
from molehunt.trajectories.completions import Completion, completion_run
from molehunt.trajectories.labels import TruthOptions, read_label
from molehunt.trajectories.lines import parsed, records, table_rows
from molehunt.trajectories.mapping import Tally
from molehunt.trajectories.problem import Problem
from molehunt.trajectories.records import NAMES, Reading, find
from molehunt.trajectories.runs import Run
from molehunt.trajectories.unread import Unread

SOURCE = "fields"

MESSAGES = "messages"
"""The field of ours that a whole conversation goes to; see `Conversation`."""

FACTOR = "factors."
"""What our names of factors begin with: ``factors.side_task``."""

_ANSWERS = frozenset({"completion", "solution", MESSAGES})
_SHOWN = 200  # characters of the names of fields

OURS = (*Completion.model_fields, "epoch", MESSAGES)
"""Our names of fields, besides those of factors."""


class FieldReader:
    """Reads JSON, JSON lines and tables whose fields the user has named.

    Parameters
    ----------
    fields : our name of a field → theirs, a column or a dotted path.

    Raises
    ------
    Problem
        If a field of ours is unknown, or what makes a run is not named.

    Examples
    --------
    >>> FieldReader({"answer": "reply"})
    Traceback (most recent call last):
    molehunt.trajectories.problem.Problem: the map of fields names 'answer', which is no field of ours; ...
    """

    def __init__(self, fields: Mapping[str, str]) -> None:
        for name in fields:
            if name not in OURS and not (name.startswith(FACTOR) and name != FACTOR):
                raise Problem(
                    f"the map of fields names {name!r}, which is no field of ours; "
                    f"there are {', '.join(OURS)} and {FACTOR}NAME"
                )
        if not _ANSWERS & fields.keys():
            raise Problem(
                "the map of fields says what was asked and not what was done; "
                "add one of completion, solution, messages"
            )
        if not {"task", MESSAGES} & fields.keys():
            raise Problem("the map of fields does not say what was asked; add task")
        self._fields = dict(fields)

    def __call__(self, path: Path, options: TruthOptions, tally: Tally) -> Iterator[Run | Unread]:
        """Read a file, one record in memory at a time."""
        reading = Reading(path, options, tally, SOURCE)
        beginning = Beginning.of(path)
        if beginning.record:
            return reading.each(records(path), lambda record: self._run(reading, record, record.keys()))
        # empty cells are missing from a row, though there is a column
        return reading.each(table_rows(path), lambda row: self._run(reading, row, beginning.columns or row))

    def _check(self, there: Collection[str]) -> None:
        """Whether there are the fields that the map says hold what was asked and what was done."""
        missing = {
            name: path
            for name, path in self._fields.items()
            if path not in there and path.split(".")[0] not in there
        }
        no_answer = not (_ANSWERS & self._fields.keys()) - missing.keys()
        if no_answer or ("task" in missing and MESSAGES not in self._fields):
            raise Damaged(
                f"has no field {', '.join(missing.values())}; there are {', '.join(there)[:_SHOWN]}"
            )

    def _run(self, reading: Reading, record: dict[str, Any], there: Collection[str]) -> Run:
        self._check(there)
        ours = self._ours(record)
        uses = {*self._fields.values(), *(path.split(".")[0] for path in self._fields.values())}
        if MESSAGES not in ours:
            return completion_run(reading, record, {"environment": SOURCE, **ours}, uses)
        messages = ours.pop(MESSAGES)
        talk = reading.talk()
        talk.turns(parsed(messages.encode()) if isinstance(messages, str) else messages)
        if "label" in ours:
            try:
                ours["label"] = read_label(ours["label"])
            except ValueError as error:
                raise Damaged(f"has a label that is none: {error}") from error
        task = ours.pop("task", None)
        known = {name: value for name, value in ours.items() if name in NAMES}
        return reading.run(talk, record, uses=uses, known=known, task=task if isinstance(task, str) else None)

    def _ours(self, record: dict[str, Any]) -> dict[str, Any]:
        ours: dict[str, Any] = {}
        for name, path in self._fields.items():
            if (value := find(record, path)) is None:
                continue
            if name.startswith(FACTOR):
                ours.setdefault("factors", {})[name.removeprefix(FACTOR)] = str(value)
            else:
                ours[name] = value
        if not ours:
            raise Damaged(f"has none of the fields {', '.join(self._fields.values())}")
        return ours
