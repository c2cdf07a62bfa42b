"""Inspect's log files, ``.eval`` and ``.json``, opened and read one sample at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec import Struct

from molehunt.trajectories.archives import Archive, Damaged, open_archive, read_member
from molehunt.trajectories.beginnings import Beginning
from molehunt.trajectories.inspect_records import (
    HeaderRecord,
    Misshapen,
    SampleRecord,
    record_of,
    sample_of_text,
    sample_of_value,
)
from molehunt.trajectories.json_stream import CutOff, GoesOn, object_members
from molehunt.trajectories.lines import parsed
from molehunt.trajectories.packed import opened
from molehunt.trajectories.wording import count

HEADER, START = "header.json", "_journal/start.json"
"""A finished log's header, and what a log has that is still being written or whose run was killed."""

_MEMBER = re.compile(r"samples/(?P<name>(?P<id>.+)_epoch_(?P<epoch>[0-9]{1,9}))\.json", re.DOTALL)
"""A sample's member; ids may hold slashes."""

_JSON_LOG = re.compile(rb'\s*+\{\s*+"version":\s*+\d++,\s*+"status":\s*+"\w++",\s*+"eval":\s*+\{')
_OTHER_JSON = "is JSON, but no Inspect log"


class RawSample(Struct, frozen=True):
    """A sample as its log has it: ``name`` for people, and its JSON text, or why there is none."""

    name: str
    content: bytes | memoryview | Damaged

    def record(self) -> SampleRecord:
        """What the reader uses of the sample.

        Raises
        ------
        Damaged
            If it cannot be read.
        """
        text = self._text()
        sample = sample_of_text(text)
        if sample is not None:
            return sample
        try:
            return sample_of_value(parsed(text))
        except Misshapen as fault:
            raise Damaged(f"is not laid out as Inspect's samples are: {fault}") from fault

    def fields(self) -> Any:
        """All of the sample, as JSON values."""
        return parsed(self._text())

    def _text(self) -> bytes | memoryview:
        if isinstance(self.content, Damaged):
            raise self.content
        return self.content


def is_plainly_a_log(beginning: Beginning) -> bool:
    """Whether what begins so is one of Inspect's JSON logs, told at first sight; False says nothing.

    Examples
    --------
    >>> text = b'{"version": 2, "status": "success", "eval": {"task": "add", "model": "m'
    >>> is_plainly_a_log(Beginning(Path("log.json"), text))
    True
    """
    return bool(_JSON_LOG.match(beginning.content))


@dataclass(frozen=True)
class Log:
    """An open log: its header, and its samples one by one, in the order of the data set where it is known."""

    header: HeaderRecord
    raw_header: Any
    samples: Iterator[RawSample]


def open_log(path: Path, beginning: Beginning | None = None) -> Log:
    """Open an Inspect log of either format; what a file is, is told by its content.

    Memory holds one sample at a time. A log that is cut off gives the samples that are whole, then raises.

    Parameters
    ----------
    path : the log.
    beginning : of the log, if it has been read already.

    Raises
    ------
    Damaged
        If the file is no Inspect log, or none that can be read. Also while samples are read.
    OSError
        If the file may not be opened.
    """
    beginning = beginning or Beginning.of(path)
    if beginning.is_pointer:
        raise Damaged("is a Git LFS pointer instead of the log itself; fetch the log with: git lfs pull")
    if beginning.is_zip:
        return _open_eval(path)
    text = beginning.content.lstrip()
    if text.startswith(b"{"):
        return _open_json(path, beginning)
    if text.startswith(b"["):
        raise Damaged(_OTHER_JSON)
    if not beginning.content:
        raise Damaged("is empty")
    raise Damaged("is neither a zip archive nor JSON, so it is no Inspect log")


def _open_eval(path: Path) -> Log:
    archive = open_archive(path)
    try:
        name = next((name for name in (HEADER, START) if name in archive.members), None)
        if name is None:
            raise Damaged(f"is a zip archive, but no Inspect log: it has neither {HEADER} nor {START}")
        header = parsed(read_member(archive, name))
        record = _header(header)
    except Damaged:
        archive.close()
        raise
    return Log(record, header, _eval_samples(path, archive, record.eval.sample_ids))


def _eval_samples(path: Path, archive: Archive, sample_ids: Sequence[str]) -> Iterator[RawSample]:
    # members stand in the order in which samples ended; that of the data set is the same in every run
    place = {sample_id: position for position, sample_id in enumerate(sample_ids)}
    with archive:
        members = [name for name in archive.members if name.startswith("samples/") and name.endswith(".json")]
        found = [_MEMBER.fullmatch(name) for name in members]
        samples = [match for match in found if match is not None]
        if len(samples) < len(members):
            yield from by_inspect(path)
            return
        for sample in sorted(samples, key=lambda one: (place.get(one["id"], len(place)), int(one["epoch"]))):
            try:
                content: bytes | Damaged = read_member(archive, sample[0])
            except Damaged as reason:
                content = reason
            yield RawSample(sample["name"], content)


def by_inspect(path: Path) -> Iterator[RawSample]:
    """Samples of an ``.eval`` log as Inspect itself reads them.

    Several times slower than this module, for layouts that it does not know: Inspect may split large samples
    into chunks.

    Raises
    ------
    Damaged
        If the installed Inspect does not know the layout either.
    """
    from inspect_ai.log import read_eval_log_sample, read_eval_log_sample_summaries

    try:
        summaries = read_eval_log_sample_summaries(str(path))
        if not summaries:
            raise LookupError("samples that no summary names")
        for summary in summaries:
            sample = read_eval_log_sample(str(path), summary.id, summary.epoch, resolve_attachments=True)
            yield RawSample(f"{summary.id}_epoch_{summary.epoch}", sample.model_dump_json().encode())
    except Exception as error:  # Inspect does not say what it raises
        raise Damaged("has a layout that the installed Inspect does not read; upgrade inspect-ai") from error


def _open_json(path: Path, beginning: Beginning) -> Log:
    header: dict[str, Any] = {}
    members = _members(path, beginning)
    passed_by = False  # samples, which may stand in front of the header
    try:
        for key, value in members:
            if key == "samples" and "eval" in header:
                members = chain([(key, value)], members)
                break
            if key in ("eval", "status"):
                header[key] = parsed(value)
            passed_by = passed_by or key == "samples"
        else:
            members = _members(path, beginning) if passed_by else iter(())
    except Damaged:
        raise
    except GoesOn:
        members = _members(path, beginning)
    except ValueError as error:
        if "eval" not in header:
            raise Damaged("is not JSON to its end, so no Inspect log that can be read") from error
        members = _members(path, beginning)
    if "eval" not in header:
        raise Damaged(_OTHER_JSON)
    return Log(_header(header), header, _json_samples(members))


def _members(path: Path, beginning: Beginning) -> Iterator[tuple[str, memoryview]]:
    with BytesIO(beginning.content) if beginning.is_whole else opened(path) as file:
        yield from object_members(file, "samples")


def _json_samples(members: Iterator[tuple[str, memoryview]]) -> Iterator[RawSample]:
    number = 0
    try:
        for key, value in members:
            if key != "samples" or bytes(value[:5]) == b"null":
                continue
            number += 1
            yield RawSample(f"number {number}", value)
    except CutOff as error:
        raise Damaged(f"{error} after {count(number, 'whole sample')}; copy it again") from error
    except GoesOn as error:
        raise Damaged(
            "goes on behind the log at its beginning, which alone was read; make files of one log each"
        ) from error
    except Damaged:
        raise
    except ValueError as error:
        raise Damaged(f"is not JSON that can be read after {count(number, 'sample')}") from error


def _header(header: Any) -> HeaderRecord:
    try:
        return record_of(header, HeaderRecord)
    except Misshapen as fault:
        raise Damaged(f"is no Inspect log: {fault}") from fault
