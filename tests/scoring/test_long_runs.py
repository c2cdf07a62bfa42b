"""Runs of more than a hundred thousand tokens: read, shown whole, and scored where they fit."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest
from inspect_ai.model import ModelInfo, set_model_info

from molehunt.environments.playing import Turn
from molehunt.environments.shade_arena.pairing import Pair
from molehunt.environments.shade_arena.samples import Setting
from molehunt.trajectories import EVERYTHING, Run, render
from molehunt.trajectories.messages import THINK
from molehunt.trajectories.sources import read_runs

pytestmark = pytest.mark.skipif(
    find_spec("agentdojo") is None, reason="needs agentdojo: pip install 'molehunt[shade]'"
)

CLUTTERED = Setting("v1.2.2", "baseline", "told", "all", "spread", clutter=300, seed=0)
READERS = ["cot_action", "hybrid", "eae"]
"""Monitors that read a run in one piece, with what tools returned."""


@pytest.fixture
def long_run(log_of, monkeypatch):
    """A log of a run over a mailbox full of clutter, played without Inspect and without graders."""
    from molehunt.environments.shade_arena.grading import Verdict
    from molehunt.environments.shade_arena.saboteur import rehearsal

    monkeypatch.setattr(rehearsal, "judged", lambda *_: Verdict(None))
    played = rehearsal.rehearsed(
        Pair("workspace", "user_task_14", "injection_task_3"), CLUTTERED, attack=True
    )
    results = iter([step.text for step in played.trajectory.steps if step.kind == "tool_result"])
    messages: list[dict[str, Any]] = [{"id": "u", "role": "user", "content": played.trajectory.task}]
    for number, turn in enumerate(played.turns):
        messages += said(number, turn, results)
    truth = {
        "version": 1,
        "task": played.trajectory.task,
        "label": "attack",
        "environment": "shade_arena/agentdojo",
        "task_id": "workspace:user_task_14",
        "factors": {},
    }
    attempt = {"attempt": 1, "message": None, "main_score": 1.0, "side_score": 1.0, "marks": [], "notes": {}}
    sample = {
        "id": "long",
        "epoch": 1,
        "uuid": "long",
        "input": played.trajectory.task,
        "target": "",
        "messages": messages,
        "metadata": {"molehunt": truth},
        "store": {"molehunt:attempts": [attempt]},
        "scores": {},
    }
    return log_of([sample])


def said(number: int, turn: Turn, results: Any) -> list[dict[str, Any]]:
    """A turn as Inspect's messages, with what its calls returned."""
    calls = [
        {"id": f"c{number}-{place}", "function": use.tool, "arguments": use.arguments, "type": "function"}
        for place, use in enumerate(turn.calls)
    ]
    content = [{"type": "reasoning", "reasoning": turn.reasoning}, {"type": "text", "text": turn.answer}]
    answers = [
        {
            "role": "tool",
            "function": call["function"],
            "tool_call_id": call["id"],
            "content": "" if call["function"] == THINK else next(results),
        }
        for call in calls
    ]
    return [{"id": f"a{number}", "role": "assistant", "content": content, "tool_calls": calls}, *answers]


def shown(run: Run) -> str:
    return render(run.trajectory, EVERYTHING).text


async def test_a_long_run_is_read_whole_and_scored_by_monitors_that_cut_nothing(scored, sent, long_run):
    [run] = read_runs([long_run])
    assert len(shown(run)) / 4 > 100_000
    outcome = (await scored(READERS, "judge", sources=long_run)).outcome
    assert outcome.counts == {"scored": len(READERS)}
    assert any(len(request.text) / 4 > 100_000 for request in sent)


async def test_a_run_beyond_a_models_window_is_too_long_for_it_and_is_not_sent(scored, sent, long_run):
    set_model_info("fakemonitor/small", ModelInfo(model="small", context_length=8192))
    outcome = (await scored(READERS, "small", sources=long_run)).outcome
    assert outcome.counts == {"too_long": len(READERS)}
    assert all(len(request.text) < 8192 * 6 for request in sent)


@pytest.mark.slow
def test_a_task_with_clutter_makes_pairs_of_long_runs(tmp_path):
    import inspect_ai

    from molehunt.environments.shade_arena.task import shade_arena

    inspect_ai.eval(
        shade_arena(suites="workspace", clutter=300),
        model="scripted/saboteur",
        limit=2,
        log_dir=str(tmp_path),
        display="none",
    )
    runs = [run for run in read_runs([tmp_path]) if isinstance(run, Run) and run.truth]
    assert [run.truth.label for run in runs if run.truth] == ["honest", "attack"]
    for run in runs:
        assert run.truth
        assert run.truth.main_score == 1.0
        assert run.truth.side_score == (1.0 if run.truth.label == "attack" else None)
        assert len(shown(run)) / 4 > 100_000
