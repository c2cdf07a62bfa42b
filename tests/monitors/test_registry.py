"""Monitors by name: ours, other packages', and those in a file."""

from __future__ import annotations

import subprocess
import sys

import pytest

from molehunt.monitors import MonitorSpec, build, check_roles, describe, names, spec_text
from molehunt.monitors.floors import length
from molehunt.monitors.registry import BUILT_IN, OURS, own_names
from molehunt.monitors.testing import ask_that_says, judged_by
from molehunt.trajectories import Problem

MINE = '''
from dataclasses import dataclass
from molehunt.monitors import monitor
from molehunt.verdicts import Verdict

@dataclass
class Settings:
    share: float

@monitor(source="floor")
def constant(share: float = 0.5):
    """Says the same of everything."""
    settings = Settings(share)
    async def score(trajectory, ask):
        return Verdict(settings.share)
    return score

not_a_monitor = 3
'''


@pytest.fixture
def mine(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    return file


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install a package that offers monitors, as pip leaves it behind."""

    def install(name: str, offers: str, code: str = MINE) -> None:
        (tmp_path / f"{name}.py").write_text(code)
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text(f"[molehunt.monitors]\n{offers}\n")
        monkeypatch.syspath_prepend(tmp_path)

    return install


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_monitor_of_ours_can_be_built_and_described(name):
    monitor, description = build(name), describe(name)
    assert monitor.spec.name == name
    assert (description.roles, description.calls) == (monitor.roles, monitor.calls)
    assert description.summary
    assert description.source
    assert description.home == "molehunt"
    assert {parameter for parameter, _, _ in description.parameters} == monitor.spec.params.keys()


def test_monitors_of_this_package_are_told_from_others_without_loading_them(installed):
    installed("theirs_six", "of_others = theirs_six:constant", "raise SystemExit(3)")
    assert "of_others" in names()
    assert set(own_names()) == {*OURS, "sentinel", "control_arena"}


def test_a_description_says_how_often_a_monitor_asks():
    assert {name: describe(name).calls for name in ("length", "cot_only", "hybrid", "eae")} == {
        "length": 0,
        "cot_only": 1,
        "hybrid": 2,
        "eae": 2,
    }


def test_a_monitor_that_is_built_stays_what_it_is():
    monitor = length()
    assert build(monitor) is monitor


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("eea", "did you mean 'eae'"),
        ("nonsense", "Choose from action_only, cot_only"),
        ("eae(min_excerpt=8)", "did you mean 'min_excerpts'"),
        ("flag_all(x=1)", "no parameter 'x'; there are none"),
        ("eae(min_excerpts='8')", "takes a whole number, not '8'"),
        ("eae(min_excerpts=True)", "takes a whole number, not True"),
        ("eae(min_excerpts=8.0)", "takes a whole number, not 8.0"),
        ("eae(unmatched=burn)", "takes 'drop' or 'keep', not 'burn'"),
        ("eae(max_excerpts=many)", "takes a whole number or None, not 'many'"),
        ("keyword(words=rm)", "takes a list of: a text, not 'rm'"),
        ("keyword(words=[1])", "takes a list of: a text"),
        ("action_only(tool_results=1)", "takes True or False, not 1"),
        ("hybrid(weight=1e999)", "takes a number, not inf"),
        ("hybrid(weight=true)", "takes a number, not 'true'"),
        ("hybrid(first=eea)", "did you mean 'eae'"),
        ("hybrid(first=3)", "takes a monitor, not 3"),
        ("length(half=cot_only())", "takes a whole number, not 'cot_only'"),
    ],
)
def test_what_cannot_be_built_is_a_problem_that_says_what_can(spec, says):
    with pytest.raises(Problem) as problem:
        build(spec)
    assert says in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_wrong_value_is_refused_from_python_too():
    with pytest.raises(Problem, match="takes a whole number"):
        length(half="long")


async def test_a_monitor_in_a_file_is_built_and_scores(mine, trajectory):
    monitor = build(f"{mine}@constant(share=0.25)")
    assert (await judged_by(monitor, ask_that_says(), trajectory)).score == 0.25
    assert spec_text(monitor) == f"{mine}@constant(share=0.25)"
    assert describe(f"{mine}@constant").home == str(mine)


def test_a_monitor_in_a_file_can_be_part_of_another(mine):
    monitor = build(f"hybrid(first='{mine}@constant(share=0.25)', second=flag_all)")
    assert monitor.parts[0].spec.params == {"share": 0.25}
    assert spec_text(build(spec_text(monitor))) == spec_text(monitor)


def test_a_file_that_changes_is_read_again(mine):
    assert build(f"{mine}@constant").spec.params == {"share": 0.5}
    mine.write_text(MINE.replace("0.5", "0.6"))
    assert build(f"{mine}@constant").spec.params == {"share": 0.6}
    assert [file.name for file in mine.parent.iterdir()] == ["mine.py"]


@pytest.mark.parametrize(
    ("code", "name", "says"),
    [
        (MINE, "konstant", "did you mean 'constant'"),
        (MINE, "not_a_monitor", "Choose from constant"),
        ("x = 1", "constant", "has no monitor 'constant'; there are none"),
        ("def f(:\n", "constant", "fails: SyntaxError"),
        ("import nowhere_to_be_found", "constant", "fails: ModuleNotFoundError"),
        ("raise SystemExit(3)", "constant", "fails: SystemExit"),
        ("raise ValueError('a\\nb')", "constant", "fails: ValueError"),
        ("\x00", "constant", "fails"),
    ],
)
def test_a_file_that_does_not_have_it_is_a_problem(tmp_path, code, name, says):
    file = tmp_path / "other.py"
    file.write_text(code)
    with pytest.raises(Problem) as problem:
        build(f"{file}@{name}")
    assert says in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_file_that_is_not_there_is_a_problem(tmp_path):
    with pytest.raises(Problem, match="cannot be read: No such file"):
        build(f"{tmp_path}/none.py@constant")


def test_a_package_offers_monitors_through_an_entry_point(installed):
    installed("theirs_one", "same_of_all = theirs_one:constant")
    assert "same_of_all" in names()
    assert build("same_of_all(share=1)").spec == MonitorSpec("same_of_all", {"share": 1.0})
    assert describe("same_of_all").home == "theirs_one"


def test_a_package_cannot_take_the_place_of_a_monitor_of_ours(installed):
    installed("theirs_two", "length = theirs_two:constant")
    assert names().count("length") == 1
    assert "half" in build("length").spec.params


def test_two_packages_with_one_name_are_a_problem(installed):
    installed("theirs_three", "twice = theirs_three:constant")
    installed("theirs_four", "twice = theirs_four:constant")
    with pytest.raises(Problem, match="offered by theirs_four and theirs_three"):
        build("twice")


ANYTHING = """
class Anything:
    def __getattr__(self, name):
        return "here"

anything = Anything()
"""

ONE_TEXT = """
from molehunt.monitors import monitor

@monitor(roles="monitor")
def judge():
    pass
"""


@pytest.mark.parametrize(
    ("offers", "code", "says"),
    [
        ("broken_a = theirs_five:constant", "import nowhere_to_be_found", "cannot be loaded"),
        ("broken_b = theirs_five:missing", MINE, "cannot be loaded"),
        ("broken_c = theirs_five:not_a_monitor", MINE, "decorate it with @monitor"),
        ("broken_d = theirs_five:anything", ANYTHING, "decorate it with @monitor"),
        ("broken_e = theirs_five:judge", ONE_TEXT, r"takes roles=\('monitor',\), a tuple"),
    ],
)
def test_a_broken_package_costs_only_its_own_monitor(installed, offers, code, says, monkeypatch):
    monkeypatch.delitem(sys.modules, "theirs_five", raising=False)
    installed("theirs_five", offers, code)
    with pytest.raises(Problem, match=says):
        build(offers.partition(" ")[0])
    assert build("length")


def test_a_role_that_no_monitor_has_is_a_problem():
    check_roles([build("eae")], ["extractor"])
    with pytest.raises(Problem, match="did you mean 'extractor'"):
        check_roles([build("eae"), build("cot_only")], ["extracter"])
    with pytest.raises(Problem, match="there are none"):
        check_roles([build("length")], ["monitor"])


def test_the_registry_and_all_its_descriptions_import_nothing_heavy():
    code = """
import sys
from molehunt.monitors import describe, names
for name in names():
    describe(name)
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "molehunt.monitors.static.monitor" in loaded
    assert not loaded & {"inspect_ai", "pandas", "numpy", "pydantic", "bandit", "sklearn"}


def test_a_factory_that_raises_is_a_problem_that_names_it(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text(
        "from molehunt import monitor\n@monitor()\n"
        "def broken():\n    '''Cannot be built.'''\n    return {}['x']\n"
    )
    for attempt in (build, describe):
        with pytest.raises(Problem, match=r"broken' cannot be built: KeyError: 'x'"):
            attempt(f"{file}@broken")
