"""Files that may be packed with gzip or zstandard, opened within limits on what they unpack to."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from molehunt.trajectories.archives import LARGEST_RATIO, Damaged

_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_HARMLESS = 64 << 20  # bytes that may come out of anything
_PIECE = 1 << 18
_ZSTANDARD_PIECE = 1 << 10  # of the packed file, since each block of four bytes may unpack to 128 KiB


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading bytes; what it is packed with is told by its content.

    Raises
    ------
    Damaged
        Also inside the context: if it cannot be unpacked, or unpacks to what no transcript does.
    OSError
        If it cannot be opened or read.
    """
    with path.open("rb") as raw:
        magic = raw.read(4)
        raw.seek(0)
        if magic.startswith(_GZIP):
            yield io.BufferedReader(_Unpacked(raw, cast(BinaryIO, gzip.GzipFile(fileobj=raw))), _PIECE)
        elif magic == _ZSTANDARD:
            yield io.BufferedReader(_Unpacked(raw, cast(BinaryIO, _Zstandard(raw))), _PIECE)
        else:
            yield cast(BinaryIO, raw)


class _Unpacked(io.RawIOBase):
    """Reads on until what came out is out of all proportion to what went in."""

    def __init__(self, packed: BinaryIO, unpacked: BinaryIO) -> None:
        self._packed, self._unpacked = packed, unpacked
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]  # the type of buffers has no name before 3.12
        try:
            data = self._unpacked.read(min(len(view), _PIECE))
        except OSError as error:
            if error.errno is not None:  # of the file itself
                raise
            raise Damaged(f"cannot be unpacked: {error}; copy it again") from error
        except EOFError as error:
            raise Damaged("is cut off: what it is packed in does not end; copy it again") from error
        except Exception as error:  # every decompressor has exceptions of its own
            raise Damaged(f"cannot be unpacked: {error}; copy it again") from error
        self._count += len(data)
        if self._count > max(_HARMLESS, LARGEST_RATIO * self._packed.tell()):
            raise Damaged("unpacks to more than a thousand times its size, which no transcript does")
        view[: len(data)] = data
        return len(data)


class _Zstandard:
    """What comes out of frames of zstandard, one after the other.

    The package's own stream takes a frame that is cut off for a whole one.
    """

    def __init__(self, packed: BinaryIO) -> None:
        import zstandard

        self._packed, self._frame = packed, zstandard.ZstdDecompressor().decompressobj
        self._open: Any = None  # the frame that has begun and not ended
        self._ready, self._rest = b"", b""

    def read(self, size: int) -> bytes:
        while not self._ready:
            piece = self._rest or self._packed.read(_ZSTANDARD_PIECE)
            if not piece:
                if self._open is not None:
                    raise EOFError
                return b""
            frame = self._open or self._frame()
            self._ready, self._rest = frame.decompress(piece), frame.unused_data
            self._open = None if frame.eof else frame
        data, self._ready = self._ready[:size], self._ready[size:]
        return data
