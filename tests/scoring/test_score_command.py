"""``molehunt score`` and ``molehunt monitors`` as they are typed."""

from __future__ import annotations

import json
import re

import pytest

from molehunt.cli import main
from molehunt.scoring import job
from molehunt.trajectories import read_runs
from molehunt.verdicts import Store


@pytest.fixture
def typed(capsys):
    """What a command line prints, and its exit status."""

    def run(*words):
        with pytest.raises(SystemExit) as end:
            main([str(word) for word in words])
        out, err = capsys.readouterr()
        return end.value.code, out, err

    return run


@pytest.fixture
def score_line(typed, log_of, tmp_path):
    """``molehunt score`` on a log of two runs, priced, into one store."""

    def run(*words, samples=2):
        store = tmp_path / "scores.db"
        return typed("score", log_of(samples), "--store", store, "--price", "fakemonitor/*=1,5", *words)

    return run


JUDGED = ("--monitor", "action_only", "--model", "fakemonitor/judge")


def test_a_summary_says_what_was_done_what_it_cost_and_what_comes_next(score_line, tmp_path):
    status, out, _ = score_line(*JUDGED, "--monitor", "length")
    assert status == 0
    assert re.search(r"action_only · fakemonitor/judge +2\n", out)
    assert "runs      2 read, 2 different trajectories" in out
    assert "verdicts  4 scored, 0 unscored, 0 in the store before" in out
    assert "dollars   $0.003, for 2 calls; 0 were answered from the store" in out
    assert f"molehunt report {tmp_path / 'scores.db'} --out report" in out


def test_progress_goes_to_standard_error(score_line):
    _, out, err = score_line(*JUDGED)
    assert "2/2 verdicts, 0 unscored, $0.003" in err
    assert "2/2" not in out


def test_roles_and_settings_are_bound_as_they_are_written(score_line, sent):
    status, _, _ = score_line(
        "--monitor",
        "eae",
        "--role",
        "extractor=fakemonitor/judge",
        "--role",
        "evaluator={model: fakemonitor/judge-b, temperature: 0}",
    )
    assert status == 0
    assert {(request.model, request.config.temperature) for request in sent} == {
        ("judge", 1.0),
        ("judge-b", 0.0),
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--monitor", "action_only"),
            "role 'monitor' of monitor 'action_only' has no model. Bind it: --role ",
        ),
        (("--monitor", "nosuch", "--model", "fakemonitor/judge"), "there is no monitor 'nosuch'"),
        ((*JUDGED, "--role", "judge=fakemonitor/judge"), "has a role 'judge'"),
        ((*JUDGED, "--role", "monitor"), "--role 'monitor' binds nothing"),
        ((*JUDGED, "--role", "monitor={model: ["), "cannot be read"),
        (("--monitor", "action_only", "--model", "opnai/o3"), "no provider opnai. Did you mean openai"),
        (("--monitor", "action_only", "--model", "gpt-4.1"), "Write provider/model"),
        ((*JUDGED, "--truth", "no/such.csv"), "no/such.csv"),
        ((*JUDGED, "--prices", "no/such.csv"), "no/such.csv"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line_with_status_one(score_line, words, said):
    status, out, err = score_line(*words)
    assert (status, out) == (1, "")
    assert err.startswith("molehunt score: ")
    assert said in err
    assert len(err.splitlines()) == 1


def test_a_source_that_is_not_there_is_said_in_one_line(typed, tmp_path):
    status, _, err = typed(
        "score", tmp_path / "gone.eval", "--store", tmp_path / "s.db", "--monitor", "length"
    )
    assert status == 1
    assert len(err.splitlines()) == 1


def test_what_is_done_in_part_is_status_three_with_the_counts(typed, log_of, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    words = ("--store", tmp_path / "s.db", "--monitor", "length")
    status, out, _ = typed("score", log_of(2), bad, *words)
    assert status == 3
    assert f"unread    {bad}" in out
    assert "verdicts  2 scored" in out


def test_failures_are_counted_by_what_went_wrong(score_line):
    status, out, _ = score_line("--monitor", "action_only", "--model", "fakemonitor/broken")
    assert status == 1
    assert "failed    2 × RuntimeError: the provider is on fire" in out


def test_a_dry_run_says_what_it_would_cost_and_writes_nothing(score_line, sent, tmp_path):
    status, out, _ = score_line(*JUDGED, "--dry-run")
    assert status == 0
    assert "runs      2 read, 2 different trajectories\n" in out
    assert "verdicts  2 to make, 0 in the store" in out
    assert re.search(r"dollars   about \$0\.00\d+, for 2 calls", out)
    assert sent == []
    assert not (tmp_path / "scores.db").exists()


def test_a_dry_run_counts_labels_as_a_run_does(score_line):
    labels = "labels    1 attack, 1 honest, 0 unlabelled\n"
    assert labels in score_line(*JUDGED, "--dry-run")[1]
    assert labels in score_line(*JUDGED)[1]


def test_one_of_a_thing_is_said_as_one(score_line):
    _, out, _ = score_line(*JUDGED, samples=1)
    assert "runs      1 read, 1 different trajectory\n" in out
    assert "for 1 call; 0 were answered" in out


def test_a_dry_run_warns_of_what_makes_results_too_easy_and_reads_the_logs_but_once(score_line, monkeypatch):
    opened = []
    monkeypatch.setattr(job, "read_runs", lambda *given: opened.append(given) or read_runs(*given))
    _, out, _ = score_line(*JUDGED, "--dry-run")
    assert "note      no run has a factor called split" in out
    assert len(opened) == 1


def test_the_limit_in_dollars_is_named_where_it_stopped_the_run(score_line):
    status, out, _ = score_line(*JUDGED, "--max-usd", "0.03", samples=20)
    assert status == 3
    assert re.search(
        r"left      \d+, since the limit in dollars was reached; the same command makes them", out
    )


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(score_line, sent, tmp_path):
    words = ("--monitor", "action_only", "--model", "fakemonitor/interrupter", "--max-connections", "1")
    status, out, _ = score_line(*words, samples=5)
    assert status == 130
    assert out == (
        f"molehunt score: stopped. What was done is in {tmp_path / 'scores.db'}; "
        "the same command goes on from there.\n"
    )
    with Store.read(tmp_path / "scores.db") as store:
        assert len(list(store.calls())) == len(sent) == 3
    status, out, _ = score_line(*words, samples=5)
    assert status == 0
    assert len(sent) == 5


def test_logs_without_labels_take_them_from_their_names(typed, log_of, tmp_path, sample_of):
    def foreign(name):
        return {**sample_of(name, f"print({name!r})"), "metadata": {}}

    log_of([foreign("a")], name="x-attack.json")
    log_of([foreign("h")], name="x-honest.json")
    words = (
        "--honest",
        "*honest*",
        "--attack",
        "*attack*",
        "--store",
        tmp_path / "s.db",
        "--monitor",
        "length",
    )
    status, out, _ = typed("score", tmp_path / "x-*.json", *words)
    assert status == 0
    assert "labels    1 attack, 1 honest, 0 unlabelled" in out
    with Store.read(tmp_path / "s.db") as store:
        assert sorted(run.truth.label for run in store.runs()) == ["attack", "honest"]


def test_without_any_label_the_next_step_is_to_name_some(typed, log_of, tmp_path, sample_of):
    log_of([{**sample_of("a", "print(1)"), "metadata": {}}], name="x.json")
    words = ("--store", tmp_path / "s.db", "--monitor", "length")
    _, out, _ = typed("score", tmp_path / "x.json", *words)
    assert "labels    0 attack, 0 honest, 1 unlabelled" in out
    assert "next      say which runs are attacks" in out


def test_control_characters_in_what_others_wrote_do_not_reach_the_terminal(
    typed, log_of, tmp_path, sample_of
):
    log = tmp_path / "a.json"
    log.write_text(json.dumps({"status": "\x1b[31mred"}))
    _, out, err = typed("score", log, "--store", tmp_path / "s.db", "--monitor", "length")
    assert "\x1b" not in out + err


def test_the_monitors_are_listed_with_their_roles(typed):
    status, out, _ = typed("monitors")
    assert status == 0
    assert re.search(r"eae +extractor, +", out)
    assert re.search(r"length +none +", out)


def test_one_monitor_is_described_with_its_parameters(typed):
    _, out, _ = typed("monitors", "hybrid")
    assert re.search(r"weight +a number +0\.55", out)
    assert "2 for each trajectory" in out


def test_a_monitor_that_there_is_not_is_said_in_one_line(typed):
    status, _, err = typed("monitors", "nosuch")
    assert status == 1
    assert err.startswith("molehunt monitors: there is no monitor 'nosuch'")


def test_an_unknown_price_is_a_gap_in_the_summary_and_in_the_progress(typed, log_of, tmp_path):
    _, out, err = typed("score", log_of(1), "--store", tmp_path / "s.db", *JUDGED)
    assert "dollars   $0 and what fakemonitor/judge cost, whose price is unknown, for 1 call" in out
    assert "1/1 verdicts, 0 unscored, price unknown" in err


def test_rows_of_a_table_of_labels_about_none_of_the_runs_are_counted(typed, log_of, sample_of, tmp_path):
    labels, log = tmp_path / "labels.csv", log_of([{**sample_of("s0", "a + b"), "metadata": {}}])
    for place, (rows, told) in enumerate(
        [
            ("uuid-of-s9,attack", "1 of 1 row of"),
            ("uuid-of-s0,attack\nuuid-of-s8,honest\nuuid-of-s9,honest", "2 of 3 rows of"),
            ("uuid-of-s0,honest\nuuid-of-s0,attack", ""),
        ]
    ):
        labels.write_text(f"sample,label\n{rows}\n")
        words = ("--monitor", "length", "--truth", labels, "--store", tmp_path / f"{place}.db")
        status, out, _ = typed("score", log, *words)
        assert status == 0
        assert told in out if told else "about no run that was read" not in out


def test_patterns_that_contradict_what_logs_say_of_themselves_are_not_passed_over_in_silence(score_line):
    _, out, _ = score_line("--monitor", "length", "--attack", "*runs*")
    assert "note      1 of 2 runs bears a label of its own" in out
    _, out, _ = score_line("--monitor", "length")
    assert "--honest" not in out
