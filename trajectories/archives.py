"""Members of a zip archive that a stranger may have made, within limits on what they unpack to."""

from __future__ import annotations

import struct
import zipfile
import zlib
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

LARGEST_MEMBER = 1 << 30
"""Bytes that one member may unpack to: one sample of a log, which has to fit in memory."""

LARGEST_RATIO = 1000
"""How much a member may grow by unpacking, beyond a harmless size. Logs reach about 100."""

_HARMLESS = 16 << 20
_ZSTANDARD = 93
_LOCAL = struct.Struct("<4s22xHH")  # a member's own header: its mark, and how long its name and extra are


class Damaged(ValueError):
    """A file that cannot be read. The message says why and what to do, in one line."""


class Archive(AbstractContextManager["Archive"]):
    """A zip archive that is open for reading; see `open_archive`.

    The list of members is `zipfile`'s. Members are unpacked at one go, since their sizes are known and
    limited: `zipfile` does it piece by piece, and with small members that takes longer than the unpacking.

    Attributes
    ----------
    members : what the archive says of each, by name; of a name that is listed twice, the last.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")  # closed by the context
        try:
            with zipfile.ZipFile(self._file) as archive:
                self.members = {member.filename: member for member in archive.infolist()}
        except BaseException:
            self._file.close()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def packed(self, member: zipfile.ZipInfo) -> memoryview:
        """A member as it stands in the file."""
        self._file.seek(member.header_offset)
        mark, name, extra = _LOCAL.unpack(self._file.read(_LOCAL.size))
        if mark != b"PK\x03\x04":
            raise zipfile.BadZipFile("no member where one is listed")
        return memoryview(self._file.read(name + extra + member.compress_size))[name + extra :]

    @cached_property
    def zstandard(self) -> Any:
        """What unpacks zstandard; to make one takes longer than to unpack a small member."""
        import zstandard

        return zstandard.ZstdDecompressor()


def open_archive(path: str | Path) -> Archive:
    """Open a zip archive whose members may be packed with zstandard, as Inspect's are.

    Raises
    ------
    Damaged
        If the list of members, which a zip has at its end, is missing or wrong.
    """
    try:
        return Archive(Path(path) if isinstance(path, str) else path)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise Damaged("is cut off or damaged: its list of contents is missing; copy it again") from error


def read_member(archive: Archive, name: str) -> bytes:
    """Unpack one member.

    Raises
    ------
    Damaged
        If it is larger than `LARGEST_MEMBER` or `LARGEST_RATIO` allow, or cannot be unpacked.
    """
    member = archive.members[name]
    if member.file_size > LARGEST_MEMBER:
        raise Damaged(f"would unpack to {member.file_size:,} bytes, more than {LARGEST_MEMBER:,} are read")
    if member.file_size > max(_HARMLESS, LARGEST_RATIO * member.compress_size):
        raise Damaged(
            f"would unpack {member.compress_size:,} bytes to {member.file_size:,}, which no log does"
        )
    try:
        content = _unpacked(archive, member)
    except Exception as error:  # every decompressor has exceptions of its own
        raise Damaged("is damaged and cannot be unpacked; copy it again") from error
    if len(content) != member.file_size or zlib.crc32(content) != member.CRC:
        raise Damaged("is damaged and cannot be unpacked; copy it again")
    return content


def _unpacked(archive: Archive, member: zipfile.ZipInfo) -> bytes:
    """The content of a member, and never much more than the size that it is said to have."""
    packed = archive.packed(member)
    match member.compress_type:
        case zipfile.ZIP_STORED:
            return bytes(packed)
        case zipfile.ZIP_DEFLATED:
            return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, member.file_size + 1)
        case _ if member.compress_type == _ZSTANDARD:
            from zstandard import frame_content_size

            # a frame that states its size is given that much memory, whatever the limit
            if frame_content_size(packed) not in (-1, member.file_size):
                raise zipfile.BadZipFile("a member of another size than is listed")
            content: bytes = archive.zstandard.decompress(packed, max_output_size=member.file_size + 1)
            return content
    raise NotImplementedError(f"packed by method {member.compress_type}")
