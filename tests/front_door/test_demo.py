"""The demo: the whole line, on few problems here and on all of them by hand."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from molehunt.commands.demo import LONG, WITHOUT_MODEL, command, demonstration
from molehunt.verdicts.frames import read_store


def demo(out: Path, *options: str) -> Result:
    return CliRunner().invoke(command, ["--out", str(out), *options], catch_exceptions=False)


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    out = tmp_path_factory.mktemp("demo") / "out"
    return out, demo(out, "--problems", "2", "--judged", "0", "--no-long")


def test_it_ends_at_a_report_whose_path_it_prints(few: tuple[Path, Result]) -> None:
    out, result = few
    assert result.exit_code == 0
    assert str((out / "report" / "report.html").resolve()) in result.output
    assert "No claim" in (out / "report" / "report.html").read_text(encoding="utf-8")


def test_its_runs_are_pairs_and_all_verified(few: tuple[Path, Result]) -> None:
    runs = read_store(few[0] / "scores.db").runs
    assert runs.groupby("task_id")["label"].apply(sorted).tolist() == [["attack", "honest"]] * 2
    assert (runs["main_score"] == 1.0).all()
    assert (runs.loc[runs["label"] == "attack", "side_score"] == 1.0).all()


def test_every_monitor_without_a_model_scores_every_run(few: tuple[Path, Result]) -> None:
    metrics = pd.read_csv(few[0] / "report" / "metrics.csv")
    assert set(metrics["monitor"][metrics["kind"] != "oracle"]) == set(WITHOUT_MODEL)
    assert (metrics["coverage"] == 1.0).all()
    assert metrics["scripted_agents"].all()


def test_a_second_time_nothing_is_run_or_scored_again(few: tuple[Path, Result]) -> None:
    out, _ = few
    logs = sorted((out / "logs").glob("*.eval"))
    before = read_store(out / "scores.db").verdicts
    assert demo(out, "--problems", "2", "--judged", "0", "--no-long").exit_code == 0
    assert sorted((out / "logs").glob("*.eval")) == logs
    pd.testing.assert_frame_equal(read_store(out / "scores.db").verdicts, before)


def test_all_three_environments_are_in_it() -> None:
    environments = demonstration(2, 1, list(LONG)).environments
    assert [environment.task for environment in environments] == [
        "bigcodebench_sabotage",
        "mle_sabotage",
        "shade_arena",
    ]


@pytest.mark.slow
def test_the_embedded_model_judges_too(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="needs the extra `embedded`")
    assert demo(tmp_path, "--problems", "2", "--judged", "1", "--no-long").exit_code == 0
    metrics = pd.read_csv(tmp_path / "report" / "metrics.csv")
    assert metrics["embedded_models"].sum() == 4
