"""A JSON object is split into its members exactly as a parser would, whatever the chunks it is read in."""

from __future__ import annotations

import errno
import io
import json
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molehunt.trajectories import json_stream
from molehunt.trajectories.json_stream import CutOff, GoesOn, object_members

awkward = st.text(st.sampled_from('"\\{}[],:ab é\u2028\n'), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | awkward,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(awkward, inner, max_size=3),
    max_leaves=10,
)


def split(text: bytes) -> list[tuple[str, bytes]]:
    return [(key, bytes(value)) for key, value in object_members(io.BytesIO(text), "samples")]


def piece_by_piece(patch: pytest.MonkeyPatch, chunk: int) -> None:
    """Have objects split as those are that are too large to be split at one go."""
    patch.setattr(json_stream, "_SMALL", 0)
    patch.setattr(json_stream, "_CHUNK", chunk)


def same(one: object, other: object) -> bool:
    return json.dumps(one) == json.dumps(other)  # NaN is not equal to itself


@given(
    before=st.dictionaries(st.sampled_from(["eval", "a\\b", '"']), values),
    samples=st.lists(values, max_size=4),
    after=st.dictionaries(st.sampled_from(["stats", "{"]), values),
    indent=st.sampled_from([None, 2]),
    chunk=st.sampled_from([None, 1, 2, 3, 7, 100]),
    ascii_only=st.booleans(),
)
def test_members_and_items_are_what_a_parser_finds(before, samples, after, indent, chunk, ascii_only):
    whole = {**before, "samples": samples, **after}
    text = json.dumps(whole, indent=indent, ensure_ascii=ascii_only).encode()
    expected = [*before.items(), *(("samples", sample) for sample in samples), *after.items()]
    with pytest.MonkeyPatch.context() as patch:
        if chunk is not None:
            piece_by_piece(patch, chunk)
        found = [(key, json.loads(value)) for key, value in split(text)]
    assert same(found, expected)


@given(st.lists(values, min_size=1, max_size=4), st.data())
def test_what_stands_before_a_cut_is_whole(samples, data):
    text = json.dumps({"eval": {}, "samples": samples}).encode()
    cut = data.draw(st.integers(1, len(text) - 1))
    found: list[tuple[str, bytes]] = []
    members = object_members(io.BytesIO(text[:cut]), "samples")
    with pytest.raises(CutOff):
        found.extend((key, bytes(value)) for key, value in members)
    expected = [("eval", {}), *(("samples", sample) for sample in samples)]
    assert same([(key, json.loads(value)) for key, value in found], expected[: len(found)])


class Failing(io.BytesIO):
    """What a disk gives that fails where the text ends."""

    def read1(self, size: int | None = -1) -> bytes:
        if piece := super().read1(size):
            return piece
        raise OSError(errno.EIO, "Input/output error")


def test_what_stands_before_a_fault_of_the_disk_is_whole():
    members = object_members(Failing(b'{"eval": {}, "samples": [1, 2, '), "samples")
    assert [bytes(value) for _, value in islice(members, 3)] == [b"{}", b"1", b"2"]
    with pytest.raises(OSError, match="Input/output"):
        next(members)


@pytest.mark.parametrize("small", [0, 1 << 16])
def test_an_array_elsewhere_and_a_samples_member_that_is_no_array_are_left_whole(monkeypatch, small):
    monkeypatch.setattr(json_stream, "_SMALL", small)
    assert split(b'{"x": {"samples": [1, 2]}, "samples": null}') == [
        ("x", b'{"samples": [1, 2]}'),
        ("samples", b"null"),
    ]


def test_a_byte_order_mark_is_no_obstacle():
    assert split(b'\xef\xbb\xbf {"a": 1}') == [("a", b"1")]


@pytest.mark.parametrize("text", [b"", b"[1]", b'"{"', b"plain text"])
def test_what_is_no_object_is_refused(text):
    with pytest.raises(ValueError, match="no JSON object"):
        split(text)


NESTED_AS_FAR_OUT = b"""{
  "samples": [
    {
      "a": {
    "b": "NaN"
    },
      "c": NaN
    },
    {
      "d": -Infinity
    }
  ]
}"""


@pytest.mark.parametrize("chunk", [1, 7, 64, 1 << 20])
@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_a_line_that_only_looks_like_the_end_of_an_item_is_not_taken_for_it(monkeypatch, chunk, newline):
    piece_by_piece(monkeypatch, chunk)
    text = NESTED_AS_FAR_OUT.replace(b"\n", newline)
    found = [("samples", sample) for sample in json.loads(text)["samples"]]
    assert same([(key, json.loads(value)) for key, value in split(text)], found)


@pytest.mark.parametrize("indent", [None, 2])
def test_what_a_parser_passes_over_is_not_gone_through_from_bracket_to_bracket(monkeypatch, indent):
    item = {"a": [{}] * 1000, "b": float("nan"), "c": "NaN and -Infinity"}
    text = json.dumps({"eval": {"d": [1]}, "samples": [item] * 3}, indent=indent).encode()
    piece_by_piece(monkeypatch, 1 << 20)
    monkeypatch.setattr(json_stream, "_DEEP", None)
    assert same([json.loads(value) for _, value in split(text)], [{"d": [1]}, *[item] * 3])


def test_an_item_full_of_nan_is_not_passed_over_once_for_each(monkeypatch):
    times = []
    fault = json_stream._fault
    monkeypatch.setattr(json_stream, "_fault", lambda text: times.append(1) or fault(text))
    items = [[float("nan")] * 100_000]
    assert same([json.loads(value) for _, value in split(json.dumps({"samples": items}).encode())], items)
    assert len(times) < 20


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_what_stands_behind_the_object_is_not_passed_by_in_silence(monkeypatch, chunk):
    piece_by_piece(monkeypatch, chunk)
    found: list[tuple[str, bytes]] = []
    with pytest.raises(GoesOn):
        found.extend(object_members(io.BytesIO(b'{"samples": [1, 2]}\n  {"samples": [3]}'), "samples"))
    assert found == [("samples", b"1"), ("samples", b"2")]
    assert split(b'{"samples": [1]} \r\n\0\0') == [("samples", b"1")]


@pytest.mark.parametrize("blanks", [0, 1, 255, 256, 257, 10_000])
def test_blanks_around_a_value_are_none_of_it_however_many_there_are(monkeypatch, blanks):
    piece_by_piece(monkeypatch, 1 << 20)
    text = b'{"a":_1_,"samples":[_[2]_,_3_]_}'.replace(b"_", b" " * blanks)
    assert split(text) == [("a", b"1"), ("samples", b"[2]"), ("samples", b"3")]


@pytest.mark.parametrize("small", [0, 1 << 16])
def test_of_two_members_with_one_key_none_is_lost(monkeypatch, small):
    monkeypatch.setattr(json_stream, "_SMALL", small)
    found = split(b'{"samples": [1, 2], "a": 3, "samples": [4], "a": 5}')
    assert found == [("samples", b"1"), ("samples", b"2"), ("a", b"3"), ("samples", b"4"), ("a", b"5")]


@pytest.mark.parametrize("key", [rb'"a\q"', b'"a\nb"', b'"a\xff"'])
def test_a_damaged_key_ends_the_object_as_a_cut_does(key):
    found: list[tuple[str, bytes]] = []
    members = object_members(io.BytesIO(b'{"samples": [1], ' + key + b': 2, "b": 3}'), "samples")
    with pytest.raises(CutOff, match="damaged key"):
        found.extend((name, bytes(value)) for name, value in members)
    assert found == [("samples", b"1")]
