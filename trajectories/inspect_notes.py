"""What the reader of Inspect logs uses of a sample, for the note on its file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.inspect_files import RawSample
from molehunt.trajectories.inspect_own import METADATA_KEY
from molehunt.trajectories.mapping import Tally
from molehunt.trajectories.runs import Run

_FIELDS = frozenset(
    {
        "id",
        "epoch",
        "input",
        "messages",
        "events",
        "events_data",
        "attachments",
        "metadata",
        "store",
        "scores",
    }
    | {"error", "limit", "uuid", "started_at"}
)
_METADATA = frozenset(
    {METADATA_KEY, "main_task_description", "main_task_name", "setting_name", "side_task_name", "eval_mode"}
)
_EVENTS = frozenset({"model", "tool", "span_begin", "span_end", "step"})
_LISTED = 20  # keys of metadata that are named one by one


def note_sample(sample: RawSample, runs: Sequence[Run], tally: Tally) -> None:
    """Count a sample's fields, its metadata's and its events by type, and what was guessed.

    Reads the sample anew, so it is for those who want a note.
    """
    try:
        fields = sample.fields()
    except Damaged:  # the reader has said so, or has read it another way
        return
    if not isinstance(fields, dict):
        return
    tally.fields({name: value for name, value in fields.items() if value not in (None, [], {})}, _FIELDS)
    metadata = _dict(fields.get("metadata"))
    tally.fields(dict(list(metadata.items())[:_LISTED]), _METADATA, "metadata.")
    for event in fields.get("events") or ():
        kind = str(_dict(event).get("event"))[:40]
        tally.fields({kind: None}, _EVENTS, "event ")
    if any(not run.task_verified for run in runs):
        tally.guess("the task is the first turn of the user")
    if not fields.get("uuid"):
        tally.guess("a sample without a uuid goes by its log and its id")


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
