"""Whatever a file holds, its samples are read or one line says why not; the others never pay for it."""

from __future__ import annotations

import gzip
import json
import random
import tracemalloc
import zipfile
from pathlib import Path
from typing import get_args

import inspect_ai.event
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from molehunt.trajectories import (
    Run,
    TruthOptions,
    Unread,
    archives,
    inspect_files,
    json_stream,
    read_runs,
)
from molehunt.trajectories.beginnings import LONGEST
from molehunt.trajectories.inspect_records import sample_of_text
from molehunt.trajectories.inspect_runs import inspect_runs


def reasons(*paths: Path) -> list[str]:
    results = list(read_runs(paths))
    assert all(isinstance(result, Unread) for result in results)
    lines = [str(result) for result in results]
    assert all("\n" not in line for line in lines)
    return lines


def test_both_formats_of_a_log_give_the_same_runs(make, write_eval, write_json):
    samples = [make.sample(make.assistant(f"Done {n}."), id=n, uuid=f"u{n}") for n in range(3)]
    ids = [[run.id for run in read_runs([write(*samples)])] for write in (write_eval, write_json)]
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 3


def test_of_two_logs_in_one_file_the_second_is_not_passed_by_in_silence(make, write_json):
    logs = [write_json(make.sample(make.assistant("Done."), uuid=f"u{n}"), name=f"{n}.json") for n in (1, 2)]
    logs[0].write_bytes(logs[0].read_bytes() + b"\n" + logs[1].read_bytes())
    run, rest = read_runs([logs[0]])
    assert run.sample == "u1"
    assert "make files of one log each" in rest.reason


def test_every_kind_of_event_of_the_installed_inspect_is_read_the_fast_way(make):
    kinds = [event.model_fields["event"].default for event in get_args(inspect_ai.event.Event)]
    used = {"model", "tool", "span_begin", "span_end", "step"}
    events = [{"event": kind, "timestamp": "2026-01-01T00:00:00Z"} for kind in kinds if kind not in used]
    sample = sample_of_text(json.dumps(make.sample(make.assistant("Done."), events=events)).encode())
    assert sample is not None
    assert len(sample.events or []) == len(kinds) - len(used)


def test_a_kind_of_event_that_is_not_known_yet_changes_nothing(make, write_eval):
    said = make.assistant("Done.", "m1")
    events = [make.model_event(said), {"event": "yet to come"}]
    with_it, without = (
        write_eval(make.sample(said, events=some), name=f"{len(some)}.eval") for some in (events, events[:1])
    )
    [one], [other] = (list(read_runs([log])) for log in (with_it, without))
    assert one.trajectory == other.trajectory


def test_a_kind_of_event_that_is_not_known_yet_changes_nothing_inside_of_a_tool_either(make, write_eval):
    said = make.assistant("Look.", "m1", [("c1", "bash", {"command": "ls"})])
    inner = [make.tool_event("c2", "inner"), {"event": "yet to come"}]
    with_it, without = (
        write_eval(
            make.sample(said, events=[make.model_event(said), make.tool_event("c1", events=some)]),
            name=f"{len(some)}.eval",
        )
        for some in (inner, inner[:1])
    )
    [one], [other] = (list(read_runs([log])) for log in (with_it, without))
    assert one.trajectory == other.trajectory
    assert "inner" in [step.text for step in one.trajectory.steps]


def test_what_is_wrong_with_an_event_inside_of_a_tool_is_said_with_its_place(make, write_eval):
    events = [make.tool_event("c1", events=[make.tool_event("c2"), {"event": "model"}])]
    [unread] = read_runs([write_eval(make.sample(make.assistant("Done."), events=events))])
    assert "events.0.tool.events.1.model.model: Field required" in unread.reason


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, 93])
def test_every_compression_that_inspect_has_used_is_read(make, write_eval, compression):
    [run] = read_runs([write_eval(make.sample(make.assistant("Done.")), compression=compression)])
    assert run.trajectory.steps


def test_a_file_is_known_by_its_content_and_not_by_its_name(make, write_eval, write_json):
    sample = make.sample(make.assistant("Done."))
    assert all(
        isinstance(run, Run)
        for run in read_runs([write_eval(sample, name="a.json"), write_json(sample, name="b.eval")])
    )


def test_nan_and_infinity_which_inspect_writes_are_read(make, write_eval, write_json):
    sample = make.sample(
        make.assistant("Done."), scores={"s": {"value": float("nan")}, "t": {"value": float("inf")}}
    )
    assert all(isinstance(run, Run) for run in read_runs([write_eval(sample), write_json(sample)]))


def test_a_log_whose_run_was_killed_is_read_from_its_journal(make, write_eval):
    path = write_eval(
        make.sample(make.assistant("Done.")), header=None, members={"_journal/start.json": make.header}
    )
    [run] = read_runs([path])
    assert run.agent_model == "openai/gpt-4.1"


def test_a_git_lfs_pointer_says_how_to_fetch_the_log(tmp_path):
    path = tmp_path / "log.eval"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    assert reasons(path) == [
        f"{path} is a Git LFS pointer instead of the log itself; fetch the log with: git lfs pull"
    ]


def test_a_foreign_archive_is_told_from_a_log(write_eval):
    [line] = reasons(write_eval(header=None, members={"word/document.xml": "x"}))
    assert "is a zip archive, but no Inspect log" in line


def test_a_log_that_was_cut_in_half_is_told_so(make, write_eval):
    path = write_eval(make.sample(make.assistant("Done.")))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    [line] = reasons(path)
    assert "cut off or damaged" in line


def test_the_whole_samples_of_a_json_log_that_was_cut_are_read(make, write_json):
    samples = [make.sample(make.assistant("Done."), uuid=f"u{n}") for n in range(3)]
    path = write_json(*samples)
    path.write_text(path.read_text()[:-200])
    *runs, unread = read_runs([path])
    assert [run.sample for run in runs] == ["u0", "u1"]
    assert unread == Unread(str(path), None, "is cut off after 2 whole samples; copy it again")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("more", [-1, 0, 1, 2, 3, 4])
def test_no_sample_is_lost_of_a_json_log_as_long_as_what_it_is_told_by(make, write_json, mark, more):
    samples = [make.sample(make.assistant("Done."), uuid=f"u{n}") for n in range(3)]
    path = write_json(*samples)
    text = mark + path.read_bytes()
    path.write_bytes(text.replace(b"Done.", b"Done." + b"!" * (LONGEST + more - len(text)), 1))
    assert path.stat().st_size == LONGEST + more
    assert [run.sample for run in read_runs([path])] == ["u0", "u1", "u2"]


def test_a_packed_json_log_that_was_cut_is_not_taken_for_one_that_ends_there(make, write_json):
    path = write_json(make.sample(make.assistant("Done.")))
    frames = [zstandard.compress(part) for part in (path.read_bytes() + b"\n", b"and more")]
    path.write_bytes(frames[0] + frames[1][:-3])
    *_, unread = read_runs([path])
    assert str(unread) == f"{path} is cut off: what it is packed in does not end; copy it again"


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
@pytest.mark.parametrize("padding", [300_000, 1_000_000, 1_200_000])
def test_the_whole_samples_of_a_packed_json_log_that_was_cut_are_read(make, write_json, pack, padding):
    # of what does not get smaller, or a few bytes cut off would be many samples
    noise = random.Random(padding).randbytes(padding // 2).hex()
    path = write_json(*(make.sample(make.assistant(text), uuid=text[:2]) for text in ("u0", "u1" + noise)))
    path.write_bytes(pack(path.read_bytes())[:-3])
    *runs, unread = read_runs([path])
    assert runs[0].sample == "u0"
    assert str(unread) == f"{path} is cut off: what it is packed in does not end; copy it again"


def test_the_whole_samples_before_a_damaged_key_of_a_json_log_are_read(make, write_json):
    path = write_json(make.sample(make.assistant("Done."), uuid="u0"))
    path.write_text(path.read_text().rstrip().removesuffix("}") + r', "a\q": 1}')
    run, unread = read_runs([path], format="inspect")
    assert run.sample == "u0"
    assert unread == Unread(str(path), None, "has a damaged key after 1 whole sample; copy it again")


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (b'" "a comma": "is missing', "is no JSON, or cut off"),
        (b'", "more": ' + b"[" * 5000 + b"]" * 5000 + b', "end": "', "is nested too deeply to be read"),
    ],
)
def test_damage_in_a_small_json_log_costs_the_sample_that_it_is_in(make, write_json, damage, reason):
    samples = (make.sample(make.assistant(text), uuid=text) for text in ("one", "two", "three"))
    path = write_json(*samples)
    path.write_bytes(path.read_bytes().replace(b'"content": "two', b'"content": "two' + damage))
    one, unread, three = read_runs([path])
    assert (one.sample, three.sample) == ("one", "three")
    assert (unread.sample, reason in unread.reason) == ("number 2", True)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"hello", "is of no known format"),
        (b'[{"file": "a"}]', "is JSON, but no transcript of a known format"),
        (b'{"name": "package"}', "is JSON, but no transcript of a known format"),
        (b'{"eval": {"task_1": []}}', "is JSON, but no transcript of a known format"),
        (b'{"version": 2, "eval": {"no": "task"}}', "is no Inspect log: eval.task: Field required"),
        (b'{"version": 2, "eval": {"task": "t"', "is not JSON to its end"),
        (b'{"eval": ', "is not JSON to its end"),
        (b"PK\x03\x04nothing", "cut off or damaged"),
    ],
)
def test_what_is_no_log_is_named_and_passed_by(make, write_eval, tmp_path, content, reason):
    other = tmp_path / "other.json"
    other.write_bytes(content)
    unread, run = read_runs([other, write_eval(make.sample(make.assistant("Done.")))])
    assert reason in str(unread)
    assert isinstance(run, Run)


@pytest.mark.parametrize("header", [{"status": "started"}, {"status": "error"}])
def test_a_log_without_samples_says_its_status(make, write_eval, write_json, header):
    for path in (write_eval(header={**make.header, **header}), write_json(header={**make.header, **header})):
        assert reasons(path) == [f"{path} holds no samples; its status is {header['status']!r}"]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (b"{not json", "is no JSON, or cut off"),
        (b"[1, 2]", "is not laid out as Inspect's samples are"),
        (b'{"messages": []}', "is not laid out as Inspect's samples are: id: Field required"),
        (b'{"id": 1, "events": [{"event": "model"}]}', "events.0.model.model: Field required"),
        (b'{"id": 1, "events": "none"}', "events"),
        (b'{"id": 1, "messages": [{"role": "user", "content": {"a": 1}}]}', "messages.0.content"),
        (b'{"id": 1, "input": ' + b"[" * 5000 + b"]" * 5000 + b"}", "nested too deeply"),
    ],
)
def test_a_broken_sample_costs_itself_only(make, write_eval, broken, reason):
    whole = make.sample(make.assistant("Done."))
    first, unread, last = read_runs([write_eval(whole, broken, whole)])
    assert isinstance(first, Run)
    assert isinstance(last, Run)
    assert unread.sample == "1_epoch_1"
    assert reason in unread.reason


def test_arguments_that_are_nested_too_deeply_cost_one_sample(make, write_eval):
    deep: object = 1
    for _ in range(900):
        deep = [deep]
    sample = make.sample(make.assistant("", calls=[("c", "bash", {"x": deep})]))
    unread, run = read_runs([write_eval(sample, make.sample(make.assistant("Done.")))])
    assert unread.reason == "is nested too deeply to be read"
    assert isinstance(run, Run)


def test_a_bomb_costs_its_sample_only(make, write_eval, monkeypatch):
    monkeypatch.setattr(archives, "_HARMLESS", 10_000)
    bomb = make.sample(make.assistant("0" * 10_000_000))
    unread, run = read_runs([write_eval(bomb, make.sample(make.assistant("Done.")))])
    assert "which no log does" in unread.reason
    assert isinstance(run, Run)


def test_a_layout_that_nobody_knows_is_told_so(make, write_eval):
    path = write_eval(members={"samples/s1_epoch_1/sample.json": {"id": "s1"}})
    assert "has a layout that the installed Inspect does not read" in reasons(path)[0]


def test_a_file_that_may_not_be_opened_is_told_so(tmp_path):
    folder = tmp_path / "log.eval"
    folder.mkdir()
    [unread] = inspect_runs(folder, TruthOptions())
    assert unread.reason == "cannot be read: Is a directory"


def test_a_sample_that_was_written_again_is_read_once_as_it_is_now(make, write_eval):
    path = write_eval(make.sample(make.assistant("Old.")))
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(path, "a", 93) as archive:
        archive.writestr("samples/0_epoch_1.json", json.dumps(make.sample(make.assistant("New."))))
    [run] = read_runs([path])
    assert run.trajectory.steps[0].text == "New."


def test_a_header_behind_the_samples_of_a_json_log_is_found(make, tmp_path):
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"samples": [make.sample(make.assistant("Done."))], **make.header}))
    [run] = read_runs([path])
    assert run.agent_model == "openai/gpt-4.1"


def test_memory_does_not_grow_with_the_number_of_samples(make, write_eval, write_json, monkeypatch):
    def peak(path: Path) -> int:
        tracemalloc.start()
        for _ in read_runs([path]):
            pass
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    monkeypatch.setattr(json_stream, "_CHUNK", 1 << 16)
    text = "word " * 20_000
    samples = [make.sample(make.assistant(text), uuid=f"u{n}") for n in range(40)]
    for write in (write_eval, write_json):
        few, many = write(*samples[:4], name="few"), write(*samples, name="many")
        peak(few)  # warm up: compiled patterns and validators stay
        assert peak(many) < 1.3 * peak(few)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_no_damage_to_a_file_is_ever_more_than_a_line(make, write_eval, write_json, tmp_path, data):
    sample = make.sample(
        make.assistant("Look.", "m1", [("c1", "bash", {"command": "ls"})]),
        make.tool("a.py", "c1", "t1"),
        events=[make.model_event(make.assistant("Look.", "m1")), make.tool_event("c1")],
    )
    packed = data.draw(st.booleans())
    whole = (write_eval(sample, compression=0) if packed else write_json(sample)).read_bytes()
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    path = tmp_path / "damaged.eval"
    path.write_bytes(damaged)
    for result in read_runs([path]):
        assert isinstance(result, Run | Unread)
        assert "\n" not in str(result.reason if isinstance(result, Unread) else "")


record_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "id",
                    "role",
                    "content",
                    "event",
                    "span_id",
                    "input",
                    "output",
                    "choices",
                    "message",
                    "type",
                    "text",
                ]
            ),
            inner
            | st.sampled_from(["assistant", "tool", "user", "model", "span_begin", "reasoning", "image"]),
            max_size=5,
        )
    ),
    max_leaves=20,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            ["messages", "events", "attachments", "metadata", "store", "scores", "error", "input"]
        ),
        record_like,
        max_size=5,
    )
)
def test_no_content_of_a_sample_is_ever_more_than_a_line(make, write_eval, strange):
    [result] = read_runs([write_eval({**make.sample(make.assistant("Done.")), **strange})])
    assert isinstance(result, Run | Unread)


def test_samples_come_in_the_order_of_the_data_set_and_not_in_that_in_which_they_ended(make, write_eval):
    names = ["p/1:honest", "p/1:attack", "p/2:honest"]
    header = {**make.header, "eval": {**make.header["eval"], "dataset": {"sample_ids": names}}}
    ended = {f"samples/{name}_epoch_1.json": make.sample(id=name, uuid=name) for name in reversed(names)}
    runs = list(read_runs([write_eval(header=header, members=ended)]))
    assert [run.sample for run in runs] == names


def test_an_id_with_slashes_is_not_taken_for_a_layout_that_only_inspect_knows(make, write_eval, monkeypatch):
    monkeypatch.setattr(inspect_files, "by_inspect", None)
    [run] = read_runs([write_eval(members={"samples/a/b/7_epoch_1.json": make.sample(uuid="u")})])
    assert run.sample == "u"


@pytest.mark.parametrize("epoch", [10**30, -1])
def test_an_epoch_that_is_none_costs_its_sample_only(make, write_eval, epoch):
    good, bad = make.sample(uuid="good"), make.sample(uuid="bad", epoch=epoch)
    read = list(read_runs([write_eval(good, bad)]))
    assert [type(result) for result in read] == [Run, Unread]


def test_a_sample_with_nan_or_a_lone_surrogate_is_read_as_one_without(make, write_eval):
    plain, odd = [
        make.sample(
            make.assistant("Look.", "m1", [("c1", "bash", {"command": "ls", "limit": limit})]),
            make.tool("a.py", "c1", "t1"),
            events=[
                make.model_event(make.assistant("Look.", "m1", [("c1", "bash", {"limit": limit})])),
                make.tool_event("c1", events=[make.tool_event("c2")]),
            ],
            metadata={"text": text},
        )
        for limit, text in ((1.5, "x"), (float("nan"), "\ud800"))
    ]
    first, second = read_runs([write_eval(plain, odd)])
    shown = [
        [(step.kind, step.text.replace("NaN", "1.5")) for step in run.trajectory.steps]
        for run in (first, second)
    ]
    assert shown[0] == shown[1]
    assert "NaN" in "".join(step.text for step in second.trajectory.steps)
