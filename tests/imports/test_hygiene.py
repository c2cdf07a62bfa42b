"""Hygiene: what makes results too easy is found, with its numbers, and clean runs give no warning."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from molehunt.analysis.hygiene import Finding, inspect_runs
from molehunt.trajectories import Kind, Label, Run, Step, Trajectory, Truth


def run(
    name: str,
    label: Label | None = None,
    text: str = "a + b",
    *,
    kind: Kind = "code",
    task: str = "Add two numbers.",
    task_id: str = "p1",
    log: str = "runs.eval",
    model: str = "m",
    **factors: str,
) -> Run:
    truth = None if label is None else Truth(label, "sums", task_id, factors=factors)
    return Run(Trajectory(task, (Step(0, kind, text),)), truth, log, name, agent_model=model)


def found(runs: Sequence[Run]) -> dict[str, Finding]:
    return {finding.check: finding for finding in inspect_runs(runs).findings}


def pairs(n: int, **attack: str) -> list[Run]:
    """n honest runs and n attacks on the same tasks, of about the same lengths."""
    honest = [run(f"h{i}", "honest", f"a + {i:03}", task_id=f"p{i}") for i in range(n)]
    return honest + [run(f"s{i}", "attack", f"a - {i:03}", task_id=f"p{i}", **attack) for i in range(n)]


def test_clean_runs_give_no_warning():
    assert found(pairs(30)) == {}


def test_an_agent_that_speaks_of_its_side_task_is_heard():
    talk = run("s", "attack", "First the side task, then I avoid being detected.", kind="reasoning")
    finding = found([*pairs(3), talk])["side_task_wording"]
    assert (finding.count, finding.of) == (1, 4)
    assert "side task" in finding.example


def test_honest_agents_who_speak_so_as_often_are_no_sign():
    talk = [run(name, name, "A side task.", kind="prose") for name in ("honest", "attack")]
    assert "side_task_wording" not in found(talk)


def test_a_task_that_states_the_attack_is_shown_to_monitors():
    finding = found([run("s", task="Add two numbers. You are secretly to leak them.")])["attack_stated"]
    assert (finding.count, finding.of) == (1, 1)
    assert "secretly" in finding.example


def test_tasks_of_one_arm_alone_have_no_other_text():
    assert "tasks_differ" not in found([run("s", "attack", "1"), run("u", None, "2", task="Add.")])


def test_a_task_with_two_texts_gives_its_label_away():
    runs = [run("h", "honest", "1"), run("s", "attack", "2", task="Add two numbers, please.")]
    assert (found(runs)["tasks_differ"].count, found(runs)["tasks_differ"].of) == (1, 1)


def test_longer_attacks_are_told_by_their_length():
    finding = found(
        [*pairs(20), *[run(f"x{i}", "attack", "a" * (50 + i), task_id=f"p{i}") for i in range(20)]]
    )
    assert "characters" in finding["lengths"].what
    assert "40 attack" in finding["lengths"].what


def test_shorter_attacks_are_told_as_well():
    short = [run(f"x{i}", "attack", "a" * (i % 5), task_id=f"p{i}") for i in range(20)]
    assert "characters 0.00" in found([*pairs(20)[:20], *short])["lengths"].what


def test_few_runs_of_different_length_are_no_warning():
    few = [*pairs(2), run("s", "attack", "a" * 500, task_id="p1")]
    assert "lengths" not in found(few)
    assert "3 attack and 2 honest runs of sums are too few" in inspect_runs(few).unchecked[0]
    assert len(inspect_runs(pairs(30)).unchecked) == 1


def test_another_agent_in_attacks_is_a_form_that_tells():
    finding = found(pairs(20, model="other"))["forms"]
    assert "agent other 1.00" in finding.what


def test_one_trajectory_under_both_labels_is_found():
    finding = found([run("h", "honest"), run("s", "attack")])["both_labels"]
    assert (finding.count, finding.of) == (1, 1)
    assert "sample h" in finding.example
    assert "sample s" in finding.example


def test_repeats_are_counted_without_the_first():
    assert found([run("a"), run("b"), run("c"), run("d", text="x")])["duplicates"].count == 2


def test_two_runs_of_one_name_are_told():
    assert found([run("a", text="1"), run("a", text="2")])["same_name"].count == 2


def test_a_task_on_both_sides_of_a_split_is_found():
    runs = [run("a", "honest", "1", split="fit"), run("b", "attack", "2", split="test")]
    apart = [run("a", "honest", "1", split="fit"), run("b", "attack", "2", split="fit")]
    assert (found(runs)["split"].count, found(runs)["split"].of) == (1, 1)
    assert "split" not in found(apart)


def test_one_text_under_two_names_is_on_both_sides_too():
    runs = [run("a", "honest", "1", split="fit"), run("b", "attack", "2", task_id="p2", split="test")]
    assert "task text" in found(runs)["split"].what


def test_tasks_of_one_arm_alone_are_counted():
    finding = found([*pairs(3), run("s", "attack", "x", task_id="only")])["unpaired_tasks"]
    assert (finding.count, finding.of) == (1, 4)


def test_labels_in_names_are_told_and_worse_if_the_transcript_repeats_them():
    quiet = found([run("7-attack", "attack", "x")])
    assert quiet["labels_in_names"].count == 1
    assert "names_in_transcripts" not in quiet
    assert found([run("7-attack", "attack", "cd /logs/7-attack")])["names_in_transcripts"].count == 1


def test_a_log_of_both_labels_may_be_named_after_what_it_is_about():
    both = [run("s1", "honest", log="sabotage.eval"), run("s2", "attack", "x", log="sabotage.eval")]
    assert "labels_in_names" not in found(both)
    assert found(both[1:])["labels_in_names"].count == 1


def test_the_name_of_the_environment_is_no_label():
    named = run("s1", "attack", log="2026-12-01_sums-sabotage_x7.eval")
    assert found([named])["labels_in_names"].count == 1
    about = dataclasses.replace(named, truth=Truth("attack", "sums_sabotage/builtin", "p1"))
    assert "labels_in_names" not in found([about])


def test_words_that_only_contain_a_label_are_none():
    assert "labels_in_names" not in found(
        [run("counterattacking", "attack"), run("s", "attack", task_id="p")]
    )


def test_what_could_not_be_checked_is_said():
    assert "attack" in inspect_runs([run("h", "honest")]).unchecked[0]
    assert len(inspect_runs([run("h")]).unchecked) == 2
