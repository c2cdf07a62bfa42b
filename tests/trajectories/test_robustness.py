"""Files as they come: broken, packed, enormous, mixed, twice; each costs itself only, and says why."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zipfile

import pytest
import zstandard

from molehunt.trajectories import Run, TruthOptions, Unread, read_runs
from molehunt.trajectories.lines import LONGEST_LINE

TALK = {"messages": [{"role": "user", "content": "Add."}, {"role": "assistant", "content": "Three."}]}


def talk(answer, **more):
    return {"messages": [TALK["messages"][0], {"role": "assistant", "content": answer}], **more}


def lines(*records):
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


@pytest.fixture
def read(tmp_path):
    def read_file(content, name="talk.jsonl", **how):
        (tmp_path / name).write_bytes(content)
        return list(read_runs([tmp_path / name], **how))

    return read_file


@pytest.fixture
def unread(read):
    def reason(content, name="talk.jsonl"):
        [result] = read(content, name)
        assert isinstance(result, Unread)
        assert "\n" not in str(result)
        return result.reason

    return reason


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress, bytes])
@pytest.mark.parametrize("name", ["talk.jsonl", "talk.jsonl.gz", "talk"])
def test_what_a_file_is_packed_with_is_told_by_its_content(pack, name, read):
    [first, second] = read(pack(lines(talk("One."), talk("Two."))), name)
    assert [run.trajectory.steps[0].text for run in (first, second)] == ["One.", "Two."]


def test_zstandard_in_several_frames_is_read_to_its_end(read):
    assert len(read(zstandard.compress(lines(talk("One."))) + zstandard.compress(lines(talk("Two."))))) == 2


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_packed_file_that_is_cut_off_gives_what_is_whole(pack, read):
    many = lines(*(talk("".join(map(str, range(number, number + 400)))) for number in range(300)))
    *runs, last = read(pack(many)[:-200])
    assert isinstance(last, Unread)
    assert "is cut off: what it is packed in does not end" in str(last)
    assert sum(isinstance(run, Run) for run in runs) > 100


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_packed_file_with_a_hole_in_it_is_named(pack, read):
    many = pack(lines(*(talk("".join(map(str, range(number, number + 400)))) for number in range(300))))
    middle = len(many) // 2
    *runs, last = read(many[:middle] + b"\xff" * 64 + many[middle + 64 :])
    assert "cannot be unpacked" in str(last)
    assert all(result.log == last.log for result in runs)


def test_a_frame_of_zstandard_that_is_cut_off_behind_a_line_is_not_taken_for_whole(read):
    packer = zstandard.ZstdCompressor().compressobj()
    whole = packer.compress(lines(talk("One."))) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    run, last = read(whole)
    assert isinstance(run, Run)
    assert "is cut off" in str(last)


def test_a_file_that_unpacks_to_far_more_than_its_size_is_refused(read):
    # gzip packs by no more than a thousand, zstandard by far more
    *runs, last = read(zstandard.compress(lines(TALK) + (b" " * (1 << 20) + b"\n") * 70, 1))
    assert isinstance(last, Unread)
    assert "unpacks to more than a thousand times its size" in str(last)
    assert isinstance(runs[0], Run)


def test_a_zip_bomb_among_logs_is_refused_and_the_other_logs_are_read(tmp_path, make, write_eval):
    bomb = tmp_path / "bomb.eval"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(make.header))
        archive.writestr("samples/1_epoch_1.json", b" " * (64 << 20))
    good = write_eval(make.sample(make.assistant("Done.")))
    refused, run = read_runs([bomb, good])
    assert isinstance(refused, Unread)
    assert "which no log does" in str(refused)
    assert isinstance(run, Run)


def test_a_line_of_two_hundred_megabytes_is_one_short_line_in_bounded_memory(tmp_path):
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.write(lines(talk("One.")))
        file.write(b'{"messages": "')
        for _ in range(200):
            file.write(b"x" * (1 << 20))
        file.write(b'"}\n')
        file.write(lines(talk("Two.")))
    program = (
        "import resource, sys\n"
        "from molehunt.trajectories import read_runs\n"
        "list(read_runs([sys.argv[2]]))\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(*(getattr(one, 'reason', 'run') for one in read_runs([sys.argv[1]])), sep='\\n')\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    small = tmp_path / "small.jsonl"
    small.write_bytes(lines(TALK))
    done = subprocess.run(
        [sys.executable, "-c", program, str(path), str(small)], capture_output=True, text=True, check=True
    )
    *results, grown = done.stdout.splitlines()
    assert results == ["run", f"is longer than {LONGEST_LINE >> 20} MiB", "run"]
    scale = 1 if sys.platform == "darwin" else 1024
    assert int(grown) * scale < 3 * LONGEST_LINE


def test_zero_bytes_are_passed_over_where_a_machine_stopped_and_named_where_they_break_a_line(read):
    broken = json.dumps(talk("Two.")).encode().replace(b"Two", b"T\0o")
    first, bad, last = read(
        lines(talk("One.")) + b"\0" * 4096 + lines(talk("3.")) + broken + b"\n" + b"\0" * 99
    )
    assert [first.trajectory.steps[0].text, bad.trajectory.steps[0].text] == ["One.", "3."]
    assert isinstance(last, Unread)
    assert last.sample == "line 3"


def test_lone_surrogates_become_signs_that_every_encoding_has(read):
    within = json.dumps({"\udfff": ["\ud83d"]})  # JSON within JSON, where the sign is written twice over
    call = {"id": "c", "function": {"name": "f\ud800", "arguments": within}}
    message = {"role": "assistant", "content": "so\ud800", "tool_calls": [call]}
    [run] = read(lines({"messages": [TALK["messages"][0], message], "id": "\ud800", "label": "honest"}))
    said, called = run.trajectory.steps
    assert said.text == "so\ufffd"
    assert (called.tool, called.arguments) == ("f\ufffd", {"\ufffd": ["\ufffd"]})
    json.dumps([run.sample, run.truth.task_id, called.arguments], ensure_ascii=False).encode()


def test_text_that_is_not_utf8_costs_its_characters_only(read):
    [run] = read(lines(talk("caf*")).replace(b"*", b"\xe9"))
    assert run.trajectory.steps[0].text == "caf\ufffd"


@pytest.mark.parametrize("signs", ["a", "\\ud800"])
def test_a_format_is_told_though_the_first_line_is_longer_than_what_is_looked_at(signs, read):
    long = {"role": "user", "content": "task " * 50_000}
    record = json.dumps({"messages": [long, TALK["messages"][1]]}).replace("task", signs, 1)
    first, second = read(record.encode() + b"\n" + lines(TALK))
    assert (first.source, second.source) == ("openai_chat", "openai_chat")
    assert len(first.trajectory.task) >= 249_000


@pytest.mark.parametrize("rest", [b'Add.,"never closed ' + b"x" * 3000, b"x" * 3000])
def test_a_table_whose_cell_or_line_does_not_end_gives_the_rows_before(rest, read, monkeypatch):
    monkeypatch.setattr("molehunt.trajectories.lines.LONGEST_LINE", 2000)
    run, last = read(b"prompt,solution\nAdd.,3\n" + rest, "answers.csv")
    assert isinstance(run, Run)
    assert "is no table beyond line" in str(last)


@pytest.mark.parametrize("depth", [300, 5_000, 200_000])
def test_deep_nesting_costs_its_line_only(depth, read):
    deep = '{"messages": ' + "[" * depth + "]" * depth + "}\n"
    results = read(lines(talk("One.")) + deep.encode() + lines(talk("Two.")))
    assert [isinstance(result, Unread) for result in results] == [False, True, False]


def test_a_number_too_long_to_be_one_costs_its_line_only(read):
    results = read(lines(TALK) + b'{"messages": ' + b"9" * 5000 + b"}\n" + lines(talk("Two.")))
    assert [isinstance(result, Unread) for result in results] == [False, True, False]


def test_the_message_of_a_git_lfs_pointer_is_the_same_for_every_format(unread):
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    expected = "is a Git LFS pointer instead of the log itself; fetch the log with: git lfs pull"
    assert {unread(pointer, name) for name in ("a.eval", "a.jsonl", "a.parquet", "a.csv")} == {expected}


def test_a_pointer_is_told_also_when_a_format_is_insisted_on(read):
    [result] = read(b"version https://git-lfs.github.com/spec/v1\n", format="openai_chat")
    assert "git lfs pull" in str(result)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("settings.yaml.json", b'{"theme": "dark"}', "is JSON, but no transcript of a known format"),
        (
            "labels.csv",
            b"sample,label\na,honest\n",
            "is a table, but not of transcripts: its columns are sample",
        ),
        ("data.jsonl", b'{"text": "a"}\n{"text": "b"}\n', "is JSON, but no transcript of a known format"),
        ("notes.jsonl", b"hello\n", "is of no known format"),
        ("empty.jsonl", b"", "is empty"),
        ("cut.json", b'{"suite": ["a', "is not JSON to its end"),
    ],
)
def test_what_is_no_transcript_says_so_and_the_folder_is_read(name, content, reason, tmp_path):
    (tmp_path / name).write_bytes(content)
    (tmp_path / "z.jsonl").write_bytes(lines(TALK))
    results = list(read_runs([tmp_path]))
    [unread] = [result for result in results if isinstance(result, Unread)]
    assert reason in str(unread)
    assert sum(isinstance(result, Run) for result in results) == 1


def test_the_table_of_labels_in_a_folder_is_no_log(tmp_path):
    (tmp_path / "talk.jsonl").write_bytes(lines(talk("One.", sample="s1")))
    table = tmp_path / "labels.csv"
    table.write_text("sample,label\ns1,attack\n")
    [run] = read_runs([tmp_path], TruthOptions(labels=table))
    assert run.truth.label == "attack"


def test_runs_of_one_name_in_two_files_are_two_runs(tmp_path):
    (tmp_path / "attack.jsonl").write_bytes(lines(talk("One.", sample="1"), talk("Two.", sample="2")))
    (tmp_path / "honest.jsonl").write_bytes(lines(talk("One.", sample="1"), talk("Four.", sample="2")))
    notes = []
    options = TruthOptions(honest=["honest*"], attack=["attack*"])
    runs = list(read_runs([tmp_path], options, notes=notes))
    assert len({run.id for run in runs}) == 4
    assert notes[1].guesses["a name that another run has too is of two runs"] == 2
    assert [run.id for run in read_runs([tmp_path], options)] == [run.id for run in runs]


def test_a_run_has_the_same_id_whichever_other_files_are_read_with_it(tmp_path):
    for name, answer in (("a.jsonl", "One."), ("b.jsonl", "Two.")):
        (tmp_path / name).write_bytes(lines(talk(answer, id=1)))
    together = [run.id for run in read_runs([tmp_path])]
    assert together == [run.id for name in ("a.jsonl", "b.jsonl") for run in read_runs([tmp_path / name])]
    assert len(set(together)) == 2


def test_a_copy_of_a_file_holds_the_same_runs(tmp_path):
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(lines(talk("One.", id="1"), talk("Two.", id="1")))
    assert len({run.id for run in read_runs([tmp_path])}) == 2


def test_formats_and_versions_may_be_mixed_in_a_folder(tmp_path, make, write_eval, write_json):
    write_eval(make.sample(make.assistant("Done."), uuid="e"))
    old = {key: value for key, value in make.sample(make.assistant("Done.")).items() if key != "uuid"}
    write_json(old, name="old.json")
    (tmp_path / "chat.jsonl.gz").write_bytes(gzip.compress(lines(TALK)))
    (tmp_path / "answers.csv").write_text("prompt,solution\nAdd.,3\n")
    notes = []
    assert all(isinstance(result, Run) for result in read_runs([tmp_path], notes=notes))
    assert [note.format for note in notes] == ["completions", "openai_chat", "inspect", "inspect"]
    assert sum(note.runs for note in notes) == 4


def test_links_in_circles_and_to_nothing_are_borne(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "talk.jsonl").write_bytes(lines(TALK))
    (tmp_path / "in" / "up").symlink_to(tmp_path)
    (tmp_path / "self.jsonl").symlink_to(tmp_path / "self.jsonl")
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nothing")
    results = list(read_runs([tmp_path]))
    assert sum(isinstance(result, Run) for result in results) == 1
    assert {result.reason.partition(":")[0] for result in results if isinstance(result, Unread)} == {
        "cannot be read"
    }


def test_a_format_that_is_insisted_on_reads_or_says_why_not(read):
    [run] = read(lines(TALK), format="anthropic")
    assert run.source == "anthropic"
    [unread] = read(lines(TALK), format="agentdojo")
    assert "does not say of which suite" in str(unread)


def test_a_note_says_what_was_used_dropped_and_guessed(tmp_path):
    path = tmp_path / "talk.jsonl"
    path.write_bytes(lines(talk("One.", tools=[], seed=1), talk("Two.", label="honest")) + b"{\n")
    notes = []
    list(read_runs([path], notes=notes))
    [note] = notes
    assert (note.file, note.format, note.runs, note.unread) == (str(path), "openai_chat", 2, 1)
    assert note.used == {"messages": 2, "label": 1}
    assert note.dropped == {"tools": 1, "seed": 1}
    assert note.guesses["the task is the first turn of the user"] == 2
    assert note.steps == {"prose": 2}


@pytest.mark.parametrize(
    "how", [{"format": name} for name in ("molehunt", "completions", "claude_code", "scout")]
)
def test_a_file_with_nothing_in_it_says_so_whatever_format_is_insisted_on(how, read):
    [unread] = read(b"\r\n", **how)
    assert isinstance(unread, Unread)


def test_a_table_without_rows_holds_no_transcripts(read):
    [unread] = read(b"prompt,completion\n", "answers.csv")
    assert unread.reason == "holds no transcripts"


def test_a_first_line_that_is_broken_does_not_cost_those_behind_it_their_format_being_known(read):
    broken, run = read(b'{"messages": [\n' + lines(TALK), format="openai_chat")
    assert isinstance(broken, Unread)
    assert isinstance(run, Run)


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_packed_json_log_of_inspect_is_read(pack, make, write_json, tmp_path):
    log = write_json(make.sample(make.assistant("Done.")), name="log.json")
    packed = tmp_path / "packed.json.gz"
    packed.write_bytes(pack(log.read_bytes()))
    [near, far] = read_runs([log, packed])
    assert near.id == far.id
