"""Data frames of a store, and its export as files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from molehunt.commands.export import command
from molehunt.trajectories import Mark, Problem, Run, Step, Trajectory, Truth
from molehunt.trajectories.wording import count
from molehunt.verdicts import Call, Excerpt, Look, MonitorRecord, Store, Tokens, Verdict, frames

TRAJECTORY = Trajectory("Add.", (Step(0, "code", "a + b"),))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with two runs of one trajectory, one labelled, and two verdicts, one scored."""
    file = tmp_path / "scores.db"
    truth = Truth(
        "attack",
        "env/x",
        "p1",
        1.0,
        marks=(Mark("decoy", 0, 0, 1),),
        factors={"side_task": "exit", "log": "odd"},
    )
    with Store.open(file) as store:
        store.add_run(Run(TRAJECTORY, None, "a.eval", "s1"))
        store.add_run(Run(TRAJECTORY, truth, "b.eval", "s2", agent_model="openai/x"))
        store.add_monitor(
            MonitorRecord("m1", "eae", "eae()", "a", {"extractor": {"model": "a", "config": {}}})
        )
        store.add_call(Call("k1", "extractor", "a", "a-1", Tokens(1, 2, 3, 4, 1), 0.5, 1, "secret reply"))
        store.add_call(Call("k2", "extractor", "a", "a-1", None, 0.5))
        verdict = Verdict(
            0.25,
            rationale='odd, "quoted"\r\nand\0more',
            excerpts=(Excerpt("a +", "exact", 0, 0, 3), Excerpt("eval(x)", "not_found")),
            trace=(Look(0, 0.25, "scored"), Look(0, None, "refused")),
        )
        store.add_verdict(TRAJECTORY.id, "m1", 0, verdict, ["k1", "k2"], 1.5)
        store.add_verdict(TRAJECTORY.id, "m1", 1, Verdict.unscored("refused"), [], 0.5)
    return file


def test_runs_have_their_truth_and_a_column_for_each_factor(path: Path) -> None:
    with Store.read(path) as store:
        runs = frames.runs_frame(store)
    assert list(runs.columns) == [*frames.RUN_COLUMNS, "factor_log", "side_task"]
    assert runs["label"].isna().tolist() == [True, False]
    assert runs["side_score"].isna().all()
    assert runs.loc[1, ["log", "factor_log", "side_task", "task_id"]].tolist() == [
        "b.eval",
        "odd",
        "exit",
        "p1",
    ]
    assert runs["task_verified"].dtype == bool


def test_verdicts_count_their_calls_and_unscored_is_missing(path: Path) -> None:
    with Store.read(path) as store:
        verdicts = frames.verdicts_frame(store)
        links = frames.verdict_calls_frame(store)
    assert verdicts["n_calls"].tolist() == [2, 0]
    assert verdicts["n_excerpts"].tolist() == [2, 0]
    assert verdicts["n_not_found"].tolist() == [1, 0]
    assert verdicts["score"].isna().tolist() == [False, True]
    assert links["call"].tolist() == ["k1", "k2"]


def test_calls_without_usage_have_missing_tokens_and_no_frame_has_replies(path: Path) -> None:
    with Store.read(path) as store:
        calls = frames.calls_frame(store)
        everything = "".join(table.to_csv() for _, table in frames.tables(store))
    assert calls["input"].tolist()[0] == 1
    assert calls.loc[1, list(frames.TOKEN_COLUMNS)].isna().all()
    assert "secret reply" not in everything


def test_an_empty_store_has_all_columns(tmp_path: Path) -> None:
    Store.open(tmp_path / "empty.db").close()
    tables = frames.read_store(tmp_path / "empty.db")
    assert list(tables.runs.columns) == list(frames.RUN_COLUMNS)
    assert tables.verdicts["score"].dtype == float
    assert all(len(getattr(tables, name)) == 0 for name in ("runs", "monitors", "verdicts", "calls"))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_an_export_reads_back_as_the_frames(path: Path, tmp_path: Path, kind: str) -> None:
    out = tmp_path / "new" / "tables"
    result = CliRunner().invoke(
        command, [str(path), "--out", str(out), "--format", kind], catch_exceptions=False
    )
    assert result.exit_code == 0
    read = pd.read_csv if kind == "csv" else pd.read_parquet
    with Store.read(path) as store:
        for name, table in frames.tables(store):
            back = read(out / f"{name}.{kind}")
            assert list(back.columns) == list(table.columns)
            assert f"{name}.{kind}  {count(len(table), 'row')}" in result.output
            if name in ("verdict_calls", "looks", "marks"):
                pd.testing.assert_frame_equal(back, table, check_dtype=False)
    verdicts = read(out / f"verdicts.{kind}")
    assert verdicts["rationale"].tolist()[0] == 'odd, "quoted"\r\nand\0more'
    calls = read(out / f"calls.{kind}")
    assert calls["input"].isna().tolist() == [False, True]
    if kind == "csv":
        assert ",1,2,3,4,1," in (out / "calls.csv").read_text()


def test_parquet_without_pyarrow_is_one_line(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    arguments = [str(path), "--out", str(tmp_path / "out"), "--format", "parquet"]
    with pytest.raises(Problem, match="pip install 'molehunt\\[parquet\\]'"):
        CliRunner().invoke(command, arguments, catch_exceptions=False, standalone_mode=False)
    assert not (tmp_path / "out").exists()


def test_exporting_what_is_no_store_makes_no_folder(tmp_path: Path) -> None:
    arguments = [str(tmp_path / "none.db"), "--out", str(tmp_path / "out")]
    with pytest.raises(Problem, match="there is no store"):
        CliRunner().invoke(command, arguments, catch_exceptions=False, standalone_mode=False)
    assert not (tmp_path / "out").exists()
