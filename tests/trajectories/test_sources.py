"""What the user names becomes files: each once, in a fixed order, and what is not there is said at once."""

from __future__ import annotations

import os
import shutil

import pytest

from molehunt.trajectories import Problem, Run, Unread, log_files, read_runs


@pytest.fixture
def folder(tmp_path, make, write_eval):
    log = write_eval(make.sample(make.assistant("Done.")))
    for place in ("b/two.eval", "b/a/three.eval", "one.eval"):
        (tmp_path / "logs" / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(log, tmp_path / "logs" / place)
    return tmp_path / "logs"


def names(files, folder):
    return [str(file.relative_to(folder)) for file in files]


def test_a_folder_is_searched_with_all_that_is_below_it_in_a_fixed_order(folder):
    assert names(log_files([folder]), folder) == ["one.eval", "b/two.eval", "b/a/three.eval"]


def test_whatever_names_a_path_names_a_file(folder):
    with os.scandir(folder) as entries:
        found = log_files(sorted(entries, key=lambda entry: entry.name))
    assert names(found, folder) == ["b/two.eval", "b/a/three.eval", "one.eval"]


def test_a_pattern_names_files_and_folders(folder):
    assert names(log_files([f"{folder}/*"]), folder) == ["b/two.eval", "b/a/three.eval", "one.eval"]
    assert names(log_files([f"{folder}/**/t*.eval"]), folder) == ["b/a/three.eval", "b/two.eval"]


def test_a_file_that_is_named_twice_or_linked_is_read_once(folder):
    (folder / "link.eval").symlink_to(folder / "one.eval")
    twice = [folder / "one.eval", folder, f"{folder}/*.eval", folder / "link.eval"]
    assert names(log_files(twice), folder) == ["one.eval", "b/two.eval", "b/a/three.eval"]


def test_links_that_lead_in_circles_are_followed_once(folder):
    (folder / "a-way-up").symlink_to(folder)
    assert names(log_files([folder]), folder) == ["one.eval", "b/two.eval", "b/a/three.eval"]


def test_inspects_own_bookkeeping_and_hidden_files_are_passed_by_and_other_json_is_named(folder):
    for name in ("eval-set.json", "logs.json", ".hidden.json", "notes.txt"):
        (folder / name).write_text("{}")
    (folder / "manifest.json").write_text("[]")
    results = list(read_runs([folder]))
    assert sum(isinstance(result, Run) for result in results) == 3
    [unread] = [result for result in results if isinstance(result, Unread)]
    assert str(unread).startswith(f"{folder}/manifest.json is JSON, but no transcript of a known format")


def test_a_name_with_brackets_is_a_file_before_it_is_a_pattern(folder):
    odd = folder / "run[1].eval"
    shutil.copy(folder / "one.eval", odd)
    assert log_files([odd]) == [odd]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("missing.eval", "missing.eval: no such file or folder"),
        ("missing/*.eval", r"nothing matches this pattern"),
        ("empty", "no logs in this folder"),
    ],
)
def test_a_source_that_is_not_there_is_a_problem_at_once(tmp_path, source, message):
    (tmp_path / "empty").mkdir()
    with pytest.raises(Problem, match=message):
        read_runs([tmp_path / source])


def test_no_source_at_all_is_a_problem():
    with pytest.raises(Problem, match="no logs"):
        read_runs([])


def test_nothing_is_read_before_it_is_asked_for(folder):
    runs = read_runs([folder])
    (folder / "b" / "two.eval").write_text("overwritten")
    assert sum(isinstance(result, Unread) for result in runs) == 1


def test_a_pipe_among_the_logs_is_passed_by_and_keeps_nobody_waiting(folder):
    before = log_files([folder])
    os.mkfifo(folder / "pipe.eval")
    assert log_files([folder]) == before


def test_a_pipe_that_a_pattern_matches_is_passed_by_and_one_that_is_named_is_refused(folder):
    os.mkfifo(folder / "pipe.eval")
    assert folder / "pipe.eval" not in log_files([folder / "*"])
    with pytest.raises(Problem, match="is a pipe"):
        log_files([folder / "pipe.eval"])


def test_a_folder_that_cannot_be_listed_is_named(folder, monkeypatch):
    def locked(path):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", locked)
    with pytest.raises(Problem, match=r"logs: Permission denied; make the folder readable"):
        log_files([folder])
