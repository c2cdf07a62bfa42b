"""`molehunt monitors`: what there is, what each takes, and the page that is made from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from molehunt.commands.monitors import command
from molehunt.monitors import describe, names

PAGE = Path(__file__).resolve().parents[2] / "docs" / "monitors.md"


def said(*words: str) -> str:
    result = CliRunner().invoke(command, list(words), env={"COLUMNS": "300"})
    assert result.exit_code == 0, result.output
    return result.output


def test_the_page_of_the_documentation_is_what_the_code_says():
    assert PAGE.read_text(encoding="utf-8") == said("--page"), "molehunt monitors --page > docs/monitors.md"


def test_the_page_has_every_monitor_of_ours_and_says_what_its_parameters_are():
    page = said("--page")
    for name in names():
        monitor = describe(name)
        if monitor.home == "molehunt":
            assert f"\n## {name}\n" in page
            assert all(f"\n| `{parameter}` | " in page for parameter, _, _ in monitor.parameters)


def test_a_monitor_is_described_with_roles_calls_source_and_what_each_parameter_is():
    shown = said("hybrid")
    for words in (
        "roles",
        "2 for each trajectory",
        "Arnav et al. 2025",
        "weight",
        "0.55",
        "the second's is the rest",
    ):
        assert words in shown


def test_an_oracle_is_called_one_in_the_list_and_in_its_description():
    assert "(oracle) Gives the probability of an attack" in said()
    assert "it has seen truth" in said("learned")


@pytest.mark.parametrize("fault", ["import nowhere_to_be_found", "raise SystemExit(3)", "1 / 0", "def f(:"])
def test_a_package_that_cannot_be_imported_hides_no_other(fault, tmp_path, monkeypatch):
    page = said("--page")
    (tmp_path / "broken_plugin.py").write_text(fault)
    folder = tmp_path / "broken_plugin-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-plugin\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[molehunt.monitors]\nbroken = broken_plugin:broken\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert said("--page") == page
    shown = said()
    assert "monitor 'broken' of broken-plugin cannot be loaded" in shown
    assert "Extracts verbatim excerpts" in shown


def test_a_page_about_one_monitor_is_a_wrong_call():
    assert CliRunner().invoke(command, ["eae", "--page"]).exit_code == 2
