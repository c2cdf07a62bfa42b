"""Trajectories of samples that are still in Inspect's hands, by the reader that reads its logs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_json

from molehunt.trajectories import Problem, Trajectory, TruthOptions
from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.inspect_files import Log, RawSample
from molehunt.trajectories.inspect_history import history
from molehunt.trajectories.inspect_records import EvalRecord, HeaderRecord
from molehunt.trajectories.inspect_runs import sample_runs


@dataclass(frozen=True)
class Reading:
    """A trajectory, and for each step the id of the message that it stands in, None where that is unknown."""

    trajectory: Trajectory
    messages: tuple[str | None, ...]


def read_sample(
    *,
    sample_id: str,
    epoch: int,
    opening: Any,
    messages: Sequence[BaseModel],
    events: Sequence[BaseModel] = (),
    attachments: Mapping[str, str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    store: Mapping[str, Any] | None = None,
) -> Reading:
    """The trajectory of a sample as `molehunt score` would read it from the log.

    Of a sample with several attempts it is the last one.

    Parameters
    ----------
    sample_id, epoch : of the sample.
    opening : its input, a text or messages.
    messages, events, attachments, metadata, store : as Inspect has them.

    Raises
    ------
    Problem
        If they cannot be read.
    """
    fields = {
        "id": sample_id,
        "epoch": epoch,
        "input": opening,
        "messages": messages,
        "events": events,
        "attachments": dict(attachments or {}),
        "metadata": dict(metadata or {}),
        "store": dict(store or {}),
    }
    try:
        raw = RawSample(sample_id, to_json(fields, fallback=str, exclude_none=True))
        log = Log(HeaderRecord(eval=EvalRecord(task="")), {}, iter(()))
        run = sample_runs(raw, log, sample_id, TruthOptions())[-1]
        entries = history(raw.record())
    except (Damaged, ValueError) as reason:
        raise Problem(f"sample {sample_id} {reason}") from reason
    sources = [entry.message for entry in entries for _ in entry.drafts]
    # an attempt's steps are part of the sample's, and which part is known if there is one attempt
    whole = len(sources) == len(run.trajectory.steps)
    return Reading(run.trajectory, tuple(sources) if whole else (None,) * len(run.trajectory.steps))


def cited(steps: Iterable[int | None], reading: Reading) -> list[str]:
    """Ids of the messages that hold ``steps``, each once, in order."""
    found = (reading.messages[step] for step in steps if step is not None)
    return list(dict.fromkeys(message for message in found if message is not None))
