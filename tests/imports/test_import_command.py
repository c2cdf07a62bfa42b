"""`molehunt import` as a user runs it: one file, a note beside it, and verdicts that hold for both."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from molehunt.cli import main
from molehunt.scoring import score
from molehunt.trajectories import Run, Trajectory, TruthOptions, read_runs
from molehunt.trajectories.importing import write_runs

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def molehunt(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run the command line; its exit status, output and errors."""

    def run(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return run


def log_of(path: Path, *texts: str, **sample: Any) -> Path:
    """An Inspect log with a sample for each text, which is its agent's answer."""
    samples = [
        {
            "id": f"p{number}",
            "uuid": f"{path.stem}-{number}",
            "input": "Add two numbers.",
            "messages": [
                {"role": "user", "content": "Add two numbers."},
                {"role": "assistant", "content": text},
            ],
            **sample,
        }
        for number, text in enumerate(texts)
    ]
    header = {"task": "sums", "model": "openai/gpt-4.1", "eval_id": path.stem}
    path.write_text(json.dumps({"status": "success", "eval": header, "samples": samples}))
    return path


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    log_of(folder / "first.json", "```\na + b\n```", "I add.\n```\nb + a\n```")
    log_of(folder / "second.json", "```\na - b\n```")
    return folder


STATED = ("--honest", "first*", "--attack", "second*")


def test_what_is_imported_is_what_the_logs_hold(molehunt, logs, tmp_path):
    status, said, _ = molehunt("import", logs, "--out", tmp_path / "runs.jsonl", *STATED)
    assert status == 0
    truth = TruthOptions(honest=("first*",), attack=("second*",))
    assert list(read_runs([tmp_path / "runs.jsonl"])) == list(read_runs([logs], truth))
    assert "inspect: 2 files, 3 runs" in said
    assert "1 attack, 2 honest, 0 unlabelled" in said


def test_verdicts_on_the_logs_hold_for_the_imported_runs(molehunt, logs, tmp_path):
    molehunt("import", logs, "--out", tmp_path / "runs.jsonl.gz", *STATED)
    before = score(logs, ["length", "static"], store=tmp_path / "scores.db")
    after = score(tmp_path / "runs.jsonl.gz", ["length", "static"], store=tmp_path / "scores.db")
    assert (before.counts["scored"], after.counts.total(), after.already) == (6, 0, 6)
    assert after.labels == {"honest": 2, "attack": 1}


def test_a_note_stands_beside_the_file(molehunt, logs, tmp_path):
    molehunt("import", logs, "--out", tmp_path / "runs.jsonl", "--attack", "second*")
    note = json.loads((tmp_path / "runs.note.json").read_text())
    assert note["runs"] == 3
    assert note["labels"] == {"unlabelled": 2, "attack": 1}
    assert [Path(file["file"]).name for file in note["files"]] == ["first.json", "second.json"]
    assert note["files"][0]["steps"] == {"code": 2, "prose": 1}
    assert {warning["check"] for warning in note["warnings"]} <= {"labels_in_names"}
    assert note["unchecked"]


def test_what_cannot_be_read_is_named_and_the_rest_is_there(molehunt, logs, tmp_path):
    (logs / "third.json").write_text('{"eval": {"task": "sums"}, "samples": [{"id"')
    status, said, _ = molehunt("import", logs, "--out", tmp_path / "runs.jsonl")
    assert status == 3
    assert "third.json" in said
    assert len(list(read_runs([tmp_path / "runs.jsonl"]))) == 3


def test_nothing_is_written_if_nothing_is_read(molehunt, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    status, _, error = molehunt("import", bad, "--out", tmp_path / "out" / "runs.jsonl")
    assert status == 1
    assert "was not written" in error
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("name", ["runs.csv", "runs", ".jsonl"])
def test_a_file_of_another_name_is_refused_before_anything_is_read(molehunt, logs, tmp_path, name):
    status, _, error = molehunt("import", logs, "--out", tmp_path / name)
    assert status == 1
    assert ".jsonl" in error


def test_a_file_that_was_there_stays_whole_until_the_new_one_is(tmp_path):
    out = tmp_path / "runs.jsonl"
    run = Run(Trajectory("Add.", ()), None, "a.eval", "s1")
    write_runs([run], out)
    before = out.read_bytes()

    def broken():
        yield run
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_runs(broken(), out)
    assert out.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["runs.jsonl"]


@pytest.mark.parametrize("source", ["{chats}", "{folder}"])
def test_what_is_read_is_never_replaced(molehunt, tmp_path, source):
    turns = [{"role": "user", "content": "Add."}, {"role": "assistant", "content": "a + b"}]
    chats = tmp_path / "chats.jsonl"
    chats.write_text(json.dumps({"messages": turns}) + "\n{cut off")
    before = chats.read_bytes()
    (tmp_path / "link.jsonl").symlink_to(chats)
    for out in (chats, tmp_path / "link.jsonl"):
        status, _, error = molehunt(
            "import", source.format(chats=chats, folder=tmp_path), "--out", out, "--format", "openai_chat"
        )
        assert (status, chats.read_bytes()) == (1, before)
        assert "would be replaced; give --out another" in error


def test_runs_and_scores_are_two_files(molehunt, logs, tmp_path):
    status, _, error = molehunt(
        "import", logs, "--out", tmp_path / "a.jsonl", "--scores", tmp_path / "a.jsonl"
    )
    assert (status, "give --out another name" in error) == (1, True)
    assert not (tmp_path / "a.jsonl").exists()


def test_the_note_beside_runs_is_no_transcript(molehunt, logs, tmp_path):
    assert molehunt("import", logs, "--out", logs / "runs.jsonl")[0] == 0
    status, said, _ = molehunt("import", logs, "--out", tmp_path / "again.jsonl")
    assert (status, "note.json is" in said) == (0, False)


@pytest.mark.parametrize(
    ("out", "reason"), [("folder.jsonl", "is a folder"), ("file/runs.jsonl", "cannot be written")]
)
def test_a_place_that_cannot_be_written_to_is_named_as_it_was_given(molehunt, logs, tmp_path, out, reason):
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "file").touch()
    status, _, error = molehunt("import", logs, "--out", tmp_path / out)
    assert status == 1
    assert f"{tmp_path / out} {reason}" in error


def test_no_store_is_made_for_sources_that_are_not_there(molehunt, tmp_path):
    assert molehunt("import", tmp_path / "none.eval", "--scores", tmp_path / "s.db")[0] == 1
    assert list(tmp_path.iterdir()) == []


def test_a_scorer_that_no_log_knows_is_told(molehunt, logs, tmp_path):
    status, said, _ = molehunt("import", logs, "--scores", tmp_path / "s.db", "--score", "suspicoin=0:10")
    assert status == 3
    assert "suspicoin: none" in said


def test_labels_that_contradict_are_told(molehunt, logs, tmp_path):
    store = tmp_path / "s.db"
    molehunt("import", logs, "--scores", store, *STATED)
    turned = ("--honest", "second*", "--attack", "first*")
    for command in (
        ("import", logs, "--scores", store),
        ("score", logs, "--monitor", "length", "--store", store),
    ):
        said = molehunt(*command, *turned)[1]
        assert "3 of 3 runs keep the other labels that they have in the store" in said


def test_labels_in_the_files_that_patterns_contradict_are_told(molehunt, tmp_path):
    turns = [{"role": "user", "content": "Add."}, {"role": "assistant", "content": "a + b"}]
    chats = tmp_path / "chats.jsonl"
    chats.write_text(json.dumps({"messages": turns, "label": "honest"}))
    said = molehunt("import", chats, "--out", tmp_path / "r.jsonl", "--attack", "chats*")[1]
    assert "1 of 1 run bears a label of its own that --honest and --attack contradict" in said


def test_a_file_for_runs_needs_runs(molehunt, tmp_path):
    (tmp_path / "t.csv").write_text("sample,score\ns1,0.5\n")
    status, _, error = molehunt(
        "import", "--table", tmp_path / "t.csv", "--scores", tmp_path / "s.db", "--out", tmp_path / "r.jsonl"
    )
    assert (status, "name SOURCE" in error) == (1, True)


def test_a_table_alone_needs_a_store_that_has_its_runs(molehunt, tmp_path):
    (tmp_path / "t.csv").write_text("sample,score\ns1,0.5\n")
    status, _, error = molehunt("import", "--table", tmp_path / "t.csv", "--scores", tmp_path / "s.db")
    assert (status, "s.db is not there" in error) == (1, True)
    assert not (tmp_path / "s.db").exists()


def test_the_same_runs_make_the_same_file(tmp_path):
    run = Run(Trajectory("Add.", ()), None, "a.eval", "s1")
    for name in ("one.jsonl.gz", "two.jsonl.gz"):
        write_runs([run], tmp_path / name)
    assert (tmp_path / "one.jsonl.gz").read_bytes() == (tmp_path / "two.jsonl.gz").read_bytes()


def test_a_run_too_long_to_be_read_again_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr("molehunt.trajectories.importing.LONGEST_LINE", 500)
    short = Run(Trajectory("Add.", ()), None, "a.eval", "s1")
    imported = write_runs(
        [short, Run(Trajectory("Add." * 200, ()), None, "a.eval", "s2")], tmp_path / "r.jsonl"
    )
    assert (imported.runs, [unread.sample for unread in imported.unread]) == (1, ["s2"])


def test_the_schema_can_be_printed(molehunt):
    status, said, _ = molehunt("import", "--schema")
    assert status == 0
    assert json.loads(said)["required"] == ["schema_version", "sample", "task", "steps"]


def test_a_map_that_maps_nothing_is_refused(molehunt, logs, tmp_path):
    status, _, error = molehunt("import", logs, "--out", tmp_path / "runs.jsonl", "--map", "task")
    assert status == 1
    assert "--map task=prompt" in error


def test_what_others_wrote_cannot_steer_the_terminal(molehunt, tmp_path):
    log = log_of(tmp_path / "a.json", "I have a side task \x1b[2J here.")
    status, said, _ = molehunt("import", log, "--out", tmp_path / "runs.jsonl", "--attack", "a.json")
    assert status == 0
    assert "side task" in said
    assert "\x1b[2J" not in said


def test_a_dry_run_of_scoring_shows_the_same_warnings(molehunt, logs, tmp_path):
    status, said, _ = molehunt(
        "score", logs, "--monitor", "length", "--store", tmp_path / "s.db", "--dry-run", "--attack", "first*"
    )
    assert status == 0
    assert "no run is known to be honest" in said
    log_of(logs / "third.json", "```\na - b\n```")
    said = molehunt("score", logs, "--monitor", "length", "--store", tmp_path / "s.db", "--dry-run")[1]
    assert "1 of 4 runs repeats the trajectory of another" in said
