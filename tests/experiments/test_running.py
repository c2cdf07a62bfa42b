"""``molehunt run``: all stages from one file, and a plan before any of it."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from molehunt.cli import main
from molehunt.commands.run import command
from molehunt.experiments import read_experiment
from molehunt.experiments.acting import amiss
from molehunt.experiments.planning import plan_experiment
from molehunt.trajectories import Problem
from molehunt.verdicts.frames import read_store
from molehunt.verdicts.prices import PriceTable

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

TWO_POLICIES = """
agents: [scripted/saboteur]
environments:
  - {task: bigcodebench_sabotage, policy: [baseline, stealth], problems: 2}
scoring:
  - monitors: [length, keyword]
report: {by: [policy]}
"""

WITH_MODELS = """
agents: [openai/gpt-4.1]
epochs: 2
environments:
  - {task: bigcodebench_sabotage, problems: 3}
scoring:
  - {monitors: [action_only, eae], models: [openai/gpt-4.1-mini]}
  - {monitors: [eae], models: [{extractor: openai/gpt-4.1-mini, evaluator: openai/gpt-4.1}]}
"""


def run(file: Path, *options: str) -> Result:
    return CliRunner().invoke(command, [str(file), *options], catch_exceptions=False)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Result]:
    folder = tmp_path_factory.mktemp("experiment")
    file = folder / "two.yaml"
    file.write_text(TWO_POLICIES, encoding="utf-8")
    return file, folder / "out", run(file, "--out", str(folder / "out"))


def test_agents_act_monitors_judge_and_a_report_follows(done):
    _, out, result = done
    assert result.exit_code == 0
    runs = read_store(out / "scores.db").runs
    assert runs.groupby("label").size().to_dict() == {"attack": 4, "honest": 2}
    metrics = pd.read_csv(out / "report" / "metrics.csv")
    assert set(metrics["slice"].dropna()) == {"baseline", "stealth"}
    assert str((out / "report" / "report.html").resolve()) in result.output
    assert list((out / "report").glob("trajectories/*.html"))


def test_a_second_time_nothing_is_done_again(done):
    file, out, _ = done
    logs = sorted(out.rglob("*.eval"))
    verdicts = read_store(out / "scores.db").verdicts
    assert run(file, "--out", str(out)).exit_code == 0
    assert sorted(out.rglob("*.eval")) == logs
    pd.testing.assert_frame_equal(read_store(out / "scores.db").verdicts, verdicts)


def test_a_store_that_was_lost_is_made_again_from_the_logs(done, tmp_path):
    file, out, _ = done
    shutil.copytree(out / "logs", tmp_path / "logs")
    assert run(file, "--out", str(tmp_path)).exit_code == 0
    assert len(read_store(tmp_path / "scores.db").verdicts) == 12


def test_a_folder_with_logs_of_other_runs_is_refused_in_one_line(done, capsys):
    file, out, _ = done
    other = file.with_name("other.yaml")
    other.write_text(TWO_POLICIES.replace("[baseline, stealth]", "must-use-nothing"), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["run", str(other), "--out", str(out)])
    said = capsys.readouterr().err
    assert ended.value.code == 1
    assert said.startswith("molehunt run: ")
    assert "must-use-nothing" in said


def test_the_plan_counts_agents_epochs_and_what_monitors_share(tmp_path):
    file = tmp_path / "models.yaml"
    file.write_text(WITH_MODELS, encoding="utf-8")
    plan = plan_experiment(read_experiment(file), PriceTable.load())
    [agent] = plan.acting
    assert (agent.runs, agent.calls) == (12, 12)
    mini, large = "openai/gpt-4.1-mini", "openai/gpt-4.1"
    assert [(row.monitor, row.role, row.model, row.calls, row.free) for row in plan.judging.rows] == [
        ("action_only", "monitor", mini, 12, 0),
        ("eae", "extractor", mini, 12, 0),
        ("eae", "evaluator", mini, 12, 0),
        # the second EaE reads what the first one's extractor has quoted
        ("eae", "extractor", mini, 0, 12),
        ("eae", "evaluator", large, 12, 0),
    ]
    assert plan.usd == pytest.approx(agent.usd + plan.judging.usd)


def test_a_dry_run_prints_calls_tokens_and_dollars_and_writes_nothing(tmp_path):
    file = tmp_path / "models.yaml"
    file.write_text(WITH_MODELS, encoding="utf-8")
    result = run(file, "--dry-run", "--out", str(tmp_path / "out"))
    assert result.exit_code == 0
    assert "openai/gpt-4.1" in result.output
    assert "runs      12 to judge\n" in result.output
    assert " read" not in result.output
    assert "all       $" in result.output
    assert sorted(tmp_path.iterdir()) == [file]


def test_the_published_table_is_planned_on_the_real_problems(shared_data):
    data = shared_data / "bigcodebench" / "BigCodeBench_hf.jsonl.gz"
    experiment = read_experiment(EXAMPLES / "arike2026_bigcodebench.yaml", {"dataset": str(data)})
    plan = plan_experiment(experiment, PriceTable.load())
    assert [row.runs for row in plan.acting] == [2 * 855]
    assert plan.usd is not None


def test_runs_that_end_with_an_error_are_counted():
    def log(total, completed):
        return SimpleNamespace(results=SimpleNamespace(total_samples=total, completed_samples=completed))

    assert amiss(True, [log(4, 4), log(4, 3)]) == "1 run ended with an error"
    assert amiss(True, [log(4, 4), SimpleNamespace(results=None)]) == ""
    assert amiss(False, []) == "not every run came to an end"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (("by: [policy]", "by: [polisy]"), r"report\.by: there is no factor 'polisy'.*policy"),
        (("by: [policy]", "against: eae"), r"report\.against 'eae' names no monitor.*'length', 'keyword'"),
        (("scripted/saboteur", "opnai/gpt-4.1"), r"there is no provider opnai\. Did you mean openai"),
        (("problems: 2", "problems: 100"), "100 problems are wanted, and with these parameters it has 44"),
        (("[length, keyword]", "[action_only]\n    models: [opnai/x]"), "no provider opnai"),
    ],
)
@pytest.mark.parametrize("options", [["--dry-run"], []])
def test_what_would_fail_late_is_refused_before_anything_runs(wrong, words, options, tmp_path):
    file = tmp_path / "wrong.yaml"
    file.write_text(TWO_POLICIES.replace(*wrong), encoding="utf-8")
    with pytest.raises(Problem, match=words):
        run(file, "--out", str(tmp_path / "out"), *options)
    assert not (tmp_path / "out").exists()


def test_a_plan_needs_no_key_of_a_provider_that_is_known(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    file = tmp_path / "models.yaml"
    file.write_text(WITH_MODELS, encoding="utf-8")
    assert run(file, "--dry-run").exit_code == 0


def test_a_key_that_an_agent_lacks_is_named_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    file = tmp_path / "models.yaml"
    file.write_text(WITH_MODELS, encoding="utf-8")
    with pytest.raises(Problem, match=r"^model openai/gpt-4\.1 cannot be used: set OPENAI_API_KEY"):
        run(file, "--out", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()
