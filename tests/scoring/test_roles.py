"""Which model plays which role, and what is wrong with bindings before anything is spent."""

from __future__ import annotations

import os

import pytest

from molehunt.monitors.registry import build
from molehunt.scoring.answered import is_model
from molehunt.scoring.entries import entries_of
from molehunt.scoring.grid import groups_of
from molehunt.scoring.roles import Binding, bind, binding_of
from molehunt.trajectories import Problem


def entry(spec, model=None, roles=None, answer=None):
    [only] = entries_of(groups_of([spec], model, roles), answer)
    return only


def test_a_role_without_a_model_is_named_with_what_to_do():
    with pytest.raises(Problem) as problem:
        bind([build("eae")], roles={"extractor": "openai/gpt-4.1-mini"})
    assert str(problem.value) == (
        "role 'evaluator' of monitor 'eae' has no model. "
        "Bind it: --role evaluator=openai/gpt-4.1-mini, or give --model for all roles."
    )


def test_a_role_that_no_monitor_has_is_named_with_those_that_there_are():
    with pytest.raises(Problem, match=r"'extracter'.*extractor"):
        bind([build("eae")], "openai/o3", {"extracter": "openai/gpt-4.1"})


@pytest.mark.parametrize("name", ["gpt-4.1", "openai/", "/gpt-4.1", ""])
def test_a_model_without_a_provider_is_refused(name):
    with pytest.raises(Problem, match="Write provider/model"):
        Binding(name)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"temperature": 0}, "names its model"),
        ({"model": "openai/o3", "temprature": 0}, "no setting 'temprature'"),
        ({"model": "openai/o3", "temperature": "warm"}, "cannot have temperature 'warm'"),
        ({"model": "openai/o3", "cache": True}, "no setting 'cache'"),
        ({"model": "openai/o3", "api_key": "sk-1"}, "Put it in the environment"),
        ({"model": "openai/o3", "model_args": {"api_key": "sk-1"}}, "Put it in the environment"),
    ],
)
def test_a_binding_that_cannot_be_kept_is_refused(spec, words):
    with pytest.raises(Problem, match=words):
        binding_of(spec)


def test_a_key_is_not_repeated_in_the_refusal():
    with pytest.raises(Problem) as problem:
        binding_of({"model": "openai/o3", "api_key": "sk-secret"})
    assert "sk-secret" not in str(problem.value)


def test_how_a_request_is_sent_is_no_part_of_what_a_monitor_is():
    plain = entry("action_only", "openai/o3")
    patient = entry("action_only", {"model": "openai/o3", "max_retries": 50, "timeout": 9000})
    assert plain.record.id == patient.record.id


@pytest.mark.parametrize(
    "other",
    [
        "openai/o4",
        {"model": "openai/o3", "temperature": 0},
        {"model": "openai/o3", "base_url": "http://localhost:1"},
        {"model": "openai/o3", "model_args": {"service_tier": "flex"}},
    ],
)
def test_another_model_or_setting_is_another_monitor(other):
    assert entry("action_only", "openai/o3").record.id != entry("action_only", other).record.id


def test_another_way_to_read_answers_is_another_monitor_unless_it_asks_nothing():
    modes = ("text", "structured")
    judges = {entry("action_only", "openai/o3", answer=mode).record.id for mode in modes}
    floors = {entry("length", answer=mode).record.id for mode in modes}
    assert (len(judges), len(floors)) == (2, 1)


def test_a_record_says_which_model_plays_which_role():
    record = entry(
        "eae", roles={"extractor": "openai/a", "evaluator": {"model": "openai/b", "top_p": 0.5}}
    ).record
    assert record.models == "extractor=openai/a, evaluator=openai/b (top_p=0.5)"
    assert record.roles["extractor"] == {
        "model": "openai/a",
        "config": {"temperature": 1.0, "max_tokens": 4096},
    }
    assert entry("eae", "openai/a").record.models == "openai/a"
    assert entry("length").record.models == ""


def test_answers_are_read_from_probabilities_only_where_all_models_are_embedded():
    assert entry("action_only", "embedded/smollm2-135m").answer == "expected"
    assert entry("action_only", "openai/o3").answer == "text"
    mixed = {"extractor": "embedded/smollm2-135m", "evaluator": "openai/o3"}
    assert entry("eae", roles=mixed).answer == "text"


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("openai/gpt-4.1-mini", "gpt-4.1-mini-2025-04-14"),
        ("openai/gpt-4.1-mini-2025-04-14", "gpt-4.1-mini"),
        ("anthropic/claude-sonnet-4-0", "claude-sonnet-4-20250514"),
        ("anthropic/claude-3-7-sonnet-latest", "claude-3-7-sonnet-20250219"),
        ("google/gemini-2.0-flash", "models/gemini-2.0-flash-001"),
        ("grok/grok-4", "grok-4-0709"),
        ("openrouter/openai/gpt-4.1", "openai/gpt-4.1"),
        ("embedded//models/coder.gguf", "/models/coder.gguf"),
        ("openai/gpt-4.1", ""),
    ],
)
def test_a_snapshot_answers_for_its_alias(asked, answered):
    assert is_model(answered, Binding(asked))


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("openai/gpt-4.1-mini", "gpt-4.1-nano-2025-04-14"),
        ("openai/gpt-4o-2024-05-13", "gpt-4o-2024-08-06"),
        ("anthropic/claude-opus-4-1", "claude-sonnet-4-20250514"),
        ("openai/gpt-4.1", "gpt-4"),
    ],
)
def test_another_model_does_not_answer_for_the_one_asked(asked, answered):
    assert not is_model(answered, Binding(asked))


async def test_extractor_and_evaluator_can_be_swapped(scored, log_of, sent):
    one = {"extractor": "fakemonitor/judge", "evaluator": "fakemonitor/dated"}
    other = {"extractor": "fakemonitor/dated", "evaluator": "fakemonitor/judge"}
    for roles in (one, other):
        await scored("eae", model=None, roles=roles)
    assert [request.model for request in sent] == ["judge", "dated", "dated", "judge"]
    run = await scored("eae", model=None, roles=other)
    assert len({verdict.monitor for verdict in run.verdicts}) == 2
    assert run.outcome.already == 1


def test_a_swap_of_roles_is_two_lines_of_a_grid(tmp_path):
    file = tmp_path / "grid.yaml"
    file.write_text(
        "monitors: [eae]\n"
        "models:\n"
        "  - {extractor: openai/a, evaluator: openai/b}\n"
        "  - {extractor: openai/b, evaluator: openai/a}\n"
    )
    assert [entry.record.models for entry in entries_of(groups_of([file]))] == [
        "extractor=openai/a, evaluator=openai/b",
        "extractor=openai/b, evaluator=openai/a",
    ]


async def test_a_provider_that_there_is_not_is_refused_before_anything_is_stored(scored, tmp_path, log_of):
    with pytest.raises(Problem, match="there is no provider nosuch"):
        await scored(model=None, roles={"monitor": "nosuch/model"})
    assert not (tmp_path / "scores.db").exists()


@pytest.mark.parametrize(
    ("model", "variables"),
    [
        ("openai/gpt-4.1", "OPENAI_API_KEY or AZUREAI_OPENAI_API_KEY"),
        ("anthropic/claude-sonnet-4-0", "ANTHROPIC_API_KEY"),
        ("openai-api/someone/model", "SOMEONE_API_KEY"),
    ],
)
async def test_where_a_key_is_missing_the_variable_to_set_is_named(model, variables, scored, monkeypatch):
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    with pytest.raises(Problem, match=f"^model {model} cannot be used: set {variables} in the environment.$"):
        await scored(model=None, roles={"monitor": model})


@pytest.mark.parametrize(
    ("monitors", "options", "words"),
    [
        ("actoin_only", {}, "action_only"),
        ("eae(min_excerps=3)", {}, "min_excerpts"),
        ([], {}, "no monitor to score with"),
        ("action_only", {"draws": 0}, "draws cannot be 0"),
        ("action_only", {"sources": "no/such/folder"}, "no/such/folder"),
    ],
)
async def test_what_cannot_be_done_is_said_before_anything_is_sent(
    scored, sent, tmp_path, monitors, options, words
):
    with pytest.raises(Problem, match=words):
        await scored(monitors, **options)
    assert sent == []
    assert not (tmp_path / "scores.db").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("monitors: [", "is not YAML"),
        ("models: [openai/o3]", "names no monitors"),
        ("monitors: eae", "no list of names"),
        ("monitors: [length]\nmodls: [openai/o3]", "'modls'"),
        ("monitors: [eae]\nmodels: [{extractor: openai/o3}]", "role 'evaluator'"),
    ],
)
def test_a_file_that_is_no_grid_is_refused_with_what_a_grid_is(tmp_path, text, words):
    file = tmp_path / "grid.yaml"
    file.write_text(text)
    with pytest.raises(Problem, match=words):
        groups_of([str(file)])


def test_a_grid_is_every_monitor_with_every_model_and_floors_once(tmp_path):
    file = tmp_path / "grid.yaml"
    file.write_text("monitors: [action_only, eae, length]\nmodels: [openai/a, openai/b]\n")
    entries = entries_of(groups_of([file]))
    assert sorted(entry.title for entry in entries) == [
        "action_only · openai/a",
        "action_only · openai/b",
        "eae · openai/a",
        "eae · openai/b",
        "length",
    ]


def test_a_grid_without_models_takes_the_one_that_is_given(tmp_path):
    file = tmp_path / "grid.yaml"
    file.write_text("monitors: [action_only]\n")
    [only] = entries_of(groups_of([file], "openai/a"))
    assert only.record.models == "openai/a"


def test_another_file_under_an_embedded_models_name_is_another_model(tmp_path):
    file = tmp_path / "mine.gguf"
    seen = []
    for content in (b"GGUF one", b"GGUF two", b"GGUF one"):
        file.write_bytes(content)
        binding = Binding(f"embedded/{file}")
        seen.append((binding.connection, binding.identity))
    assert seen[0] == seen[2]
    assert seen[0][0] != seen[1][0]
    assert seen[0][1] != seen[1][1]
