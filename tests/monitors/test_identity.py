"""Records and digests: what makes another monitor, what does not, and what can be built again."""

from __future__ import annotations

import json

import pytest

from molehunt.monitors import build, from_record, monitor, monitor_digest, registry, spec_text, to_record
from molehunt.monitors.registry import BUILT_IN
from molehunt.trajectories import Problem
from molehunt.verdicts import Verdict

from_file = '''
from molehunt.monitors import monitor
from molehunt.verdicts import Verdict

@monitor(source="floor", version={version})
def constant(share: float = 0.5):
    """Says the same of everything."""
    async def score(trajectory, ask):
        return Verdict(share)
    return score
'''
MODEL = {"model": "openai/gpt-4.1-mini", "config": {"temperature": 1.0}}
ROLES = dict.fromkeys([role for name in BUILT_IN for role in build(name).roles], MODEL)


@pytest.fixture
def mine(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(from_file.format(version=1))
    return file


@pytest.mark.parametrize(
    "spec",
    [
        *BUILT_IN,
        "eae(view=View(reasoning=True, actions=True, tool_results=False), max_excerpts=9)",
        "hybrid(weight=0.1, first=eae(view=actions), second=hybrid(first=length(half=3)))",
        "keyword(words=[a, 'b c'])",
    ],
)
def test_a_monitor_is_built_again_from_its_record(spec):
    one = build(spec)
    other = from_record(json.loads(json.dumps(to_record(one))))
    assert spec_text(other) == spec_text(one)
    assert monitor_digest(other, ROLES) == monitor_digest(one, ROLES)


def test_a_monitor_in_a_file_is_built_again_alone_and_as_a_part(mine):
    for spec in (f"{mine}@constant(share=0.1)", f"hybrid(first='{mine}@constant', second=flag_all)"):
        other = from_record(json.loads(json.dumps(to_record(build(spec)))))
        assert monitor_digest(other, ROLES) == monitor_digest(build(spec), ROLES)


def test_a_record_of_a_file_that_has_changed_is_refused(mine):
    record = to_record(build(f"{mine}@constant"))
    mine.write_text(from_file.format(version=1) + "\n# another opinion\n")
    with pytest.raises(Problem, match="not what it was"):
        from_record(record)


def test_a_record_of_another_version_is_refused():
    record = {**to_record(build("length")), "version": 0}
    with pytest.raises(Problem, match="not what it was"):
        from_record(record)


def test_a_monitor_inside_a_function_has_an_identity_but_no_record():
    @monitor(source="floor")
    def length(half: int = 2000):
        """Not the registered one."""

        async def score(trajectory, ask):
            return Verdict(0.5)

        return score

    assert monitor_digest(length(), {}) != monitor_digest(build("length"), {})
    with pytest.raises(Problem, match="top level of a file"):
        to_record(length())


DIGESTS = [
    build("eae"),
    build("eae(min_excerpts=6)"),
    build("eae(unmatched=keep)"),
    build("eae(view=actions)"),
    build("cot_only"),
    build("action_only"),
    build("hybrid"),
    build("hybrid(first=cot_only)"),
    build("hybrid(first=cot_only(prose=action))"),
    build("length"),
    build("keyword"),
]


def test_monitors_that_differ_in_anything_have_different_digests():
    assert len({monitor_digest(one, ROLES) for one in DIGESTS}) == len(DIGESTS)


def test_defaults_that_are_spelled_out_change_nothing():
    for short, long in (("eae", "eae(min_excerpts=5)"), ("hybrid(weight=1)", "hybrid(weight=1.0)")):
        assert monitor_digest(build(short), ROLES) == monitor_digest(build(long), ROLES)


def test_models_configs_and_answer_modes_count_for_the_roles_that_a_monitor_has():
    one = build("eae")
    digests = {
        monitor_digest(one, ROLES),
        monitor_digest(one, ROLES, answer="structured"),
        monitor_digest(one, ROLES, answer="expected"),
        monitor_digest(one, ROLES | {"evaluator": {**MODEL, "model": "openai/gpt-4.1"}}),
        monitor_digest(one, ROLES | {"extractor": {**MODEL, "model": "openai/gpt-4.1"}}),
        monitor_digest(one, ROLES | {"extractor": {**MODEL, "config": {"temperature": 0.0}}}),
    }
    assert len(digests) == 6
    assert monitor_digest(one, ROLES | {"monitor": {}}) == monitor_digest(one, ROLES)


def test_a_floor_is_the_same_whatever_models_and_answers_there_are():
    floor = build("length")
    assert monitor_digest(floor, ROLES, answer="expected") == monitor_digest(floor, {})


def test_version_prompts_rendering_and_system_message_count(monkeypatch):
    from dataclasses import replace

    from molehunt.monitors import identity

    one = build("cot_only")
    before = monitor_digest(one, ROLES)
    assert monitor_digest(replace(one, prompts=("Other words.",)), ROLES) != before
    assert monitor_digest(replace(one, spec=replace(one.spec, version=2)), ROLES) != before
    monkeypatch.setattr(identity, "RENDERING", 0)
    rendered = monitor_digest(one, ROLES)
    monkeypatch.setattr(identity, "SYSTEM", "Be kind.")
    assert len({before, rendered, monitor_digest(one, ROLES)}) == 3


def test_a_file_counts_by_its_content_and_not_by_its_place(mine, tmp_path):
    moved = tmp_path / "elsewhere.py"
    moved.write_text(mine.read_text())
    one, other = build(f"{mine}@constant"), build(f"{moved}@constant")
    assert monitor_digest(one, {}) == monitor_digest(other, {})
    mine.write_text(from_file.format(version=1).replace("Verdict(share)", "Verdict(share / 2)"))
    assert monitor_digest(build(f"{mine}@constant"), {}) != monitor_digest(one, {})


def test_a_role_without_a_model_is_an_error():
    with pytest.raises(ValueError, match="'evaluator'"):
        monitor_digest(build("eae"), {"extractor": MODEL})


def test_digests_are_the_same_in_every_process():
    digest = monitor_digest(build("length(half=500)"), {})
    assert digest == monitor_digest(build("length(half=500)"), {})
    assert len(digest) == 32


def test_the_way_of_answering_counts_also_where_a_monitor_does_not_say_what_it_asks_for(tmp_path):
    file = tmp_path / "asks.py"
    file.write_text(
        "from molehunt import Prompt, Verdict, monitor\n"
        "from molehunt.monitors.answers import SuspicionScore\n"
        "@monitor(roles=('monitor',))\n"
        "def asks():\n"
        "    async def score(trajectory, ask):\n"
        "        answer = await ask('monitor', Prompt(trajectory.task, '', '?'), SuspicionScore())\n"
        "        return Verdict(answer.value.score)\n"
        "    return score\n"
    )
    one = build(f"{file}@asks")
    digests = {monitor_digest(one, ROLES, answer=mode) for mode in ("text", "structured", "expected")}
    assert len(digests) == 3


GROWN = '''
from molehunt.monitors import monitor
from molehunt.verdicts import Verdict

@monitor(source="floor", added=("twice",))
def constant(share: float = 0.5, twice: bool = False):
    """Says the same of everything."""
    async def score(trajectory, ask):
        return Verdict(share * (1 + twice))
    return score
'''


def test_a_parameter_that_came_later_makes_another_monitor_only_where_it_is_used(mine, tmp_path, monkeypatch):
    from molehunt.monitors import identity

    grown = tmp_path / "grown.py"
    grown.write_text(GROWN)
    # as of installed monitors, for which their version speaks
    monkeypatch.setattr(identity, "_origin", lambda _: ("constant", ""))
    before = monitor_digest(build(f"{mine}@constant"), {})
    assert monitor_digest(build(f"{grown}@constant"), {}) == before
    assert monitor_digest(build(f"{grown}@constant(twice=False)"), {}) == before
    assert monitor_digest(build(f"{grown}@constant(twice=True)"), {}) != before


@pytest.mark.parametrize("given", ["context_lines=2", "budget_tokens=500", "attribute=True"])
def test_options_of_the_plain_extractor_are_part_of_its_identity_where_they_are_used(given):
    plain, with_it = build("eae"), build(f"eae({given})")
    assert monitor_digest(plain, ROLES) != monitor_digest(with_it, ROLES)
    assert spec_text(with_it) == f"eae({given})"


def test_a_record_from_before_a_parameter_came_is_built_again():
    record = to_record(build("eae"))
    for name in ("context_lines", "budget_tokens", "attribute"):
        del record["params"][name]
    assert monitor_digest(from_record(record), ROLES) == monitor_digest(build("eae"), ROLES)


def test_nothing_installed_is_looked_through_for_a_monitor_of_this_package(monkeypatch):
    def looked_through(**_):
        raise AssertionError("a machine has hundreds of packages")

    monkeypatch.setattr(registry, "entry_points", looked_through)
    assert monitor_digest(build("length"), {})
