"""Trajectories as the store keeps them: what their id digests, compressed, and what it does not digest."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import msgspec

from molehunt.trajectories import Kind, Step, Trajectory

LARGEST_TRAJECTORY = 256 * 2**20
"""Bytes of JSON; a store from elsewhere may hold a few kilobytes that unpack to more than there is memory."""

_Rest = tuple[list[float | None], dict[int, dict[str, Any]]]
_read_rest = msgspec.json.Decoder(_Rest).decode
_AllAtOnce = tuple[
    str, list[tuple[Kind, str, str | None, dict[str, Any] | None, int | None, str | None, float | None]]
]

_ZSTANDARD = b"\x28\xb5\x2f\xfd"


def pack(trajectory: Trajectory, canonical: bytes | None = None) -> bytes:
    """The whole trajectory, compressed: its canonical JSON, and on a second line what is no part of that.

    These are the times of its steps, and arguments that the agent gave in another order than that of their
    names.

    Parameters
    ----------
    trajectory : to be packed.
    canonical : what `Trajectory.canonical` gave, where it has been worked out already.

    Raises
    ------
    ValueError
        If it is larger than `LARGEST_TRAJECTORY`.
    """
    seconds = [step.seconds for step in trajectory.steps]
    reordered = {
        step.index: step.arguments
        for step in trajectory.steps
        if step.arguments and not _in_order(step.arguments)
    }
    rest = [seconds if any(time is not None for time in seconds) else [], reordered]
    # ASCII, since arguments may hold lone surrogates
    written = json.dumps(rest, separators=(",", ":"), default=dict).encode("ascii")
    content = b"%b\n%b" % (canonical or trajectory.canonical(), written)
    if len(content) > LARGEST_TRAJECTORY:
        raise ValueError(f"it has {len(content)} bytes, more than {LARGEST_TRAJECTORY}")
    packed: bytes = _codecs.compressor.compress(content)
    return packed


def unpack(packed: bytes) -> Trajectory:
    """The trajectory that `pack` made into bytes.

    Raises
    ------
    ValueError
        If the bytes are not a packed trajectory, or unpack to more than `LARGEST_TRAJECTORY`.

    Examples
    --------
    >>> trajectory = Trajectory("Add.", (Step(0, "code", "a + b", seconds=2.5),))
    >>> unpack(pack(trajectory)) == trajectory
    True
    """
    try:
        if not packed.startswith(_ZSTANDARD):
            return _unpacked_as_before(packed)
        canonical, _, rest = _decompressed(packed).partition(b"\n")
        seconds, arguments = _rest_of(rest)
        return Trajectory.from_canonical(canonical, seconds, arguments)
    except (ValueError, LookupError, RecursionError) as error:
        raise ValueError(f"not a packed trajectory: {error}") from error


def _rest_of(written: bytes) -> _Rest:
    try:
        rest: _Rest = _read_rest(written)
    except msgspec.DecodeError:  # lone surrogates and numbers that are none, which json alone reads
        rest = msgspec.convert(json.loads(written), _Rest, str_keys=True)
    return rest


def _decompressed(packed: bytes) -> bytes:
    import zstandard

    try:
        # a frame that states its size is given that much memory, whatever the limit
        if not 0 <= zstandard.frame_content_size(packed) <= LARGEST_TRAJECTORY:
            raise ValueError("it is too large")
        content: bytes = _codecs.decompressor.decompress(packed)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error
    return content


def _unpacked_as_before(packed: bytes) -> Trajectory:
    """The trajectory of a store that was written when all of it was one JSON, packed by zlib."""
    try:
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(packed, LARGEST_TRAJECTORY)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not unpacker.eof:
        raise ValueError("it is cut short or too large")
    task, steps = msgspec.convert(json.loads(content), _AllAtOnce)
    return Trajectory(task, tuple(Step(index, *fields) for index, fields in enumerate(steps)))


def _in_order(value: Any) -> bool:
    """Whether the names of objects, here and further in, are in the order in which they sort."""
    values = [value]
    for each in values:  # which grows; arguments may be nested deeper than functions can be
        if isinstance(each, Mapping):
            if list(each) != sorted(each):
                return False
            values += each.values()
        elif isinstance(each, list | tuple):
            values += each
    return True


class _Codecs(threading.local):
    """What packs and unpacks, for each thread: to make one takes as long as it then works."""

    @cached_property
    def compressor(self) -> Any:
        import zstandard

        return zstandard.ZstdCompressor(level=1)

    @cached_property
    def decompressor(self) -> Any:
        import zstandard

        return zstandard.ZstdDecompressor()


_codecs = _Codecs()
