"""Specs: what can be written, what comes back, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molehunt.monitors import MonitorSpec, build, spec_text
from molehunt.monitors.specs import parse
from molehunt.trajectories import ACTIONS, Problem, View


@pytest.mark.parametrize(
    ("text", "name", "params"),
    [
        ("eae", "eae", {}),
        (" eae ( ) ", "eae", {}),
        ("eae(min_excerpts=8)", "eae", {"min_excerpts": 8}),
        ("f(a='x', b=-1.5, c=None)", "f", {"a": "x", "b": -1.5, "c": None}),
        ("f(a=[1, 'y', z, [True]])", "f", {"a": [1, "y", "z", [True]]}),
        ("path/to/mine.py@keyword(words=[rm, curl])", "path/to/mine.py@keyword", {"words": ["rm", "curl"]}),
        ("hybrid(first=f(a=x))", "hybrid", {"first": MonitorSpec("f", {"a": "x"})}),
    ],
)
def test_a_spec_is_a_name_and_parameters(text, name, params):
    assert parse(text) == MonitorSpec(name, params)
    assert parse(text).params == params


@pytest.mark.parametrize(
    "text",
    [
        "",
        "()",
        "eae(",
        "eae)",
        "eae(8)",
        "eae(min_excerpts=8",
        "eae(min_excerpts=8)(x=1)",
        "eae(min_excerpts=8) or (x)",
        "eae(min_excerpts=8, min_excerpts=9)",
        "eae(**{'a': 1})",
        "eae(*[1])",
        "eae(min_excerpts=__import__('os').getpid())",
        "eae(min_excerpts=2+x)",
        "eae(min_excerpts=[i for i in range(3)])",
        "eae(min_excerpts=f'{1}')",
        "eae(min_excerpts={'a': x})",
        "eae(a=\x00)",
        "eae(a=" + "-" * 100_000 + "1)",
        "eae(a=" + "(" * 300 + ")" * 300 + ")",
    ],
)
def test_what_is_no_spec_is_a_problem_in_one_line(text):
    with pytest.raises(Problem) as problem:
        parse(text)
    assert "\n" not in str(problem.value)


def test_nothing_in_a_spec_is_evaluated(tmp_path):
    target = tmp_path / "made"
    with pytest.raises(Problem):
        build(f"keyword(words=[open({str(target)!r}, 'w')])")
    assert not target.exists()


def test_the_short_form_names_only_what_differs_from_the_defaults():
    assert spec_text(build("eae")) == "eae"
    assert spec_text(build("eae(min_excerpts=5, unmatched='keep')")) == "eae(unmatched=keep)"
    assert spec_text(build("hybrid(weight=1, first=cot_only)")) == "hybrid(weight=1.0, first=cot_only)"


def test_views_are_named_or_spelled_out():
    assert build("length(view=actions)").spec.params["view"] == ACTIONS
    spelled = build("length(view=View(reasoning=True, actions=True, tool_results=False))")
    assert spelled.spec.params["view"] == View(True, True, tool_results=False)
    assert build(spec_text(spelled)).spec == spelled.spec


@pytest.mark.parametrize(
    "view",
    [
        "thoughts",
        "View()",
        "View(x=1)",
        "View(actions=False, reasoning=False)",
        "View(actions=1, reasoning=0)",
    ],
)
def test_a_view_that_does_not_exist_is_a_problem(view):
    with pytest.raises(Problem):
        build(f"length(view={view})")


@given(
    st.builds(
        dict,
        words=st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=4),
        view=st.sampled_from(["actions", "reasoning", "everything"]),
    )
)
def test_the_short_form_builds_the_same_monitor_again(params):
    monitor = build(MonitorSpec("keyword", params))
    assert build(spec_text(monitor)).spec == monitor.spec
    assert build(spec_text(monitor)).spec.params == monitor.spec.params


@given(st.floats(0, 1), st.sampled_from(["auto", "action", "reasoning"]), st.integers(1, 10**6))
def test_the_short_form_of_nested_monitors_builds_the_same_again(weight, prose, half):
    monitor = build(f"hybrid(weight={weight!r}, first=cot_only(prose={prose}), second=length(half={half}))")
    assert build(spec_text(monitor)) == monitor


def test_a_file_without_quotes_is_told_to_be_put_in_some():
    with pytest.raises(Problem, match=r"'file' in 'learned\(file=m\.json\)' .*in quotes"):
        parse("learned(file=m.json)")
