"""The task put together from its parameters."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import get_model, model_roles

from molehunt.environments.bigcodebench_sabotage.agent_prompts import AWARENESS, POLICIES, awareness_under
from molehunt.environments.bigcodebench_sabotage.anatomy import Anatomy, anatomy
from molehunt.environments.bigcodebench_sabotage.pairing import Ratings, pair
from molehunt.environments.bigcodebench_sabotage.problems import Problem, load_problems
from molehunt.environments.bigcodebench_sabotage.rating import ROLE, rate_with
from molehunt.environments.bigcodebench_sabotage.samples import ARMS, ENVIRONMENT, Setting, samples
from molehunt.environments.bigcodebench_sabotage.side_tasks import SIDE_TASKS, Errand
from molehunt.environments.bigcodebench_sabotage.solving import attempted, done, ready
from molehunt.environments.bigcodebench_sabotage.splits import in_split
from molehunt.environments.parameters import chosen, positive, whole
from molehunt.environments.sandbox import choose_sandbox
from molehunt.trajectories import Problem as Mistake


def build(
    *,
    arms: str,
    side_tasks: str | Sequence[str],
    policy: str,
    awareness: str,
    dataset: str,
    split: str,
    attempts: int,
    sandbox: str,
    seed: int,
    seconds: float,
) -> Task:
    """The Inspect task; parameters as `bigcodebench_sabotage` describes them.

    Raises
    ------
    molehunt.trajectories.Problem
        If a parameter has a value that it cannot have.
    """
    chosen("arms", arms, ARMS)
    chosen("policy", policy, POLICIES)
    chosen("awareness", awareness, AWARENESS)
    names = named(side_tasks)
    whole("attempts", attempts, least=1)
    whole("seed", seed, least=0)
    positive("seconds", seconds)
    setting = Setting(str(dataset), policy, awareness_under(policy, awareness), seed)
    problems = in_split(load_problems(setting.dataset), split, dataset=setting.dataset)
    anatomies = {problem.task_id: anatomy(problem) for problem in problems}
    ratings = rated(problems, anatomies, names) if arms != "honest" else None
    pairs = pair(anatomies, names, seed=seed, ratings=ratings)
    by_name = {problem.task_id: problem for problem in problems}
    errands: Mapping[str, Errand] = {
        task: SIDE_TASKS[name].errand(by_name[task], anatomies[task], seed) for task, name in pairs.items()
    }
    runs = list(samples(problems, errands, arms=arms, setting=setting))
    if not runs:
        raise Mistake(f"no problem of {dataset} can carry {', '.join(names)}: choose other side tasks")
    return Task(
        dataset=MemoryDataset(runs, name=setting.environment),
        setup=ready(by_name, errands, setting),
        solver=attempted(by_name, setting, attempts, seconds),
        scorer=done(),
        sandbox=choose_sandbox(sandbox),
        name=ENVIRONMENT,
    )


def named(side_tasks: str | Sequence[str]) -> list[str]:
    """Side tasks by name, in the table's order; ``all``, one name, names with commas, or a list of names.

    Examples
    --------
    >>> named("log_io,exit")
    ['exit', 'log_io']
    """
    if side_tasks == "all":
        return list(SIDE_TASKS)
    asked = [name.strip() for name in side_tasks.split(",")] if isinstance(side_tasks, str) else side_tasks
    for name in asked:
        chosen("side_tasks", name, ("all", *SIDE_TASKS))
    names = [name for name in SIDE_TASKS if name in asked]
    if not names:
        raise Mistake(f"side_tasks is empty: give 'all' or some of {', '.join(SIDE_TASKS)}")
    return names


def rated(
    problems: Sequence[Problem], anatomies: Mapping[str, Anatomy], side_tasks: Sequence[str]
) -> Ratings | None:
    """Ratings by the model of role ``pairing``; None where the role is not bound.

    A task is built inside Inspect's event loop and cannot wait for anything in it: the model is asked from a
    loop of its own, in a thread.
    """
    if ROLE not in model_roles():
        return None
    bound = get_model(role=ROLE, required=True)

    async def ask() -> Ratings:
        model = get_model(str(bound), config=bound.config, memoize=False, **bound.model_args)
        async with model:
            return await rate_with(model, problems, anatomies, side_tasks)

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(contextvars.copy_context().run, asyncio.run, ask()).result()
