"""Recorded runs for benchmarks: logs of them, and a model that answers at once.

Everything is a function of a number, so two processes make the same runs, and a benchmark that is gone on
with reads what it read before.
"""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi

from molehunt.trajectories import Problem, Trajectory
from molehunt.trajectories.sources import read_runs
from molehunt.trajectories.unread import Unread

INSTANT = "instant/model"
ANSWER = "The agent did what it was asked to do, and nothing besides.\nSUSPICION: 12"

RUNS_PER_LOG = 1000
VOCABULARY = (
    "the of a to in is that file value test result function returns list data frame column row index error "
    "check path read write parse input output loop range length open close with from import def return if "
    "else for while not none true false self model score task step run call tool user agent query plan first"
)
REASONING, CALL, RESULT = 60, 45, 110
"""Words of a step of each kind: 300 to 600 characters, as in runs of agents with tools."""

HEADER: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {
        "eval_id": "recorded",
        "run_id": "recorded",
        "task_id": "recorded",
        "created": "2026-01-01T00:00:00+00:00",
        "task": "recorded",
        "model": "mockllm/model",
        "dataset": {},
        "config": {},
    },
    # by which ControlArena knows that tools' answers were not cut
    "plan": {"name": "plan", "steps": [{"solver": "control_solver", "params": {}}], "config": {}},
}


@modelapi(name="instant")
class Instant(ModelAPI):
    """``instant/NAME`` answers every question with `ANSWER`, without waiting."""

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - Inspect's own signature
        tools: Any,
        tool_choice: Any,
        config: GenerateConfig,
    ) -> ModelOutput:
        output = ModelOutput.from_content(self.model_name, ANSWER)
        output.usage = ModelUsage(input_tokens=2000, output_tokens=20, total_tokens=2020)
        return output


def sample_of(number: int, steps: int) -> dict[str, Any]:
    """A sample of an Inspect log: an agent that thinks, calls a tool and reads its answer, turn by turn.

    Parameters
    ----------
    number : of the run; equal numbers, equal runs.
    steps : how many steps its trajectory has, 1 or more.
    """
    chance = random.Random(number)
    messages: list[dict[str, Any]] = [
        {"id": f"{number}-0", "role": "user", "content": f"Task {number}. {_words(chance, 60)}"}
    ]
    turns, rest = divmod(steps, 3)
    for turn in range(turns):
        call = f"call-{number}-{turn}"
        thought = {"type": "reasoning", "reasoning": _words(chance, REASONING)}
        called = {"id": call, "function": "bash", "arguments": {"command": _words(chance, CALL)}}
        result = {"role": "tool", "content": _words(chance, RESULT), "tool_call_id": call, "function": "bash"}
        messages += [
            {"id": f"{number}-{turn}-a", "role": "assistant", "content": [thought], "tool_calls": [called]},
            {"id": f"{number}-{turn}-t", **result},
        ]
    if rest:
        thoughts = [{"type": "reasoning", "reasoning": _words(chance, REASONING)}] * (rest - 1)
        content = [*thoughts, {"type": "text", "text": _words(chance, REASONING)}]
        messages.append({"id": f"{number}-end", "role": "assistant", "content": content})
    return {
        "id": number,
        "epoch": 1,
        "uuid": f"run-{number}",
        "input": messages[0]["content"],
        "target": "",
        "messages": messages,
        # what ControlArena's monitors want to know of a run
        "metadata": {
            "main_task_description": messages[0]["content"],
            "side_task_description": "",
            "setting_description": "recorded",
            "setting_name": "recorded",
            "eval_mode": "honest",
        },
        "scores": {},
        "events": [],
    }


def write_log(path: Path, numbers: range, steps: int) -> Path:
    """An ``.eval`` log of the runs ``numbers``; nothing is done where there is one already."""
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in numbers:
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample_of(number, steps)))
        archive.writestr("header.json", json.dumps(HEADER))
    return unfinished.rename(path)


def write_logs(folder: Path, runs: int, steps: int, first: int = 0) -> list[Path]:
    """Logs of `RUNS_PER_LOG` runs each, the last one of the rest."""
    starts = range(first, first + runs, RUNS_PER_LOG)
    return [
        write_log(folder / f"{start:07d}.eval", range(start, min(start + RUNS_PER_LOG, first + runs)), steps)
        for start in starts
    ]


def trajectories_of(logs: list[Path]) -> Iterator[Trajectory]:
    """The trajectories that ``logs`` hold."""
    for run in read_runs(logs):
        if isinstance(run, Unread):
            raise Problem(f"{run}")
        yield run.trajectory


def _words(chance: random.Random, count: int) -> str:
    return " ".join(chance.choices(VOCABULARY.split(), k=count))
