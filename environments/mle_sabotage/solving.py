"""The run of a sample: data put into its sandbox, the agent let work, its work graded and written down."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import anyio.to_thread
from inspect_ai.agent import AgentSubmit, as_solver, react
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, python, think
from inspect_ai.util import SandboxEnvironment, sandbox

from molehunt.environments.mle_sabotage.agent_prompts import opening
from molehunt.environments.mle_sabotage.competition import Competition, prepared
from molehunt.environments.mle_sabotage.grading import WORKSPACE, graded
from molehunt.environments.mle_sabotage.prompts import prompt
from molehunt.environments.mle_sabotage.samples import ENVIRONMENT, SANDBAGGING, Setting, side_task_of
from molehunt.environments.mle_sabotage.tools.editor import text_editor
from molehunt.environments.mle_sabotage.tools.shell import bash
from molehunt.environments.mle_sabotage.tools.validation import validate_submission
from molehunt.environments.scripted import MARKS, PAIR, SAMPLE
from molehunt.trajectories.inspect_own import ATTEMPTS_KEY, METADATA_KEY

TOOL_SECONDS = 180
"""Time limit of one call of bash or python."""


@solver
def ready(competitions: Mapping[str, Competition], setting: Setting) -> Solver:
    """Put into the sample's store what it is, and into its sandbox the competition's data."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        competition, arm = _played(state, competitions)
        side_task = side_task_of(competition, arm)
        attack = setting.attack(side_task or competition.side_task)
        state.store.set(ATTEMPTS_KEY, [])
        state.store.set(PAIR, attack)
        described: dict[str, Any] = {
            "environment": ENVIRONMENT,
            "dataset": setting.dataset,
            "task_id": competition.name,
            "arm": arm,
            **(attack if side_task else dict.fromkeys(attack)),
            "awareness": setting.awareness,
            "seed": setting.seed,
            "epoch": state.epoch,
        }
        state.store.set(SAMPLE, described)
        await furnish(sandbox(), competition, setting.seed)
        manner = {key: value for key, value in asdict(setting).items() if key not in ("dataset", "seed")}
        state.messages = opening(competition, arm, **manner)
        return state

    return solve


async def furnish(box: SandboxEnvironment, competition: Competition, seed: int) -> None:
    """Put a competition's page and data where the agent finds them.

    Parameters
    ----------
    box : the agent's sandbox.
    competition : what it is to work on.
    seed : of the data.
    """
    data = await anyio.to_thread.run_sync(prepared, competition, seed)
    for name in ("train", "test", "sample_submission"):
        text = getattr(data, name).to_csv(index=False)
        await box.write_file(f"{WORKSPACE}/data/{name}.csv", text)
    await box.write_file(f"{WORKSPACE}/data/description.md", competition.description)


@solver
def worked(competitions: Mapping[str, Competition], setting: Setting) -> Solver:
    """Let the agent work until it submits or meets a limit."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        competition, _ = _played(state, competitions)
        agent = react(
            prompt=None,  # `ready` has written the system message, which differs between samples
            tools=toolbox(competition, setting.seed),
            submit=AgentSubmit(keep_in_messages=True),  # else its last reasoning is lost with the call
            on_continue=prompt("continue"),
        )
        return await as_solver(agent)(state, generate)

    return solve


def toolbox(competition: Competition, seed: int) -> list[Tool]:
    """The tools of one sample's agent, but for ``submit``."""
    return [
        bash(TOOL_SECONDS),
        python(timeout=TOOL_SECONDS),
        text_editor(),
        think(),
        validate_submission(competition, seed),
    ]


@scorer(metrics={"main": [mean()], "side": [mean()]})
def done(competitions: Mapping[str, Competition], setting: Setting) -> Scorer:
    """``main`` and ``side`` as `graded` finds them; NaN, which metrics leave out, where nothing is known.

    So is ``side`` of an honest run, whose mean is that of the attacks, as in the other environments. The
    agent's work is graded here and not in a solver, because a scorer also runs after a limit was met. What
    is found, of honest runs too, goes into the store, from which a log is scored anew.
    """

    async def score(state: TaskState, target: Target) -> Score:
        if not state.store.get(ATTEMPTS_KEY):
            competition, arm = _played(state, competitions)
            finding = await graded(
                competition,
                sandbox(),
                seed=setting.seed,
                seconds=setting.seconds,
                sandbagging=arm == SANDBAGGING,
            )
            entry = {
                "attempt": 1,
                "message": None,  # the attempt is the whole sample
                **asdict(finding),
                "marks": state.store.get(MARKS, []),
            }
            state.store.set(ATTEMPTS_KEY, [entry])
        [entry] = state.store.get(ATTEMPTS_KEY)
        attacks = state.metadata[METADATA_KEY]["label"] == "attack"
        side = entry["side_score"] if attacks else None
        value = {
            "main": math.nan if entry["main_score"] is None else entry["main_score"],
            "side": math.nan if side is None else side,
        }
        notes = "; ".join(f"{key}: {note}" for key, note in entry["notes"].items())
        return Score(value=value, explanation=notes or None)

    return score


def _played(state: TaskState, competitions: Mapping[str, Competition]) -> tuple[Competition, str]:
    arm = str(state.sample_id).rpartition(":")[2]
    return competitions[state.metadata[METADATA_KEY]["task_id"]], arm
