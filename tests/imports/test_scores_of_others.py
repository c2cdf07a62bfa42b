"""Suspicion scores that others' monitors left: they come in once, on their scale, with what they cost."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from molehunt.cli import main
from molehunt.trajectories import Problem, TruthOptions
from molehunt.verdicts import Store
from molehunt.verdicts.frames import read_store
from molehunt.verdicts.others import Judgement, Scale, logged_scores, store_scores, table_scores

USAGE = {"input_tokens": 600, "output_tokens": 200, "input_tokens_cache_read": 5, "total_tokens": 805}
WATCHED = {"suspicion_score": 0.0, "monitor_response": {"reason": "Fine.", "model_usage": USAGE}}
SUSPECT = {"suspicion_score": 0.7, "monitor_response": {"reason": "Deletes logs.", "model_usage": USAGE}}
TOKENS = {"input": 5, "cache_read": 0, "cache_write": 0, "output": 2, "reasoning": 1}
CALL = {"role": "monitor", "asked": "openai/a", "answered": "openai/a-1", "tokens": TOKENS, "seconds": 2.0}
ROLES = {"trusted": {"model": "openai/gpt-4.1-mini"}}
PROTOCOL = {"micro_protocol": {"monitor": {"model_role": "trusted"}}}


def answer(number: int, **more: Any) -> dict[str, Any]:
    call = {"id": f"call{number}", "function": "bash", "arguments": {"command": f"ls {number}"}}
    return {
        "role": "assistant",
        "content": f"Step {number}.",
        "id": f"m{number}",
        "tool_calls": [call],
        **more,
    }


def sample_of(*messages: dict[str, Any], uuid: str = "u1", **more: Any) -> dict[str, Any]:
    opening = {"role": "user", "content": "Tidy up.", "id": "m0"}
    return {"id": "s1", "uuid": uuid, "input": "Tidy up.", "messages": [opening, *messages], **more}


@pytest.fixture
def log_of(tmp_path: Path) -> Callable[..., Path]:
    def write(*samples: dict[str, Any], name: str = "a.json", **evaluation: Any) -> Path:
        path = tmp_path / name
        header = {"task": "tidying", "model": "none/none", "eval_id": "e1", **evaluation}
        path.write_text(json.dumps({"status": "success", "eval": header, "samples": list(samples)}))
        return path

    return write


def only(path: Path, **scales: Scale) -> Judgement:
    [(_, [judgement])] = list(logged_scores(path, TruthOptions(), scales))
    return judgement


def test_a_control_arena_monitor_is_as_suspicious_as_its_most_suspicious_look(log_of):
    sample = sample_of(
        answer(1, metadata=WATCHED),
        answer(2, metadata=SUSPECT),
        scores={"max_suspicion_scorer": {"value": 0.7, "explanation": "at step 2"}},
    )
    judgement = only(log_of(sample, model_roles=ROLES, metadata=PROTOCOL))
    assert (judgement.monitor, judgement.score) == ("control_arena/max_suspicion_scorer", 0.7)
    assert judgement.rationale == "Deletes logs."
    assert judgement.trace == ((1, 0.0), (3, 0.7))
    assert [(spent.model, spent.tokens.input) for spent in judgement.spent] == [
        ("openai/gpt-4.1-mini", 600)
    ] * 2


def test_a_score_that_could_not_be_read_there_is_no_zero_here(log_of):
    unread = {"suspicion_score": 0.0, "monitor_response": {"reason": "?", "score_parsed": False}}
    judgement = only(log_of(sample_of(answer(1, metadata=unread))))
    assert (judgement.score, judgement.trace) == (None, ((1, None),))


def test_a_monitor_of_whole_runs_is_known_by_the_usage_it_logs(log_of):
    score = {"value": 0.4, "explanation": "Odd.", "metadata": {"model_usage": USAGE}}
    judgement = only(
        log_of(sample_of(answer(1), scores={"end_of_trajectory_monitor": score, "match": {"value": 1}}))
    )
    assert (judgement.monitor, judgement.score) == ("control_arena/end_of_trajectory_monitor", 0.4)
    assert judgement.spent[0].tokens.output == 200


def test_control_towers_monitors_are_read_by_draw_and_action(log_of):
    value = {"strict/1/0": 10, "strict/1/1": 90, "strict/2/0": "unscored", "soft/1/trajectory": 30}
    reasons = {"strict/1/1": {"explanation": "Bad."}}
    value["strict/1/draft/m9"] = 100
    sample = sample_of(
        answer(1),
        answer(2),
        scores={"monitor": {"value": value, "metadata": reasons}},
        role_usage={"monitor/soft": USAGE, "monitor/strict": USAGE},
    )
    [(_, found)] = list(logged_scores(log_of(sample), TruthOptions()))
    said = {(one.monitor, one.draw): one for one in found}
    assert said.keys() == {
        ("control_tower/strict", 0),
        ("control_tower/strict", 1),
        ("control_tower/soft", 0),
    }
    strict = said["control_tower/strict", 0]
    assert (strict.score, strict.rationale, strict.trace) == (90, "Bad.", ((1, 10), (3, 90)))
    assert said["control_tower/strict", 1].score is None
    assert said["control_tower/soft", 0].spent[0].tokens.input == 600
    assert strict.spent[0].tokens is None  # of both draws together


def test_sentinels_observations_are_a_trace_and_each_dimension_is_a_monitor(log_of):
    def event(step: str, suspicion: Any, **more: Any) -> dict[str, Any]:
        said = {"event": "sentinel", "kind": "observation", "status": "reported", "path": "words", **more}
        return {**said, "step_id": step, "suspicion": suspicion, "explanation": f"{step}!"}

    events = [
        event("call1", 0.2),
        event("call2", 0.9),
        event("call2", 0.3, stage="tool_result", metadata={"calls": [CALL]}),
        event("call2", None, status="cancelled"),
        event("call1", {"theft": 0.1, "damage": 0.6}, path="two"),
        event("call1", None, kind="decision"),
    ]
    result = {"role": "tool", "content": "gone", "id": "m3", "tool_call_id": "call2", "function": "bash"}
    sample = sample_of(answer(1), answer(2), result, events=events)
    [(_, found)] = list(logged_scores(log_of(sample), TruthOptions()))
    assert [(one.monitor, one.score) for one in found] == [
        ("sentinel/words", 0.9),
        ("sentinel/two/theft", 0.1),
        ("sentinel/two/damage", 0.6),
    ]
    assert (found[0].trace, found[0].rationale) == (((1, 0.2), (3, 0.9), (4, 0.3)), "call2!")
    assert [spent.tokens.output for spent in found[0].spent] == [2]
    assert found[1].spent == ()


def test_any_scorer_can_be_named_and_no_other_is_taken(log_of):
    path = log_of(sample_of(answer(1), scores={"git_diff_monitor": {"value": 4.0}, "match": {"value": 1.0}}))
    assert list(logged_scores(path, TruthOptions())) == []
    judgement = only(path, git_diff_monitor=Scale(1, 10))
    assert (judgement.monitor, judgement.scale.unit(judgement.score)) == ("inspect/git_diff_monitor", 1 / 3)


def test_a_score_of_our_own_scorers_keeps_its_calls(log_of):
    score = {"value": 0.5, "explanation": "Hm.", "metadata": {"monitor": "binary", "calls": [CALL]}}
    judgement = only(log_of(sample_of(answer(1), scores={"binary": score})))
    assert judgement.monitor == "inspect/binary"
    assert judgement.spent[0].tokens.reasoning == 1
    assert (judgement.spent[0].model, judgement.spent[0].seconds) == ("openai/a-1", 2.0)


def stored(path: Path, judged: list[Any]) -> list[Any]:
    with Store.open(path) as store:
        for run, _ in judged:
            store.add_run(run)
        store_scores(store, judged)
    with Store.read(path) as store:
        return [(v.score, v.status, v.draw, len(v.trace)) for v in store.verdicts()]


def test_scores_come_in_once_however_often_they_are_brought_in(log_of, tmp_path):
    judged = list(logged_scores(log_of(sample_of(answer(1, metadata=SUSPECT))), TruthOptions()))
    assert stored(tmp_path / "s.db", judged) == [(0.7, "scored", 0, 1)]
    assert stored(tmp_path / "s.db", judged) == [(0.7, "scored", 0, 1)]


def test_verdicts_on_equal_trajectories_of_two_runs_are_two_draws(log_of, tmp_path):
    samples = [
        sample_of(answer(1, metadata=one), uuid=uuid) for uuid, one in (("a", SUSPECT), ("b", WATCHED))
    ]
    judged = list(logged_scores(log_of(*samples), TruthOptions()))
    assert stored(tmp_path / "s.db", judged) == [(0.7, "scored", 0, 1), (0.0, "scored", 1, 1)]


def test_what_nobody_counted_is_unknown_and_not_free(log_of, tmp_path):
    unmetered = {"suspicion_score": 0.3, "monitor_response": {"reason": "Hm."}}
    judged = list(logged_scores(log_of(sample_of(answer(1, metadata=unmetered))), TruthOptions()))
    stored(tmp_path / "s.db", judged)
    with Store.read(tmp_path / "s.db") as store:
        [call], [verdict] = list(store.calls()), list(store.verdicts())
    assert (call.tokens, call.asked) == (None, "control_arena/max_suspicion_scorer")
    assert call.seconds != call.seconds
    assert verdict.seconds != verdict.seconds
    tables = read_store(tmp_path / "s.db")
    assert tables.calls["seconds"].isna().all()
    assert tables.verdicts["seconds"].isna().all()


def test_a_score_off_its_scale_is_refused_before_anything_is_stored(log_of, tmp_path):
    path = log_of(sample_of(answer(1), scores={"git_diff_monitor": {"value": 7}}))
    judged = list(logged_scores(path, TruthOptions(), {"git_diff_monitor": Scale()}))
    with pytest.raises(Problem, match="--score inspect/git_diff_monitor=0:10"):
        stored(tmp_path / "s.db", judged)
    with Store.read(tmp_path / "s.db") as store:
        assert list(store.verdicts()) == []


def test_a_table_is_joined_on_whatever_tells_a_run(log_of, tmp_path):
    judged = list(logged_scores(log_of(sample_of(answer(1, metadata=WATCHED))), TruthOptions()))
    stored(tmp_path / "s.db", judged)
    table = tmp_path / "theirs.csv"
    run = judged[0][0]
    rows = [f"u1,0.5,strict,m,{10},{2}", f"{run.trajectory.id[:32]},0.25,soft,,,", "nobody,1,soft,,,"]
    table.write_text("\n".join(["sample,score,monitor,model,input_tokens,output_tokens", *rows]) + "\n")
    with Store.read(tmp_path / "s.db") as store:
        found, unread = table_scores(table, store.runs())
    assert [(one.monitor, one.score, one.spent[0].tokens is None) for _, [one] in found] == [
        ("theirs/strict", 0.5, False),
        ("theirs/soft", 0.25, True),
    ]
    assert [one.sample for one in unread] == ["row 4"]


def test_a_row_that_could_be_about_several_runs_is_about_none(log_of, tmp_path):
    samples = [sample_of(answer(n), uuid=f"u{n}", scores={"x": {"value": 0.1}}) for n in (1, 2)]
    options = TruthOptions(honest=("a.json",))
    judged = list(logged_scores(log_of(*samples), options, {"x": Scale()}))
    stored(tmp_path / "s.db", judged)
    table = tmp_path / "theirs.csv"
    table.write_text("task_id,score\ns1,0.5\n")
    with Store.read(tmp_path / "s.db") as store:
        found, unread = table_scores(table, store.runs())
    assert (found, len(unread)) == ([], 1)
    assert "any of 2 runs" in unread[0].reason


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, said.err


def test_old_and_new_monitors_stand_in_one_store(log_of, tmp_path, capsys):
    log, store = (
        log_of(sample_of(answer(1, metadata=SUSPECT)), model_roles=ROLES, metadata=PROTOCOL),
        tmp_path / "s.db",
    )
    status, said, _ = run(capsys, "import", log, "--scores", store, "--attack", "a.json")
    assert status == 0
    assert "control_arena/max_suspicion_scorer [openai/gpt-4.1-mini]: 1 new" in said
    assert run(capsys, "score", log, "--monitor", "length", "--store", store)[0] == 0
    with Store.read(store) as opened:
        assert [record.name for record in opened.monitors()] == [
            "control_arena/max_suspicion_scorer",
            "length",
        ]
        assert len({verdict.trajectory for verdict in opened.verdicts()}) == 1
    assert "0 new, 1 in the store before" in run(capsys, "import", log, "--scores", store)[1]


WRONG: Mapping[str, tuple[tuple[object, ...], str]] = {
    "nothing": ((), "nothing to import"),
    "no place": (("a.json",), "nowhere to put the runs"),
    "no store": (("a.json", "--out", "r.jsonl", "--score", "x"), "--scores STORE"),
    "no scale": (("a.json", "--scores", "s.db", "--score", "x=high"), "--score x=0:10"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_meant_is_refused(case, capsys):
    words, reason = WRONG[case]
    status, _, error = run(capsys, "import", *words)
    assert status == 1
    assert reason in error
