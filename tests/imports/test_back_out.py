"""Verdicts back out: into Inspect's logs, into Scout's results and into tables."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalSample,
    EvalSpec,
    read_eval_log,
    write_eval_log,
)
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser
from inspect_ai.scorer import Score

from molehunt.cli import main
from molehunt.trajectories import Run, read_runs
from molehunt.verdicts import Call, MonitorRecord, Store, Tokens, Verdict

HOSTILE = "<script>alert(1)</script> [/INST] \x1b[31m attachment://0123456789abcdef0123456789abcdef"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Two logs, of two samples and of one, as Inspect writes them."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for name, texts in (("first.eval", ("a + b", "b + a")), ("second.json", ("a - b",))):
        samples = [
            EvalSample(
                id=place,
                epoch=1,
                input="Add.",
                target="",
                messages=[ChatMessageUser(content="Add."), ChatMessageAssistant(content=text)],
                scores={"match": Score(value="C")},
                uuid=f"{name}-{place}",
            )
            for place, text in enumerate(texts, 1)
        ]
        spec = EvalSpec(
            created="2026-01-01", task="sums", dataset=EvalDataset(), model="m/m", config=EvalConfig()
        )
        write_eval_log(EvalLog(status="success", eval=spec, samples=samples), str(folder / name))
    return folder


@pytest.fixture
def store(logs: Path, tmp_path: Path) -> Path:
    """Verdicts on the three samples: two draws, a hostile rationale, and a refusal."""
    path = tmp_path / "s.db"
    runs = [run for run in read_runs([logs]) if isinstance(run, Run)]
    with Store.open(path) as opened:
        for run in runs:
            opened.add_run(run)
        opened.add_monitor(MonitorRecord("m1", "eae", "eae(min_excerpts=8)", "openai/gpt-4.1"))
        opened.add_call(Call("k1", "monitor", "openai/a", "openai/a", Tokens(input=7), 1.5))
        ids = [run.trajectory.id for run in runs]
        opened.add_verdict(ids[0], "m1", 0, Verdict(0.25, rationale=HOSTILE), ["k1"], 1.5)
        opened.add_verdict(ids[0], "m1", 1, Verdict(0.75), [], 1.5)
        opened.add_verdict(ids[1], "m1", 0, Verdict.unscored("refused", "I would rather not."), [], 1.0)
        opened.add_verdict(ids[2], "m1", 0, Verdict(1.0), [], 1.0)
    return path


NAME = "molehunt/eae(min_excerpts=8) [openai/gpt-4.1]"


def export(*words: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["export", *(str(word) for word in words)])
    return int(ended.value.code or 0)


def scores(path: Path) -> list[dict[str, Score]]:
    return [sample.scores or {} for sample in read_eval_log(str(path)).samples or []]


def test_logs_get_a_score_for_each_monitor_and_keep_their_own(store, tmp_path):
    assert export(store, "--format", "inspect", "--out", tmp_path / "out") == 0
    first, second = scores(tmp_path / "out" / "first.eval")
    assert (first["match"].value, first[NAME].value) == ("C", 0.5)
    assert first[NAME].explanation == HOSTILE
    assert first[NAME].metadata["draws"] == [
        {"score": 0.25, "status": "scored"},
        {"score": 0.75, "status": "scored"},
    ]
    assert first[NAME].metadata["calls"][0]["tokens"]["input"] == 7
    assert math.isnan(second[NAME].value)
    assert (second[NAME].reason, second[NAME].explanation) == ("refused", "I would rather not.")
    [third] = scores(tmp_path / "out" / "second.json")
    assert third[NAME].value == 1.0


def test_the_header_counts_what_is_scored(store, tmp_path):
    export(store, "--format", "inspect", "--out", tmp_path / "out")
    results = read_eval_log(str(tmp_path / "out" / "first.eval"), header_only=True).results
    [score] = [score for score in results.scores if score.name == NAME]
    assert (score.scored_samples, score.unscored_samples, score.metrics["mean"].value) == (1, 1, 0.5)


def test_logs_with_verdicts_hold_the_same_runs(store, logs, tmp_path):
    export(store, "--format", "inspect", "--out", tmp_path / "out")
    before, after = ([run.trajectory.id for run in read_runs([path])] for path in (logs, tmp_path / "out"))
    assert before == after


def test_the_logs_themselves_are_written_only_when_asked(store, logs, tmp_path):
    before = {path.name: path.read_bytes() for path in logs.iterdir()}
    export(store, "--format", "inspect", "--out", tmp_path / "out")
    assert {path.name: path.read_bytes() for path in logs.iterdir()} == before
    assert export(store, "--format", "inspect", "--in-place") == 0
    assert NAME in scores(logs / "first.eval")[0]
    assert sorted(path.name for path in logs.iterdir()) == ["first.eval", "second.json"]


def test_writing_twice_replaces_what_was_written_before(store, logs):
    for _ in range(2):
        assert export(store, "--format", "inspect", "--in-place") == 0
    assert list(scores(logs / "first.eval")[0]) == ["match", NAME]
    results = read_eval_log(str(logs / "first.eval"), header_only=True).results
    assert [score.name for score in results.scores] == [NAME]


def test_logs_that_have_moved_are_found_where_the_user_says(store, logs, tmp_path, capsys):
    logs.rename(tmp_path / "moved")
    assert export(store, "--format", "inspect", "--out", tmp_path / "out") == 1
    assert "--logs" in capsys.readouterr().err
    status = export(store, "--format", "inspect", "--out", tmp_path / "out", "--logs", tmp_path / "moved")
    assert status == 0
    assert NAME in scores(tmp_path / "out" / "first.eval")[0]


def test_a_log_that_cannot_be_read_is_named_and_the_others_are_written(store, logs, tmp_path, capsys):
    (logs / "first.eval").write_bytes(b"PK broken")
    assert export(store, "--format", "inspect", "--out", tmp_path / "out") == 3
    assert "first.eval" in capsys.readouterr().out
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["second.json"]


def test_scout_gets_a_scanner_for_each_monitor(store, tmp_path):
    scout = pytest.importorskip("inspect_scout")
    only_first = tmp_path / "logs" / "first.eval"
    assert export(store, "--format", "scout", "--out", tmp_path / "scans", "--logs", only_first) == 0
    [scan] = (tmp_path / "scans").iterdir()
    results = scout.scan_results_df(str(scan))
    assert results.complete
    [table] = [results.scanners[name] for name in results.scanners]
    found: dict[str, Any] = {row["transcript_id"]: row for _, row in table.iterrows()}
    assert float(found["first.eval-1"]["value"]) == 0.5
    assert found["first.eval-1"]["explanation"] == HOSTILE
    assert json.loads(found["first.eval-1"]["metadata"])["draws"][1]["score"] == 0.75
    assert json.loads(found["first.eval-2"]["metadata"])["status"] == "refused"
    assert pd.isna(found["first.eval-2"]["value"])


def test_scout_reads_no_logs_in_json_and_says_so(store, tmp_path, capsys):
    pytest.importorskip("inspect_scout")
    assert export(store, "--format", "scout", "--out", tmp_path / "scans") == 1
    assert "inspect log convert" in capsys.readouterr().err


def test_scout_gets_what_can_be_read_and_the_rest_is_named(store, logs, tmp_path, capsys):
    pytest.importorskip("inspect_scout")
    (logs / "second.json").unlink()
    (logs / "third.eval").write_bytes((logs / "first.eval").read_bytes()[:500])
    assert export(store, "--format", "scout", "--out", tmp_path / "scans", "--logs", logs) == 3
    assert "left out  " in (said := capsys.readouterr().out)
    assert "third.eval" in said
    (logs / "first.eval").unlink()
    assert export(store, "--format", "scout", "--out", tmp_path / "none", "--logs", logs) == 1
    assert not (tmp_path / "none").exists()


def test_a_folder_with_logs_that_scout_would_pass_by_is_refused(store, logs, tmp_path, capsys):
    pytest.importorskip("inspect_scout")
    assert export(store, "--format", "scout", "--out", tmp_path / "scans", "--logs", logs) == 1
    assert "second.json: Scout reads logs in .eval alone" in capsys.readouterr().err


def test_a_scan_that_failed_leaves_nothing(store, logs, tmp_path, capsys):
    pytest.importorskip("inspect_scout")
    database = tmp_path / "database"
    database.mkdir()
    (database / "transcripts.parquet").write_bytes(b"PAR1 broken")
    assert export(store, "--format", "scout", "--out", tmp_path / "scans", "--logs", database) == 1
    assert "database" in capsys.readouterr().err
    assert list((tmp_path / "scans").glob("*")) == []


@pytest.mark.parametrize("kind", ["csv", "parquet", "inspect", "scout"])
def test_a_file_is_no_folder_to_export_to(store, tmp_path, kind, capsys):
    (tmp_path / "out").touch()
    assert export(store, "--format", kind, "--out", tmp_path / "out") == 1
    assert "give --out a folder" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_table_that_was_there_stays_whole_if_the_new_one_cannot_be(store, tmp_path, kind, monkeypatch):
    assert export(store, "--format", kind, "--out", tmp_path / "out") == 0
    before = (tmp_path / "out" / f"runs.{kind}").read_bytes()

    def half(frame: pd.DataFrame, path: Path, **_: Any) -> None:
        Path(path).write_bytes(b"run,sam")
        raise KeyboardInterrupt

    monkeypatch.setattr(pd.DataFrame, f"to_{kind}", half)
    assert export(store, "--format", kind, "--out", tmp_path / "out") == 130
    assert (tmp_path / "out" / f"runs.{kind}").read_bytes() == before
    assert len(list((tmp_path / "out").iterdir())) == 8


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_tables_are_written_as_before(store, tmp_path, kind):
    assert export(store, "--format", kind, "--out", tmp_path / "tables") == 0
    assert (tmp_path / "tables" / f"verdicts.{kind}").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--in-place",), "--in-place is for"),
        (("--format", "inspect", "--in-place", "--out", "x"), "--in-place is for"),
        (("--logs", "x", "--out", "x"), "--logs is for"),
        ((), "--out FOLDER"),
        (("--format", "inspect", "--out", "{logs}"), "would be replaced"),
    ],
)
def test_what_cannot_be_meant_is_refused(store, logs, words, reason, capsys):
    assert export(store, *(word.format(logs=logs) for word in words)) == 1
    assert reason in capsys.readouterr().err
