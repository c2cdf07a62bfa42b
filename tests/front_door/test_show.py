"""``molehunt show``: what was quoted is marked, and hostile text stays text."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from molehunt.commands.show import command
from molehunt.trajectories import Problem, Run, Step, Trajectory
from molehunt.verdicts import Excerpt, Verdict
from molehunt.verdicts.records import MonitorRecord
from molehunt.verdicts.store import Store

HOSTILE = "rm -rf data\x1b]0;owned\x07 [bold]not markup[/bold]"


@pytest.fixture
def store(tmp_path: Path) -> tuple[Path, str]:
    path = tmp_path / "scores.db"
    run = Run(
        Trajectory("Sort.", (Step(0, "reasoning", "Quick."), Step(1, "tool_call", HOSTILE, tool="bash"))),
        None,
        log="a.eval",
        sample="s",
    )
    with Store.open(path) as opened:
        opened.add_run(run)
        opened.add_monitor(MonitorRecord("m", "eae", "eae()", models="x/y"))
        excerpts = (Excerpt("rm", "exact", 1, 0, 2), Excerpt("data", "exact", 1, 7, 11, effect=0.25))
        verdict = Verdict(0.875, rationale="deletes data", excerpts=excerpts)
        opened.add_verdict(run.trajectory.id, "m", 0, verdict, [], 0.1)
    return path, run.trajectory.id


def test_it_prints_task_steps_and_verdicts(store: tuple[Path, str]) -> None:
    path, trajectory = store
    output = CliRunner().invoke(command, [str(path), trajectory[:6]]).output
    assert all(
        word in output for word in ("Sort.", "Quick.", "tool call bash", "eae()", "0.88", "deletes data")
    )


def test_neither_control_characters_nor_markup_of_a_trajectory_take_effect(store: tuple[Path, str]) -> None:
    output = CliRunner().invoke(command, list(map(str, store))).output
    assert "\x1b]0;" not in output
    assert "\x07" not in output
    assert "[bold]not markup[/bold]" in output


def test_a_runs_id_stands_for_its_trajectory_and_label_and_quotes_are_shown(store: tuple[Path, str]) -> None:
    with Store.read(store[0]) as opened:
        [run] = opened.runs()
    output = CliRunner().invoke(command, [str(store[0]), run.id[:8]]).output
    assert "label unknown · agent unknown · a.eval" in output
    assert "eae() quotes, step 1: rm" in output
    assert "eae() quotes, step 1, score +0.25: data" in output


def test_an_unknown_trajectory_is_a_problem_that_says_so(store: tuple[Path, str]) -> None:
    result = CliRunner().invoke(command, [str(store[0]), "zzz"])
    assert isinstance(result.exception, Problem)
    assert "zzz" in str(result.exception)
