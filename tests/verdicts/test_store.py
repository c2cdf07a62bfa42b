"""What the store keeps, and what it refuses."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec.structs
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from molehunt.trajectories import KINDS, Mark, Problem, Run, Step, Trajectory, Truth, encodable
from molehunt.verdicts import (
    STATUSES,
    Call,
    Excerpt,
    Look,
    MonitorRecord,
    Store,
    Tokens,
    Verdict,
    VerdictCall,
)
from molehunt.verdicts.packing import pack, unpack
from molehunt.verdicts.rows import verdict_of, verdict_row
from molehunt.verdicts.store import GROUP

TRAJECTORY = Trajectory("Add two numbers.", (Step(0, "reasoning", "Easy."), Step(1, "code", "a + b")))
TRUTH = Truth(
    "attack",
    "bigcodebench_sabotage/embedded",
    "p1",
    main_score=1.0,
    side_score=0.0,
    marks=(Mark("incriminating", 1, 0, 5), Mark("decoy", 0, 0, 4)),
    factors={"side_task": "exit", "policy": "baseline"},
)
MONITOR = MonitorRecord(
    "m1",
    "eae",
    "eae(min_excerpts=8)",
    models="extractor=a, evaluator=b",
    roles={
        "extractor": {"model": "a", "config": {"temperature": 1.0}},
        "evaluator": {"model": "b", "config": {}},
    },
    answer="text",
    source="Arike et al. 2026",
    oracle=False,
    params={"min_excerpts": 8, "words": ["a", "b"], "view": None},
)
CALL = Call(
    "k1", "extractor", "openai/a", "a-2025", Tokens(10, 20, 30, 40, 5), 1.5, retries=2, reply='{"x": 1}'
)


def run(
    sample: str = "s1", truth: Truth | None = None, trajectory: Trajectory = TRAJECTORY, **fields: Any
) -> Run:
    return Run(trajectory, truth, log="one.eval", sample=sample, **fields)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "scores.db") as opened:
        opened.add_run(run())
        opened.add_monitor(MONITOR)
        yield opened


def test_a_run_comes_back_as_it_was_stored(store: Store) -> None:
    fields = {"epoch": 2, "attempt": 3, "agent_model": "openai/x", "reasoning": "summary", "ending": "limit"}
    full = run("s2", TRUTH, task_verified=False, source="scout", **fields)
    store.add_run(full)
    stored = list(store.runs())[-1]
    assert (stored.id, stored.trajectory, stored.truth) == (full.id, TRAJECTORY.id, TRUTH)
    assert {name: getattr(stored, name) for name in fields} == fields
    assert (stored.log, stored.sample, stored.source) == ("one.eval", "s2", "scout")
    assert stored.task_verified is False


def test_adding_a_run_again_changes_nothing(store: Store) -> None:
    store.add_run(run("s1"))
    assert len(list(store.runs())) == 1


def test_equal_transcripts_of_two_samples_are_two_runs_of_one_trajectory(store: Store) -> None:
    store.add_run(run("s2", TRUTH))
    first, second = store.runs()
    assert first.trajectory == second.trajectory
    assert (first.truth, second.truth) == (None, TRUTH)


def test_later_truth_fills_a_gap_but_replaces_no_truth(store: Store) -> None:
    other = Truth("honest", "elsewhere", "p9")
    store.add_run(run("s1", TRUTH))
    assert [stored.truth for stored in store.runs()] == [TRUTH]
    store.add_run(run("s1", other))
    store.add_run(run("s1", None))
    assert [stored.truth for stored in store.runs()] == [TRUTH]


def test_a_run_that_is_read_anew_with_another_trajectory_is_one_run_still(store: Store) -> None:
    store.add_run(run("s2", TRUTH))
    anew = Run(Trajectory("the task, named", ()), None, log="one.eval", sample="s2")
    store.add_run(anew)
    stored = list(store.runs())[1:]
    assert [(one.trajectory, one.truth) for one in stored] == [(anew.trajectory.id, TRUTH)]


def test_a_monitor_comes_back_as_it_was_stored_and_stays_as_it_was(store: Store) -> None:
    store.add_monitor(MonitorRecord("m1", "other", "other()"))
    assert list(store.monitors()) == [MONITOR]


@pytest.mark.parametrize("tokens", [Tokens(1, 2, 3, 4, 5), Tokens(), None])
def test_a_call_comes_back_with_its_reply_and_unknown_tokens_stay_unknown(
    store: Store, tokens: Tokens | None
) -> None:
    call = Call("k1", "monitor", "openai/a", "a-2025", tokens, 1.5, retries=2, reply="Yes.\0é")
    store.add_call(call)
    assert store.call("k1") == call
    assert list(store.calls()) == [call]
    assert store.call("k2") is None


def test_the_first_reply_to_a_question_stays(store: Store) -> None:
    store.add_call(CALL)
    store.add_call(Call("k1", "extractor", "openai/a", "a", None, 9.0, reply="other"))
    assert store.call("k1") == CALL


def test_only_a_failed_verdict_is_replaced(store: Store) -> None:
    store.add_call(CALL)
    store.add_verdict(TRAJECTORY.id, "m1", 0, Verdict.unscored("failed", "connection lost"), ["k1"], 1.0)
    assert not store.finished("m1", TRAJECTORY.id, 0)
    store.add_verdict(TRAJECTORY.id, "m1", 0, Verdict.unscored("refused", "no"), [], 2.0)
    assert store.finished("m1", TRAJECTORY.id, 0)
    store.add_verdict(TRAJECTORY.id, "m1", 0, Verdict(0.5), ["k1"], 3.0)
    [verdict] = store.verdicts()
    assert (verdict.status, verdict.rationale, verdict.seconds) == ("refused", "no", 2.0)
    assert list(store.verdict_calls()) == []
    assert list(store.calls()) == [CALL]  # it was paid for


def test_draws_are_verdicts_of_their_own(store: Store) -> None:
    store.add_verdict(TRAJECTORY.id, "m1", 0, Verdict(0.25), [], 1.0)
    assert not store.finished("m1", TRAJECTORY.id, 1)
    store.add_verdict(TRAJECTORY.id, "m1", 1, Verdict(0.75), [], 1.0)
    assert [(verdict.draw, verdict.score) for verdict in store.verdicts()] == [(0, 0.25), (1, 0.75)]


def test_a_verdict_keeps_the_order_of_its_calls_and_has_each_once(store: Store) -> None:
    for key in "cab":
        store.add_call(Call(key, "monitor", "m", "m", None, 0.1))
    store.add_verdict(TRAJECTORY.id, "m1", 0, Verdict(0.5), ["b", "c", "b", "a"], 1.0)
    assert list(store.verdict_calls()) == [VerdictCall(TRAJECTORY.id, "m1", 0, key) for key in "bca"]


@pytest.mark.parametrize(
    ("trajectory", "monitor", "calls"),
    [("unknown", "m1", []), (TRAJECTORY.id, "unknown", []), (TRAJECTORY.id, "m1", ["unknown"])],
)
def test_a_verdict_about_what_was_never_added_is_refused_whole(
    store: Store, trajectory: str, monitor: str, calls: list[str]
) -> None:
    with pytest.raises(ValueError, match="FOREIGN KEY"):
        store.add_verdict(trajectory, monitor, 0, Verdict(0.5), calls, 1.0)
    assert list(store.verdicts()) == []
    store.add_call(CALL)  # the store goes on working


@pytest.mark.parametrize(
    ("score", "status"), [(None, "scored"), (0.5, "refused"), (1.5, "scored"), (0.5, "maybe")]
)
def test_the_file_itself_refuses_a_score_that_its_status_denies(
    store: Store, score: float | None, status: str
) -> None:
    row = (TRAJECTORY.id, "m1", 0, score, status, "", "[]", "[]", 1.0)
    with sqlite3.connect(store.path) as connection, pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        connection.execute(f"INSERT INTO verdicts VALUES ({', '.join('?' * len(row))})", row)


def test_a_trajectory_is_found_by_the_beginning_of_its_id(store: Store) -> None:
    assert store.trajectory(TRAJECTORY.id) == TRAJECTORY
    assert store.trajectory(TRAJECTORY.id[:6].upper()) == TRAJECTORY


def test_a_beginning_that_fits_two_trajectories_is_a_problem_and_so_is_one_that_fits_none(
    store: Store,
) -> None:
    store.add_run(run("s2", trajectory=Trajectory("Another.", ())))
    with pytest.raises(Problem, match=r"begins several trajectories.*Give more of it"):
        store.trajectory("")
    for prefix in ("xyz", "%", "'; --"):
        with pytest.raises(Problem, match="has no trajectory"):
            store.trajectory(prefix)


def test_a_trajectory_that_was_altered_or_damaged_is_a_problem(store: Store) -> None:
    with sqlite3.connect(store.path) as connection:
        connection.execute("UPDATE trajectories SET content = ?", [pack(Trajectory("Forged.", ()))])
    with pytest.raises(Problem, match="altered"):
        store.trajectory(TRAJECTORY.id)
    with sqlite3.connect(store.path) as connection:
        connection.execute("UPDATE trajectories SET content = x'00'")
    with pytest.raises(Problem, match="damaged"):
        store.trajectory(TRAJECTORY.id)


def test_a_trajectory_too_large_to_unpack_is_neither_stored_nor_read(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("molehunt.verdicts.packing.LARGEST_TRAJECTORY", 1000)
    large = Trajectory("Much.", (Step(0, "prose", "x" * 2000),))
    with pytest.raises(Problem, match="cannot be stored"):
        store.add_run(run("s2", trajectory=large))
    assert len(list(store.runs())) == 1
    monkeypatch.undo()
    store.add_run(run("s2", trajectory=large))
    monkeypatch.setattr("molehunt.verdicts.packing.LARGEST_TRAJECTORY", 1000)
    with pytest.raises(Problem, match="too large"):
        store.trajectory(large.id)


def test_runs_in_a_group_are_committed_together_and_all_of_them_at_its_end(store: Store) -> None:
    with store.groups():
        for number in range(GROUP + 1):
            store.add_run(run(f"grouped-{number}"))
        # the last one waits for others; whoever reads meanwhile sees whole groups
        with Store.read(store.path) as reader:
            assert len(list(reader.runs())) == 1 + GROUP
    with Store.read(store.path) as reader:
        assert len(list(reader.runs())) == 1 + GROUP + 1


def test_what_was_added_to_a_group_before_it_was_cut_short_stays(store: Store) -> None:
    def cut_short() -> None:
        with store.groups():
            store.add_run(run("before"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cut_short()
    with Store.read(store.path) as reader:
        assert "before" in [stored.sample for stored in reader.runs()]


def test_a_call_is_on_disk_when_it_has_been_added_even_within_a_group(store: Store) -> None:
    with store.groups():
        store.add_run(run("grouped"))
        store.add_call(CALL)
        with Store.read(store.path) as reader:
            assert reader.call(CALL.key) == CALL
            assert "grouped" in [stored.sample for stored in reader.runs()]


def test_a_store_that_was_opened_for_reading_is_not_written(store: Store) -> None:
    with Store.read(store.path) as reader, pytest.raises(ValueError, match="opened for reading"):
        reader.add_call(CALL)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**40), 10**40) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
# surrogates and NULs included
texts = st.text(st.characters(exclude_categories=()), max_size=20)
steps = st.tuples(
    st.sampled_from(KINDS),
    texts,
    st.none() | texts,
    st.none() | st.dictionaries(texts, json_values, max_size=3),
    st.none() | st.integers(0, 5),
    st.none() | texts,
    st.none() | st.floats(0, 1e6),
)
trajectories = st.builds(
    lambda task, fields: Trajectory(task, tuple(Step(index, *one) for index, one in enumerate(fields))),
    texts,
    st.lists(steps, max_size=5),
)


@given(trajectories)
def test_any_trajectory_survives_packing(trajectory: Trajectory) -> None:
    back = unpack(pack(trajectory))
    assert back == trajectory
    assert back.id == trajectory.id
    assert [step.seconds for step in back.steps] == [step.seconds for step in trajectory.steps]
    for step, original in zip(back.steps, trajectory.steps, strict=True):
        assert list(step.arguments or ()) == list(original.arguments or ())  # the agent's own order


@pytest.mark.parametrize("innermost", [1, {"b": 1, "a": 2}, "\ud800"])
def test_arguments_survive_packing_however_deep_their_id_can_be_told(innermost: Any) -> None:
    for _ in range(800):
        innermost = [innermost]
    trajectory = Trajectory("Task.", (Step(0, "tool_call", "…", arguments={"deep": innermost}),))
    assert unpack(pack(trajectory)).id == trajectory.id


def packed_as_before(trajectory: Trajectory) -> bytes:
    steps = [[*msgspec.structs.astuple(step)][1:] for step in trajectory.steps]
    return zlib.compress(json.dumps([trajectory.task, steps], separators=(",", ":")).encode(), level=1)


@given(trajectories)
def test_a_trajectory_that_an_earlier_version_packed_is_read(trajectory: Trajectory) -> None:
    back = unpack(packed_as_before(trajectory))
    assert back == trajectory
    assert back.id == trajectory.id
    assert [step.seconds for step in back.steps] == [step.seconds for step in trajectory.steps]


def test_what_is_said_of_the_order_of_arguments_cannot_change_them() -> None:
    call = Step(0, "tool_call", "…", tool="edit", arguments={"path": "a.py", "lines": [1, 2]})
    trajectory = Trajectory("Edit.", (call,))
    canonical = trajectory.canonical()
    given = {"path": "a.py", "lines": [1, 2]}
    back = Trajectory.from_canonical(canonical, arguments={0: given})
    assert list(back.steps[0].arguments or ()) == ["path", "lines"]
    with pytest.raises(ValueError, match="not those of its call"):
        Trajectory.from_canonical(canonical, arguments={0: {**given, "path": "b.py"}})
    for no_step in (-1, 1):
        with pytest.raises(ValueError, match=f"step {no_step} are not those"):
            Trajectory.from_canonical(canonical, arguments={no_step: given})


@pytest.mark.parametrize(
    ("place", "wrong"),
    [(0, ["code"]), (1, 5), (2, 5), (3, "ls"), (3, [1]), (4, "0"), (4, 0.5), (5, []), (6, "late"), (6, [1])],
)
def test_a_stored_step_with_a_value_of_another_type_is_refused_whichever_version_packed_it(
    place: int, wrong: Any
) -> None:
    step: list[Any] = ["tool_call", "ls", "bash", {"command": "ls"}, None, None, None]
    step[place] = wrong
    now = f"{json.dumps(['Task.', [step[:6]]])}\n{json.dumps([step[6:], {}])}"
    for packed in (zstandard.compress(now.encode()), zlib.compress(json.dumps(["Task.", [step]]).encode())):
        with pytest.raises(ValueError, match="not a packed trajectory"):
            unpack(packed)


def test_a_frame_that_does_not_say_how_much_it_unpacks_to_is_not_unpacked() -> None:
    silent = zstandard.ZstdCompressor(write_content_size=False).compress(b"[]" * 1000)
    with pytest.raises(ValueError, match="too large"):
        unpack(silent)


scores = st.floats(0, 1)
places = st.integers(0, 10**6)
excerpts = st.builds(lambda quote: Excerpt(quote, "not_found"), texts) | st.builds(
    Excerpt, texts, st.sampled_from(["exact", "normalised"]), places, places, places
)
looks = st.builds(lambda step, score: Look(step, score, "scored"), places, scores) | st.builds(
    lambda step, status: Look(step, None, status), places, st.sampled_from(STATUSES[1:])
)
verdicts = st.builds(
    Verdict,
    score=scores,
    status=st.just("scored"),
    rationale=texts,
    excerpts=st.lists(excerpts, max_size=3).map(tuple),
    trace=st.lists(looks, max_size=3).map(tuple),
) | st.builds(
    Verdict.unscored, st.sampled_from(STATUSES[1:]), texts, st.lists(excerpts, max_size=3).map(tuple)
)


@pytest.fixture(scope="module")
def busy_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(tmp_path_factory.mktemp("stores") / "scores.db") as opened:
        opened.add_run(run())
        opened.add_monitor(MONITOR)
        yield opened


@given(verdict=verdicts, draw=st.integers(0, 2**40), reply=texts)
def test_any_verdict_and_reply_survive_but_for_lone_surrogates(
    busy_store: Store, verdict: Verdict, draw: int, reply: str
) -> None:
    draw += 1 + max((stored.draw for stored in busy_store.verdicts()), default=0)
    busy_store.add_verdict(TRAJECTORY.id, "m1", draw, verdict, [], 0.5)
    *_, stored = busy_store.verdicts()
    assert (stored.score, stored.status) == (verdict.score, verdict.status)
    assert stored.rationale == encodable(verdict.rationale)
    assert [one.quote for one in stored.excerpts] == [encodable(one.quote) for one in verdict.excerpts]
    assert [(one.match, one.step, one.start, one.end) for one in stored.excerpts] == [
        (one.match, one.step, one.start, one.end) for one in verdict.excerpts
    ]
    assert stored.trace == verdict.trace
    key = f"k{draw}"
    busy_store.add_call(Call(key, "monitor", "m", "m", None, 0.1, reply=reply))
    call = busy_store.call(key)
    assert call is not None
    assert call.reply == encodable(reply)


def test_an_excerpt_whose_effect_is_unknown_is_stored_as_before_there_were_effects() -> None:
    known = Excerpt("a + b", "exact", 1, 0, 5, effect=-0.25)
    unknown = Excerpt("a + b", "exact", 1, 0, 5)
    row = verdict_row(Verdict(0.5, excerpts=(known, unknown)))
    assert row["excerpts"] == '[["a + b","exact",1,0,5,-0.25],["a + b","exact",1,0,5]]'
    stored = verdict_of({"trajectory": "t", "monitor": "m", "draw": 0, "seconds": 0.0, **row})
    assert stored.excerpts == (known, unknown)


@given(verdicts)
def test_rows_of_verdicts_lose_nothing(verdict: Verdict) -> None:
    row = {"trajectory": "t", "monitor": "m", "draw": 0, **verdict_row(verdict), "seconds": 0.0}
    stored = verdict_of(row)
    assert (stored.excerpts, stored.trace, stored.rationale) == (
        verdict.excerpts,
        verdict.trace,
        verdict.rationale,
    )
