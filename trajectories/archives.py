"""Members of a zip archive that a stranger may have made, within limits on what they unpack to."""

from __future__ import annotations

import contextlib
import zipfile

LARGEST_MEMBER = 1 << 30
"""Bytes that one member may unpack to: one sample of a log, which has to fit in memory."""

LARGEST_RATIO = 1000
"""How much a member may grow by unpacking, beyond a harmless size. Logs reach about 100."""

_HARMLESS = 16 << 20
_COMPRESSED_AT_ONCE = 1 << 15  # so that no single read can unpack to much more than LARGEST_MEMBER


class Damaged(ValueError):
    """A file that cannot be read. The message says why and what to do, in one line."""


def open_archive(path: str) -> zipfile.ZipFile:
    """Open a zip archive whose members may be packed with zstandard, as Inspect's are.

    Raises
    ------
    Damaged
        If the list of members, which a zip has at its end, is missing or wrong.
    """
    with contextlib.suppress(ImportError):  # Python 3.14 knows zstandard by itself
        import zipfile_zstd  # noqa: F401
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise Damaged("is cut off or damaged: its list of contents is missing; copy it again") from error


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Unpack one member.

    Raises
    ------
    Damaged
        If it is larger than `LARGEST_MEMBER` or `LARGEST_RATIO` allow, or cannot be unpacked.
    """
    member = archive.getinfo(name)
    if member.file_size > LARGEST_MEMBER:
        raise Damaged(f"would unpack to {member.file_size:,} bytes, more than {LARGEST_MEMBER:,} are read")
    if member.file_size > max(_HARMLESS, LARGEST_RATIO * member.compress_size):
        raise Damaged(
            f"would unpack {member.compress_size:,} bytes to {member.file_size:,}, which no log does"
        )
    parts = []
    try:
        with archive.open(member) as stream:
            assert isinstance(stream, zipfile.ZipExtFile)
            while part := stream.read1(_COMPRESSED_AT_ONCE):
                parts.append(part)
    except Exception as error:  # every decompressor has exceptions of its own
        raise Damaged("is damaged and cannot be unpacked; copy it again") from error
    return b"".join(parts)
