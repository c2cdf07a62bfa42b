"""The front door: help is instant, problems are one line, statuses are those that the help names."""

from __future__ import annotations

import subprocess
import sys

import pytest

from molehunt import cli
from molehunt.trajectories import Problem


def test_help_lists_every_command_without_importing_anything_heavy() -> None:
    program = (
        "import sys; from molehunt import cli\n"
        "try: cli.main(['--help'])\n"
        "except SystemExit as end: assert end.code == 0, end.code\n"
        "heavy = {'inspect_ai', 'pandas', 'numpy', 'sklearn', 'scipy', 'matplotlib', 'pydantic', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")
    assert all(f"  {name} " in done.stdout for name in cli.COMMANDS)


def test_every_command_in_the_table_exists() -> None:
    group = cli.cli
    assert isinstance(group, cli.LazyGroup)
    context = cli.click.Context(group)
    assert all(group.get_command(context, name) is not None for name in cli.COMMANDS)


def test_a_problem_is_one_line_behind_the_commands_name_and_status_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise Problem("the file \x1b[31mx.eval does not exist; check the path")

    monkeypatch.setattr(cli.LazyGroup, "get_command", broken)
    with pytest.raises(SystemExit) as end:
        cli.main(["score", "x.eval"])
    assert end.value.code == 1
    assert capsys.readouterr().err == "molehunt score: the file �[31mx.eval does not exist; check the path\n"


def test_an_unknown_command_is_told_so_with_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(["scoer"])
    assert end.value.code == 2
    assert "scoer" in capsys.readouterr().err
