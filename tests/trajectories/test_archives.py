"""Archives of strangers are unpacked within limits, and what is wrong with one is said in a line."""

from __future__ import annotations

import zipfile

import pytest

from molehunt.trajectories import archives
from molehunt.trajectories.archives import Damaged, open_archive, read_member

DEFLATE, ZSTANDARD = zipfile.ZIP_DEFLATED, 93


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, DEFLATE, ZSTANDARD])
def test_members_of_every_compression_that_inspect_has_used_are_read(tmp_path, compression):
    path = str(tmp_path / "a.eval")
    content = bytes(range(256)) * 2000
    write_archive(path, compression, content)
    with open_archive(path) as archive:
        assert read_member(archive, "m") == content


@pytest.mark.parametrize("compression", [DEFLATE, ZSTANDARD])
def test_a_member_that_would_swell_like_a_bomb_is_refused_before_it_is_unpacked(
    tmp_path, monkeypatch, compression
):
    path = str(tmp_path / "a.eval")
    write_archive(path, compression, bytes(200_000))
    monkeypatch.setattr(archives, "_HARMLESS", 1000)
    monkeypatch.setattr(archives, "LARGEST_RATIO", 100)
    with open_archive(path) as archive, pytest.raises(Damaged, match="to 200,000, which no log does"):
        read_member(archive, "m")


def test_a_member_above_the_limit_is_refused(tmp_path, monkeypatch):
    path = str(tmp_path / "a.eval")
    write_archive(path, DEFLATE, b"x" * 2000)
    monkeypatch.setattr(archives, "LARGEST_MEMBER", 1999)
    with open_archive(path) as archive, pytest.raises(Damaged, match="more than 1,999 are read"):
        read_member(archive, "m")


def test_a_member_that_unpacks_to_more_than_it_says_is_refused(tmp_path):
    path = tmp_path / "a.eval"
    write_archive(str(path), ZSTANDARD, b"x" * 100_000)
    claimed, actual = (10).to_bytes(4, "little"), (100_000).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(actual, claimed))
    with open_archive(str(path)) as archive, pytest.raises(Damaged, match="damaged"):
        read_member(archive, "m")


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, DEFLATE, ZSTANDARD])
def test_a_member_with_a_flipped_byte_is_refused(tmp_path, compression):
    path = tmp_path / "a.eval"
    write_archive(str(path), compression, bytes(range(256)) * 50)
    content = bytearray(path.read_bytes())
    content[60] ^= 0xFF
    path.write_bytes(content)
    with open_archive(str(path)) as archive, pytest.raises(Damaged, match="damaged"):
        read_member(archive, "m")


def test_an_archive_that_is_cut_off_is_told_from_one_that_is_whole(tmp_path):
    path = tmp_path / "a.eval"
    write_archive(str(path), DEFLATE, b"x" * 100)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(Damaged, match="cut off or damaged"):
        open_archive(str(path))


def write_archive(path: str, compression: int, content: bytes) -> None:
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("m", content)
