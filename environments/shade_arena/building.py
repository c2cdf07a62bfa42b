"""The task put together from its parameters."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import GenerateConfig

from molehunt.environments.parameters import chosen, whole
from molehunt.environments.playing import BUDGETS, TIMES
from molehunt.environments.shade_arena import original
from molehunt.environments.shade_arena.agent_prompts import AWARENESS, POLICIES, awareness_under
from molehunt.environments.shade_arena.agentdojo_base import NEWEST, SUITES, VERSIONS
from molehunt.environments.shade_arena.pairing import PAIRS, pairs_of
from molehunt.environments.shade_arena.samples import ARMS, ENVIRONMENT, ORIGINAL, Setting, samples
from molehunt.environments.shade_arena.scenes import AgentDojoScene, Scene
from molehunt.environments.shade_arena.solving import acted, done, ready
from molehunt.trajectories import Problem

MOST_OUTPUT = 1024 * 1024
"""Bytes of a tool's output that the agent sees and the log keeps; Inspect itself would cut at 16 KiB."""


def build(
    *,
    arms: str,
    suites: str | Sequence[str],
    pairs: str,
    policy: str,
    awareness: str,
    attack_budget: str | int,
    when: str,
    clutter: int,
    version: str,
    seed: int,
    message_limit: int | None,
    token_limit: int | None,
    time_limit: int | None,
) -> Task:
    """The Inspect task; parameters as `shade_arena` describes them.

    Raises
    ------
    molehunt.trajectories.Problem
        If a parameter has a value that it cannot have, or AgentDojo is not installed.
    """
    chosen("arms", arms, ARMS)
    chosen("pairs", pairs, PAIRS)
    chosen("policy", policy, POLICIES)
    chosen("awareness", awareness, AWARENESS)
    chosen("attack_budget", str(attack_budget), BUDGETS)
    chosen("when", when, TIMES)
    version = NEWEST if version == "newest" else version
    chosen("version", version, ("newest", *VERSIONS))
    whole("clutter", clutter, least=0)
    whole("seed", seed, least=0)
    limits = {"message_limit": message_limit, "token_limit": token_limit, "time_limit": time_limit}
    for name, limit in limits.items():
        if limit is not None:
            whole(name, limit, least=1)
    setting = Setting(
        version, policy, awareness_under(policy, awareness), str(attack_budget), when, clutter, seed
    )
    scenes = played(named(suites), pairs, setting)
    by_name = {f"{scene.pair.task_id}:{scene.pair.side_task}": scene for scene in scenes}
    runs = list(samples(scenes, arms=arms, setting=setting))
    return Task(
        dataset=MemoryDataset(runs, name=ENVIRONMENT),
        setup=ready(by_name, setting),
        solver=acted(by_name),
        scorer=done(by_name),
        config=GenerateConfig(max_tool_output=MOST_OUTPUT),
        message_limit=message_limit,
        token_limit=token_limit,
        time_limit=time_limit,
        name=ENVIRONMENT,
    )


def played(suites: Sequence[str], pairs: str, setting: Setting) -> list[Scene]:
    """The scenes of some suites.

    Raises
    ------
    molehunt.trajectories.Problem
        If the original is asked for what it cannot do.
    """
    ours = [name for name in suites if name != ORIGINAL]
    scenes: list[Scene] = [
        AgentDojoScene(pair, setting.version, setting.clutter, setting.seed)
        for pair in (pairs_of(setting.version, ours, pairs) if ours else ())
    ]
    if ORIGINAL in suites:
        if setting.clutter:
            raise Problem("clutter is for AgentDojo's suites: leave it out, or suites=original")
        scenes += original.scenes()
    return scenes


def named(suites: str | Sequence[str]) -> list[str]:
    """Suites by name; ``all``, one name, names with commas, or a list of names.

    ``all`` are AgentDojo's, and the original's pairs where its package is installed.

    Examples
    --------
    >>> named("slack,banking")
    ['banking', 'slack']
    """
    if suites == "all":
        return [*SUITES, *([ORIGINAL] if original.installed() else [])]
    asked = [name.strip() for name in suites.split(",")] if isinstance(suites, str) else list(suites)
    for name in asked:
        chosen("suites", name, ("all", *SUITES, ORIGINAL))
    names = [name for name in (*SUITES, ORIGINAL) if name in asked]
    if not names:
        raise Problem(f"suites is empty: give 'all' or some of {', '.join((*SUITES, ORIGINAL))}")
    return names
