"""The page on transcripts: its commands run as they stand, and its tables name what there is."""

from __future__ import annotations

import inspect
import json
import re
import runpy
import shlex
from importlib.util import find_spec
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, write_eval_log

from molehunt.analysis.hygiene import checks
from molehunt.cli import main
from molehunt.trajectories import Run, read_runs
from molehunt.trajectories.formats import FORMATS
from molehunt.trajectories.molehunt_jsonl import run_of_line
from molehunt.verdicts import Store
from molehunt.verdicts.others.sources import SOURCES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "transcripts.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the page's commands expect in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("logs").mkdir()
    for arm in ("honest", "attack"):
        watched = {"suspicion_score": 0.2, "monitor_response": {"reason": "Hm."}}
        messages = [
            {"role": "user", "content": "Add.", "id": "m0"},
            {"role": "assistant", "content": f"I am {arm}.", "id": "m1", "metadata": watched},
        ]
        scores = {"git_diff_monitor": {"value": 7}}
        sample = {"id": "s", "uuid": arm, "epoch": 1, "input": "Add.", "target": "", "messages": messages}
        spec = {"task": "sums", "model": "m/m", "created": "2026-01-01", "dataset": {}, "config": {}}
        log = {"version": 2, "status": "success", "eval": spec, "samples": [{**sample, "scores": scores}]}
        write_eval_log(EvalLog.model_validate(log), f"logs/{arm}.eval")
    chat = {"messages": [{"role": "user", "content": "Add."}, {"role": "assistant", "content": "4"}]}
    Path("chats.jsonl").write_text(json.dumps({**chat, "metadata": {"kind": "honest"}}) + "\n")
    Path("answers.csv").write_text("question,reply,kind\nAdd.,4,attack\n")
    Path("theirs.csv").write_text("sample,score\nhonest,10\nattack,90\n")
    return tmp_path


def test_the_commands_of_the_page_run_as_they_stand(folder, capsys):
    for command in "".join(blocks("sh")).splitlines():
        words = shlex.split(command)
        if "scout" in words and find_spec("inspect_scout") is None:
            continue
        assert words[0] == "molehunt"
        with pytest.raises(SystemExit) as ended:
            main(words[1:])
        assert not ended.value.code, f"{command}: {capsys.readouterr()}"
    labels = [run.truth.label for run in read_runs(["runs.jsonl"]) if isinstance(run, Run)]
    assert labels == ["attack", "honest"]
    with Store.read("scores.db") as store:
        names = [record.name for record in store.monitors()]
    assert names == [
        "length",
        "static",
        "control_arena/max_suspicion_scorer",
        "inspect/git_diff_monitor",
        "theirs",
    ]
    assert Path("logs-with-verdicts", "honest.eval").exists()


def test_the_python_of_the_page_runs(folder, capsys):
    with pytest.raises(SystemExit):
        main(["import", "logs", "--out", "runs.jsonl", "--honest", "honest*", "--attack", "attack*"])
    [code] = blocks("python")
    Path("page.py").write_text(code)
    capsys.readouterr()
    runpy.run_path("page.py")
    assert "labels_in_names" in capsys.readouterr().out


def test_the_line_of_the_page_is_a_run():
    [line] = blocks("json")
    run = run_of_line(line)
    assert run.truth.label == "honest"
    assert [step.kind for step in run.trajectory.steps] == ["tool_call", "tool_result"]


def test_the_page_names_every_format_check_and_source():
    formats = PAGE.partition("## Formats")[2].partition("## The note")[0]
    assert re.findall(r"^\| `(\w+)` \|", formats, re.MULTILINE) == list(FORMATS)
    named = {"lengths", "forms", *re.findall(r'^        "(\w+)",$', inspect.getsource(checks), re.MULTILINE)}
    listed = PAGE.partition("## What makes results too easy")[2].partition("## The file")[0]
    assert named - set(re.findall(r"`(\w+)`", listed)) == set()
    assert all(f"`{source}/" in PAGE for source in SOURCES)
