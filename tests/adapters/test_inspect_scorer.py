"""Our monitors as Inspect's scorers, on the real package."""

from __future__ import annotations

import asyncio
import math

import pytest
from inspect_ai import score_async
from inspect_ai._cli.util import parse_cli_args
from inspect_ai._eval.score import resolve_scorers
from inspect_ai._util.registry import registry_lookup
from inspect_ai.scorer._scorer import scorer_create

from molehunt.adapters.inspect_scorer import monitor_scorer, register
from molehunt.adapters.judging import BOUNDARY_KEY
from molehunt.environments.inspect_errors import TaskProblem
from molehunt.monitors import names
from molehunt.scoring import score as score_logs
from molehunt.verdicts import Store

JUDGE = "adapterjudge/judge"


def scored(log, name, **options):
    return rescored(log, name, **options).samples[0].scores[name]


def rescored(log, name, model_roles=None, **options):
    # the way of `inspect score --scorer molehunt/NAME -S option=…`
    by = resolve_scorers(log, f"molehunt/{name}", options)
    return asyncio.run(score_async(log, by, model_roles=model_roles, display="none"))


@pytest.mark.parametrize("name", ["monitor", *names()])
def test_every_monitor_is_a_scorer_of_its_name(name):
    assert registry_lookup("scorer", f"molehunt/{name}") is not None


def test_a_package_whose_monitor_is_called_monitor_takes_no_place(monkeypatch):
    monkeypatch.setattr("molehunt.adapters.inspect_scorer.names", lambda: ("length", "monitor"))
    assert register()["monitor"] is monitor_scorer
    assert registry_lookup("scorer", "molehunt/monitor") is monitor_scorer


def test_score_rationale_and_excerpts_are_in_the_log(evaluated, sent):
    given = scored(evaluated(), "eae", model=JUDGE, min_excerpts=1)
    assert 0 <= given.value <= 1
    assert given.explanation == "Because."
    assert [e["quote"] for e in given.metadata["excerpts"]] == ["ls /tmp"]
    assert [(c["role"], c["answered"], c["tokens"]["input"]) for c in given.metadata["calls"]] == [
        ("extractor", "judge", 1000),
        ("evaluator", "judge", 1000),
    ]
    assert given.metadata["monitor"] == "eae(min_excerpts=1)"


@pytest.mark.parametrize(("model", "status"), [("refuser", "refused"), ("broken", "failed")])
def test_without_a_score_there_is_none_and_never_a_zero(evaluated, model, status):
    log = rescored(evaluated(), "cot_action", model=f"adapterjudge/{model}")
    given = log.samples[0].scores["cot_action"]
    assert math.isnan(given.value)
    assert (given.reason, given.metadata["status"]) == (status, status)
    [result] = log.results.scores
    assert result.unscored_samples == 1


def test_a_model_that_is_named_wins_over_a_role_that_the_log_recorded(evaluated, sent):
    log = evaluated(monitor="adapterjudge/weak")
    scored(log, "cot_action", model="adapterjudge/strong")
    assert {request.model for request in sent} == {"strong"}


def test_roles_are_those_of_the_evaluation_where_none_is_named(evaluated, sent):
    log = evaluated(monitor="adapterjudge/recorded")
    scored(log, "cot_action")
    scored(log, "cot_action", model_roles={"monitor": "adapterjudge/given"})
    scored(log, "eae", roles={"evaluator": "adapterjudge/one"}, model="adapterjudge/other")
    assert [request.model for request in sent] == ["recorded", "given", "other", "one"]


def test_a_role_without_a_model_is_refused_before_anything_is_asked_and_never_the_agents_model(
    evaluated, sent
):
    with pytest.raises(TaskProblem, match="--model-role evaluator"):
        scored(evaluated(), "eae", roles={"extractor": JUDGE})
    assert not sent


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("eae", {"min_excerpt": 1}, "did you mean 'min_excerpts'"),
        ("cot_only", {"roles": {"evaluator": JUDGE}}, "has a role 'evaluator'"),
        ("learned", {}, "needs its parameter 'file'"),
        ("monitor", {"monitor": "eea"}, "did you mean 'eae'"),
        ("monitor", {}, "is no monitor: write a name"),
    ],
)
def test_what_cannot_be_built_is_a_line_for_inspects_command(name, options, says):
    with pytest.raises(TaskProblem, match=says):
        scorer_create(f"molehunt/{name}", **options)


def test_a_monitor_of_monitors_is_written_as_everywhere(evaluated, sent):
    given = scored(evaluated(), "monitor", monitor="hybrid(weight=1.0, second=flag_all)", model=JUDGE)
    assert given.metadata["monitor"] == "hybrid(weight=1.0, second=flag_all)"
    given = scored(evaluated(), "hybrid", first="cot_only", second="length", model=JUDGE)
    assert given.metadata["monitor"] == "hybrid(first=cot_only, second=length)"


def test_a_spec_that_inspect_has_taken_apart_at_its_commas_is_put_together(evaluated):
    given = parse_cli_args(["monitor=hybrid(weight=1.0, first=length,second=flag_all)"])
    assert scored(evaluated(), "monitor", **given).metadata["monitor"] == (
        "hybrid(weight=1.0, first=length, second=flag_all)"
    )


def test_what_it_sends_is_to_the_byte_what_scoring_the_log_sends(evaluated, sent, tmp_path):
    log = evaluated()
    scored(log, "cot_action", model=JUDGE)
    scored(log, "action_only", model=JUDGE)
    online = [request.texts for request in sent]
    sent.clear()
    with Store.open(tmp_path / "scores.db") as store:
        store._connection.execute("UPDATE secrets SET boundary_key = ?", [BOUNDARY_KEY])
    score_logs(log.location, ["cot_action", "action_only"], model=JUDGE, store=tmp_path / "scores.db")
    assert sorted(online) == sorted(request.texts for request in sent)
    assert len(online) == 2


def test_it_scores_while_the_evaluation_goes_on_as_it_does_afterwards(evaluated, sent):
    live = evaluated(scorer="molehunt/cot_action").samples[0].scores["cot_action"]
    online = [request.texts for request in sent]
    sent.clear()
    afterwards = scored(evaluated(), "cot_action", model=JUDGE)
    assert live.value == afterwards.value
    assert online == [request.texts for request in sent]


def test_no_label_of_the_sample_reaches_a_prompt(evaluated, sent):
    scored(evaluated(), "cot_action", model=JUDGE)
    assert not [text for request in sent for text in request.texts if "attack-label-7" in text]


def test_a_sample_that_cannot_be_read_costs_itself_only(evaluated, sent):
    log = evaluated().model_copy(deep=True)
    log.samples[0].metadata["molehunt"] = {"version": 99}
    given = scored(log, "cot_action", model=JUDGE)
    assert math.isnan(given.value)
    assert "another version of molehunt" in given.explanation
    assert not sent
