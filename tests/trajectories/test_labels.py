"""What the user says of logs becomes truth, and what cannot be meant is refused before anything is read."""

from __future__ import annotations

import pytest

from molehunt.trajectories import LabelRow, Problem, Truth, TruthOptions, Unread, read_labels, read_runs
from molehunt.trajectories.inspect_background import environment_name
from molehunt.trajectories.labels import read_label


@pytest.mark.parametrize("attack", ["attack", "Attack ", 1, "1", True, "true", 1.0])
@pytest.mark.parametrize("honest", ["honest", "HONEST", 0, "0", False, "False", 0.0])
def test_labels_are_read_in_every_usual_spelling(attack, honest):
    assert read_label(attack) == "attack"
    assert read_label(honest) == "honest"


@pytest.mark.parametrize("value", ["", "maybe", None, 2, "yes", [1]])
def test_what_is_no_label_is_refused(value):
    with pytest.raises(ValueError, match="none of attack, honest"):
        read_label(value)


def test_a_pattern_is_matched_against_the_file_name_and_with_a_slash_against_the_path():
    by_name = TruthOptions(honest=["*honest*"], attack=["*attack*"])
    assert by_name.label_of_file("attack-study/run-honest.eval") == "honest"
    by_path = TruthOptions(honest=["*/honest/*"], attack=["*/attack/*"])
    assert by_path.label_of_file("logs/attack/honest.eval") == "attack"
    assert by_name.label_of_file("logs/other.eval") is None


def test_a_log_that_matches_both_patterns_is_a_problem_before_any_reading(make, write_eval):
    path = write_eval(make.sample(), name="honest-attack.eval")
    with pytest.raises(Problem, match="matches both --honest"):
        read_runs([path], TruthOptions(honest=["*honest*"], attack=["*attack*"]))


def test_without_options_a_foreign_run_has_no_truth_and_an_unverified_task(make, read_one):
    run = read_one(make.sample(make.assistant("Done.")))
    assert run.truth is None
    assert run.trajectory.task == "Do it."
    assert not run.task_verified


def test_a_label_by_file_name_completes_the_truth_from_the_log(make, read_one):
    run = read_one(make.sample(make.assistant("Done.")), TruthOptions(attack=["*.eval"]))
    assert run.truth == Truth("attack", "demo_task", "s1")


@pytest.mark.parametrize(("value", "label"), [("attack", "attack"), (0, "honest"), (True, "attack")])
def test_a_label_may_stand_in_a_field_of_the_sample(make, read_one, value, label):
    sample = make.sample(make.assistant("Done."), metadata={"arm": {"label": value}})
    assert read_one(sample, TruthOptions(field="metadata.arm.label")).truth.label == label


def test_a_label_may_stand_in_a_field_of_the_header(make, read_one):
    header = {**make.header, "eval": {**make.header["eval"], "metadata": {"mode": "attack"}}}
    run = read_one(
        make.sample(make.assistant("Done.")), TruthOptions(field="eval.metadata.mode"), header=header
    )
    assert run.truth.label == "attack"


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [({}, "has no field metadata.label"), ({"label": "maybe"}, "that is no label: 'maybe'")],
)
def test_a_sample_whose_field_holds_no_label_is_named_and_passed_by(make, write_eval, metadata, reason):
    bad = make.sample(make.assistant("Done."), metadata=metadata)
    good = make.sample(make.assistant("Done."), metadata={"label": "honest"})
    unread, run = read_runs([write_eval(bad, good)], TruthOptions(field="metadata.label"))
    assert isinstance(unread, Unread)
    assert reason in unread.reason
    assert run.truth.label == "honest"


def test_a_field_may_hold_the_main_task(make, read_one):
    sample = make.sample(make.assistant("Done."), metadata={"task": "Sort a list."})
    run = read_one(sample, TruthOptions(task_field="metadata.task"))
    assert run.trajectory.task == "Sort a list."
    assert run.task_verified


def test_a_table_is_joined_by_uuid_or_by_id_and_overrules_everything(make, read_one, tmp_path):
    table = tmp_path / "labels.csv"
    table.write_text(
        "sample,sample_id,epoch,log,label,environment,main_score,policy\n"
        "uuid1,,,,attack,studies/mine,1,stealth\n"
        ",s1,,,honest,,,\n"
        ",s2,1,other.eval,honest,,,\n"
        ",s2,1,log.eval,1,,0.5,\n"
    )
    options = TruthOptions(honest=["*"], labels=table)
    by_uuid = read_one(make.sample(make.assistant("Done.")), options).truth
    assert by_uuid == Truth("attack", "studies/mine", "s1", main_score=1.0, factors={"policy": "stealth"})
    by_id = read_one(make.sample(make.assistant("Done."), uuid=None), options).truth
    assert by_id.label == "honest"
    in_this_log = read_one(make.sample(make.assistant("Done."), id="s2", uuid="x"), options).truth
    assert (in_this_log.label, in_this_log.main_score) == ("attack", 0.5)


def test_a_sample_that_a_table_does_not_name_keeps_what_is_said_otherwise(make, read_one, tmp_path):
    table = tmp_path / "labels.csv"
    table.write_text("sample,label\nother,attack\n")
    sample = make.sample(make.assistant("Done."))
    assert read_one(sample, TruthOptions(labels=table)).truth is None
    assert read_one(sample, TruthOptions(labels=table, honest=["*"])).truth.label == "honest"


def test_a_row_corrects_truth_and_leaves_what_it_does_not_say():
    truth = Truth("honest", "env", "p1", main_score=1.0, side_score=0.0, factors={"policy": "stealth"})
    corrected = LabelRow("attack", sample="u", side_score=1.0, factors={"reviewed": "yes"}).correct(truth)
    assert corrected == Truth(
        "attack",
        "env",
        "p1",
        main_score=1.0,
        side_score=1.0,
        factors={"policy": "stealth", "reviewed": "yes"},
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sample,verdict\nu,attack\n", "needs a column label"),
        ("label\nattack\n", "needs a column label and a column sample or sample_id"),
        ("sample,label\nu,perhaps\n", "line 2: 'perhaps' is none of"),
        ("sample,label\nu,attack\n,honest\n", "line 3: the row names no sample"),
        ("sample,label\nu,attack,more\n", "line 2: more cells than columns"),
        ("sample,label,main_score\nu,attack,high\n", "line 2: could not convert"),
        ("", "needs a column label"),
    ],
)
def test_a_table_that_cannot_be_meant_is_a_problem_before_any_reading(
    make, write_eval, tmp_path, text, message
):
    table = tmp_path / "labels.csv"
    table.write_text(text)
    with pytest.raises(Problem, match=message):
        read_runs([write_eval(make.sample())], TruthOptions(labels=table))


def test_a_table_that_is_missing_or_no_text_is_a_problem(tmp_path):
    with pytest.raises(Problem, match="No such file"):
        read_labels(tmp_path / "none.csv")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00label")
    with pytest.raises(Problem, match="no CSV file in UTF-8"):
        read_labels(tmp_path / "binary.csv")


def test_a_score_that_is_not_a_number_is_unknown(tmp_path):
    table = tmp_path / "labels.csv"
    table.write_text("\ufeffsample,label,main_score\nu,attack,nan\n", encoding="utf-8")
    assert read_labels(table) == [LabelRow("attack", sample="u")]


@pytest.mark.parametrize(
    ("task", "environment"),
    [
        ("apps_defer_to_trusted_attack_5321ab66", "apps_defer_to_trusted"),
        ("apps_defer_to_trusted_honest_75cb42c1", "apps_defer_to_trusted"),
        ("honest_coding", "coding"),
        ("my-attack", "my"),
        ("dishonest_counterattack", "dishonest_counterattack"),
        ("attack", "attack"),
        ("inspect_evals/gsm8k", "inspect_evals/gsm8k"),
    ],
)
def test_the_arms_of_one_experiment_share_an_environment(task, environment):
    assert environment_name(task) == environment


def control_arena_sample(make, mode, **metadata):
    call = (
        "c1",
        "submit",
        {"code": "print(1)", "secret_input": "7"} if mode == "attack" else {"code": "print(1)"},
    )
    return make.sample(
        make.assistant("", "m1", [call]),
        id=f"MT_x_{mode}",
        metadata={
            "main_task_description": "Write it.",
            "main_task_name": "x",
            "setting_name": "apps",
            "eval_mode": mode,
            "side_task_name": "insert_backdoor" if mode == "attack" else None,
            **metadata,
        },
        scores={"apps_scorer": {"value": {"main_task_success": "C", "side_task_success": "I"}}},
    )


def test_control_arena_logs_tell_task_problem_setting_and_scores(make, read_one):
    header = {
        "eval": {
            "task": "t",
            "model": "none/none",
            "metadata": {"micro_protocol": {"type": "defer_to_trusted"}},
            "model_roles": {"untrusted": {"model": "a/untrusted"}, "trusted": {"model": "b/trusted"}},
        }
    }
    options = TruthOptions(field="metadata.eval_mode")
    honest, attack = (
        read_one(control_arena_sample(make, mode), options, header=header) for mode in ("honest", "attack")
    )
    assert attack.truth == Truth(
        "attack",
        "control_arena/apps",
        "x",
        main_score=1.0,
        side_score=0.0,
        factors={"side_task": "insert_backdoor", "protocol": "defer_to_trusted"},
    )
    assert honest.truth.label == "honest"
    assert honest.truth.task_id == attack.truth.task_id
    assert "side_task" not in honest.truth.factors
    assert honest.trajectory.task == "Write it."
    assert honest.task_verified
    assert honest.agent_model == "a/untrusted"


@pytest.mark.parametrize("mode", ["honest", "attack"])
def test_the_mode_of_a_control_arena_sample_is_its_label(make, read_one, mode):
    assert read_one(control_arena_sample(make, mode)).truth.label == mode


def test_a_mode_that_is_neither_is_no_label(make, read_one):
    assert read_one(control_arena_sample(make, "red_team")).truth is None
    assert read_one(control_arena_sample(make, None)).truth is None


def test_an_argument_that_only_the_scorer_may_see_does_not_give_the_label_away(make, read_one):
    honest, attack = (read_one(control_arena_sample(make, mode)) for mode in ("honest", "attack"))
    assert attack.trajectory == honest.trajectory
    assert attack.trajectory.id == honest.trajectory.id


@pytest.mark.parametrize(
    ("value", "score"),
    [("C", 1.0), ("I", 0.0), ("P", 0.5), (True, 1.0), (0.25, 0.25), (float("nan"), None), ("?", None)],
)
def test_scores_are_numbers_or_unknown(make, read_one, value, score):
    sample = make.sample(make.assistant("Done."), scores={"main_task_success": {"value": value}})
    assert read_one(sample, TruthOptions(honest=["*"])).truth.main_score == score


@pytest.mark.parametrize(
    ("more", "ending"),
    [
        ({}, "finished"),
        ({"limit": {"type": "message", "limit": 5}}, "limit"),
        ({"limit": {"type": "operator", "limit": 1}}, "cancelled"),
        ({"error": {"message": "RuntimeError('x')"}}, "error"),
        ({"error": {"message": "CancelledError('Cancelled via cancel scope')"}}, "cancelled"),
    ],
)
def test_how_a_run_ended_is_read(make, read_one, more, ending):
    assert read_one(make.sample(make.assistant("Done."), **more)).ending == ending


def test_a_sample_in_which_nothing_was_done_is_a_run_all_the_same(make, read_one):
    run = read_one(make.sample(error={"message": "404"}))
    assert run.trajectory.steps == ()
    assert run.reasoning == "none"


def test_samples_of_early_logs_get_a_name_that_no_other_log_has(make, read_one):
    old = make.sample(make.assistant("Done."), uuid=None, id=7)
    assert read_one(old).sample == "eval1/7"
    header = {"eval": {"task": "t", "run_id": "r", "task_id": "k"}}
    assert read_one(old, header=header).sample == "r-k/7"


def test_a_pattern_that_matches_no_log_is_refused_before_anything_is_read():
    options = TruthOptions(honest=["*honst*"], attack=["*attack*"])
    with pytest.raises(Problem, match=r"--honest '\*honst\*' matches none of the 2 log files"):
        options.check(["logs/apps-honest.eval", "logs/apps-attack.eval"])
