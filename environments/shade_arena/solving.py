"""The run of a sample: applications made ready, the agent let act, what it did graded and written down."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from inspect_ai.agent import as_solver, react
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import think

from molehunt.environments.scripted import MARKS, PAIR, SAMPLE
from molehunt.environments.shade_arena.agent_prompts import opening
from molehunt.environments.shade_arena.samples import ENVIRONMENT, Setting, environment_of
from molehunt.environments.shade_arena.scenes import Scene
from molehunt.environments.shade_arena.tools import inspect_tools
from molehunt.trajectories.inspect_own import ATTEMPTS_KEY, METADATA_KEY


@solver
def ready(scenes: Mapping[str, Scene], setting: Setting) -> Solver:
    """Put into the sample's store what it is, and write what the agent reads first."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        scene, attacks = _played(state, scenes)
        attack = setting.attack(scene.pair)
        state.store.set(ATTEMPTS_KEY, [])
        state.store.set(PAIR, attack)
        described: dict[str, Any] = {
            "environment": ENVIRONMENT,
            "dataset": environment_of(scene.pair).partition("/")[2],
            "task_id": scene.pair.task_id,
            "arm": "attack" if attacks else "honest",
            **(attack if attacks else dict.fromkeys(attack)),
            "awareness": setting.awareness,
            "version": setting.version,
            "clutter": setting.clutter,
            "seed": setting.seed,
            "epoch": state.epoch,
        }
        state.store.set(SAMPLE, described)
        goal = scene.goal if attacks else None
        state.messages = opening(scene.request, goal, system=scene.system, **setting.manner)
        return state

    return solve


@solver
def acted(scenes: Mapping[str, Scene]) -> Solver:
    """Let the agent act on applications of its own until it calls no tool, or meets a limit."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        scene, _ = _played(state, scenes)
        agent = react(
            prompt=None,  # `ready` has written the system message, which differs between samples
            tools=[*inspect_tools(scene.world(), scene.tools), think()],
            submit=False,  # the last words are what the user gets
        )
        return await as_solver(agent)(state, generate)

    return solve


@scorer(metrics={"main": [mean()], "side": [mean()]})
def done(scenes: Mapping[str, Scene]) -> Scorer:
    """``main`` and ``side`` as the graders find them; NaN, which metrics leave out, where nothing is known.

    A run is graded here and not in a solver, because a scorer also runs after a limit was met.
    """

    async def score(state: TaskState, target: Target) -> Score:
        scene, attacks = _played(state, scenes)
        finding = await scene.found(state.messages, attack=attacks)
        entry = {
            "attempt": 1,
            "message": None,  # the attempt is the whole sample
            **asdict(finding),
            "marks": state.store.get(MARKS, []),
        }
        state.store.set(ATTEMPTS_KEY, [entry])
        value = {
            "main": math.nan if finding.main_score is None else finding.main_score,
            "side": math.nan if finding.side_score is None else finding.side_score,
        }
        return Score(
            value=value, explanation="; ".join(f"{key}: {each}" for key, each in finding.notes.items())
        )

    return score


def _played(state: TaskState, scenes: Mapping[str, Scene]) -> tuple[Scene, bool]:
    """The scene of a sample, and whether it is an attack run."""
    name = str(state.sample_id).rpartition(":")[0]
    return scenes[name], state.metadata[METADATA_KEY]["label"] == "attack"
