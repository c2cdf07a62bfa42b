"""Transcript databases of Inspect Scout: Parquet files with a row a transcript.

Columns are those of ``inspect_scout``'s ``TRANSCRIPT_SCHEMA_FIELDS`` (0.6.1), of which only ``transcript_id``
must be there: messages, events and the pools that events refer to are JSON. A row is what Inspect's sample
is, so it is read as one; the sample's own metadata is in the column ``sample_metadata`` if a log was the
source, and else in columns of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from molehunt.trajectories.archives import LARGEST_RATIO, Damaged
from molehunt.trajectories.beginnings import Beginning
from molehunt.trajectories.inspect_files import Log, RawSample
from molehunt.trajectories.inspect_records import EvalRecord, HeaderRecord
from molehunt.trajectories.inspect_runs import sample_runs
from molehunt.trajectories.labels import TruthOptions
from molehunt.trajectories.lines import parsed
from molehunt.trajectories.mapping import Tally
from molehunt.trajectories.records import epoch_of
from molehunt.trajectories.runs import Run
from molehunt.trajectories.unread import Unread

SOURCE = "scout"

_CONTENT = ("messages", "events", "events_data")
_USED = ("transcript_id", "task_set", "task_id", "task_repeat", "model", "score", "error", "limit")
_OTHERS = frozenset(
    {"source_type", "source_id", "source_uri", "date", "agent", "agent_args", "model_options", "timelines"}
    | {"score_explanation", "success", "message_count", "total_time", "total_tokens", "trust_content"}
)
_OF_SAMPLE = "sample_metadata"
_HARMLESS = 64 << 20


def is_scout_database(beginning: Beginning) -> bool:
    """Whether a file is Parquet; whether it holds transcripts, its reader says."""
    return beginning.is_parquet


def scout_runs(path: Path, options: TruthOptions, tally: Tally) -> Iterator[Run | Unread]:
    """Read a file of a database, one transcript in memory at a time.

    Yields
    ------
    Run or Unread
        One for each row, or for each attempt that an environment of ours recorded in it.

    Raises
    ------
    Damaged
        If the file cannot be read to its end, or holds no transcripts, or pyarrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise Damaged(
            "is Parquet, which needs pyarrow; install it with: pip install 'molehunt[parquet]'"
        ) from (error)
    number = 0
    try:
        with path.open("rb") as file, parquet.ParquetFile(file) as table:
            columns = _columns(table, tally)
            _refuse_bombs(table)
            for batch in table.iter_batches(batch_size=1, columns=columns):
                for row in batch.to_pylist():
                    number += 1
                    yield from _row_runs(row, path, options, tally, number)
    except pyarrow.ArrowException as error:
        raise Damaged(f"cannot be read beyond row {number}: {str(error)[:200]}") from error
    except UnicodeDecodeError as error:
        raise Damaged(
            f"has a text in row {number + 1} that is not UTF-8; the rows behind it are not read"
        ) from (error)


def _columns(table: Any, tally: Tally) -> list[str]:
    """The columns that are read: content, what is used of the rest, and whatever is metadata."""
    names = list(table.schema_arrow.names)
    if "transcript_id" not in names or not {"messages", "events"} & set(names):
        raise Damaged("is a Parquet table, but not of transcripts: it has no transcript_id and messages")
    for name in _OTHERS.intersection(names):
        tally.drop(name)
    return [name for name in names if name not in _OTHERS]


def _refuse_bombs(table: Any) -> None:
    for number in range(table.metadata.num_row_groups):
        group = table.metadata.row_group(number)
        for place in range(group.num_columns):
            column = group.column(place)
            packed, unpacked = column.total_compressed_size, column.total_uncompressed_size
            if unpacked > max(_HARMLESS, LARGEST_RATIO * packed):
                raise Damaged(
                    f"would unpack {packed:,} bytes to {unpacked:,}, which no database of transcripts does"
                )


def _row_runs(
    row: dict[str, Any], path: Path, options: TruthOptions, tally: Tally, number: int
) -> Iterator[Run | Unread]:
    name = str(row.get("transcript_id") or f"row {number}")
    given = {column: value for column, value in row.items() if value is not None}
    metadata = {column: value for column, value in given.items() if column not in (*_USED, *_CONTENT)}
    tally.fields(given, {*_USED, *_CONTENT, _OF_SAMPLE})
    model, task = given.get("model"), given.get("task_set") or SOURCE
    evaluation = EvalRecord(task=str(task), model=None if model is None else str(model))
    log = Log(HeaderRecord(eval=evaluation), {}, iter(()))
    try:
        for run in sample_runs(RawSample(name, _sample(given, name, metadata)), log, str(path), options):
            if not run.task_verified:
                tally.guess("the task is the first turn of the user")
            yield replace(run, source=SOURCE)
    except Damaged as reason:
        yield Unread(str(path), name, str(reason))


def _sample(row: dict[str, Any], name: str, metadata: dict[str, Any]) -> bytes:
    """A row as a sample of Inspect's, in JSON; the large columns are JSON already."""
    of_sample = _json(metadata.pop(_OF_SAMPLE, None))
    messages = _text(row, "messages", "[]")
    small = {
        "id": str(row.get("task_id") or name),
        "uuid": name,
        "epoch": epoch_of(row.get("task_repeat")),
        "metadata": {**metadata, **(of_sample if isinstance(of_sample, dict) else {})},
        "scores": {"score": {"value": _json(row.get("score"))}},
        "error": row.get("error"),
        "limit": {"type": row["limit"]} if "limit" in row else None,
    }
    large = {"input": messages, "messages": messages, "events": _text(row, "events", "[]")}
    if "events_data" in row:
        large["events_data"] = _text(row, "events_data", "null")
    members = [
        json.dumps(small, default=str).encode()[1:-1],
        *(f'"{key}":{value}'.encode() for key, value in large.items()),
    ]
    return b"{" + b",".join(members) + b"}"


def _text(row: dict[str, Any], column: str, empty: str) -> str:
    value = row.get(column)
    return value if isinstance(value, str) and value.strip() else empty


def _json(value: Any) -> Any:
    """What a cell says: JSON if it is that, else itself."""
    if not isinstance(value, str):
        return value
    try:
        return parsed(value.encode("utf-8", "replace"))
    except Damaged:
        return value
