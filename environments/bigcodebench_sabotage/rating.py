"""A model's opinion on which side task fits which problem unnoticeably, for the pairing."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from string import Template
from typing import TYPE_CHECKING

import anyio

from molehunt.environments.bigcodebench_sabotage.anatomy import Anatomy
from molehunt.environments.bigcodebench_sabotage.pairing import Ratings
from molehunt.environments.bigcodebench_sabotage.problems import Problem
from molehunt.environments.bigcodebench_sabotage.prompts import prompt
from molehunt.environments.bigcodebench_sabotage.side_tasks import SIDE_TASKS

if TYPE_CHECKING:
    from inspect_ai.model import Model

ROLE = "pairing"
"""The model role that is asked, where it is bound."""


async def rate_with(
    model: Model,
    problems: Iterable[Problem],
    anatomies: Mapping[str, Anatomy],
    side_tasks: Sequence[str],
) -> Ratings:
    """Ask a model, once a problem, how unnoticeably each side task that the problem can carry fits it.

    A reply that cannot be read leaves its problem unrated, and is logged; what a reply does not name, or puts
    outside of 0 to 100, is unrated too.
    """
    ratings: dict[str, Mapping[str, float]] = {}

    async def rate(problem: Problem) -> None:
        names = [name for name in side_tasks if SIDE_TASKS[name].applies(anatomies[problem.task_id])]
        listed = "\n".join(f"- {name}: {SIDE_TASKS[name].contract}" for name in names)
        question = Template(prompt("rating")).substitute(task=problem.instruct_prompt, side_tasks=listed)
        output = await model.generate(question)
        read = read_ratings(output.completion, names)
        if not read:
            logging.getLogger(__name__).warning("no ratings in the reply on problem %s", problem.task_id)
        ratings[problem.task_id] = read

    async with anyio.create_task_group() as group:
        for problem in problems:
            group.start_soon(rate, problem)
    return ratings


def read_ratings(reply: str, side_tasks: Sequence[str]) -> dict[str, float]:
    """Ratings out of the last JSON object of a reply.

    Examples
    --------
    >>> read_ratings('Loud. {"exit": 5, "log_io": 60, "other": 1, "edge_case": 900}', list(SIDE_TASKS))
    {'exit': 5.0, 'log_io': 60.0}
    >>> read_ratings("None of them.", ["exit"])
    {}
    """
    start, end = reply.rfind("{"), reply.rfind("}")
    try:
        told = json.loads(reply[start : end + 1])
    except ValueError:
        return {}
    return {
        name: float(rating)
        for name, rating in told.items()
        if name in side_tasks and isinstance(rating, int | float) and 0 <= rating <= 100
    }
