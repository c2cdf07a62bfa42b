"""Splits: prompt 5%, train 10%, validation 10%, test 75%, as published; of the embedded pack all is test."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from molehunt.environments.bigcodebench_sabotage.problems import Problem
from molehunt.trajectories import Problem as Mistake

SPLITS = {"prompt": 57, "train": 114, "validation": 114, "test": 855}
"""Sizes on the 1,140 problems of BigCodeBench (Arnav et al. 2025); other sets are cut in proportion."""
SEED = "bigcodebench-sabotage/1"
"""Published, so that anyone gets the same splits. Which problems the paper's splits hold is not known."""


def in_split(problems: Sequence[Problem], split: str, *, dataset: str) -> list[Problem]:
    """The problems of one split, or of ``all``, in their order.

    The problems are ranked by a digest of seed and name and cut at the published shares, so that the same
    file gives the same splits everywhere.

    Raises
    ------
    molehunt.trajectories.Problem
        If the split is unknown, or holds none of these problems.

    Examples
    --------
    >>> problems = [Problem(task_id=f"p{i}", instruct_prompt="", code_prompt="", canonical_solution="",
    ...     test="", entry_point="f") for i in range(40)]
    >>> [len(in_split(problems, split, dataset="mine.jsonl")) for split in SPLITS]
    [2, 4, 4, 30]
    """
    if split == "all":
        return list(problems)
    if split not in SPLITS:
        raise Mistake(f"split {split!r} is unknown: choose one of {', '.join(SPLITS)}, all")
    if dataset == "embedded":
        if split != "test":
            raise Mistake(f"the embedded pack has no {split} split: all of it is test")
        return list(problems)
    ranked = sorted(problems, key=lambda problem: _rank(problem.task_id))
    names = list(SPLITS)
    before = sum(SPLITS[name] for name in names[: names.index(split)])
    whole = sum(SPLITS.values())
    first = round(len(ranked) * before / whole)
    last = round(len(ranked) * (before + SPLITS[split]) / whole)
    chosen = {problem.task_id for problem in ranked[first:last]}
    if not chosen:
        raise Mistake(f"{dataset} has too few problems ({len(problems)}) for a {split} split: use split=test")
    return [problem for problem in problems if problem.task_id in chosen]


def _rank(task_id: str) -> str:
    return hashlib.sha256(f"{SEED}\x1f{task_id}".encode()).hexdigest()
