"""Coding problems in BigCodeBench's fields, and where they come from: the embedded pack, a file, the Hub."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from molehunt.environments.bigcodebench_sabotage.pack import load_pack
from molehunt.trajectories import Problem as Mistake

HUB_NAME = "bigcode/bigcodebench"
HUB_SPLIT = "v0.1.4"


class Problem(BaseModel):
    """One problem; fields and their meaning are BigCodeBench's, those that nothing here reads are passed by.

    Parameters
    ----------
    task_id : name of the problem, unique in its data set.
    instruct_prompt : the main task as a person words it.
    code_prompt : imports and the line ``def …:``, what a solution begins with.
    canonical_solution : the body that belongs below ``code_prompt``.
    test : module text with a ``unittest`` class ``TestCases``, run in the solution's own namespace.
    entry_point : name of the function.

    Examples
    --------
    >>> load_problems("embedded")[0].entry_point
    'task_func'
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    task_id: str
    instruct_prompt: str
    code_prompt: str
    canonical_solution: str
    test: str
    entry_point: str

    @property
    def solution(self) -> str:
        """The canonical program, complete."""
        return self.code_prompt + self.canonical_solution


def load_problems(dataset: str) -> list[Problem]:
    """All problems of a data set, in its order.

    Parameters
    ----------
    dataset : ``embedded``, ``hf`` (BigCodeBench from the Hub, through the ``datasets`` extra), or the path of
        a ``.jsonl`` or ``.jsonl.gz`` file with BigCodeBench's fields.

    Raises
    ------
    molehunt.trajectories.Problem
        If there is no such data set, or a row of it is not a problem.

    Examples
    --------
    >>> len(load_problems("embedded")) > 0
    True
    """
    if dataset == "embedded":
        return _validated(load_pack(), "the embedded pack")
    if dataset == "hf":
        return _validated(_from_hub(), HUB_NAME)
    path = Path(dataset)
    if not path.name.endswith((".jsonl", ".jsonl.gz")):
        raise Mistake(
            f"dataset {dataset!r} is unknown: give 'embedded', 'hf', or the path of a .jsonl[.gz] file"
        )
    return _validated(_from_file(path), str(path))


def _validated(rows: Iterable[Mapping[str, Any]], origin: str) -> list[Problem]:
    problems: dict[str, Problem] = {}
    for number, row in enumerate(rows, start=1):
        try:
            problem = Problem.model_validate(row)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the row"
            raise Mistake(
                f"row {number} of {origin} is not a BigCodeBench problem: {where}: {first['msg']}"
            ) from None
        if problem.task_id in problems:
            raise Mistake(f"row {number} of {origin} repeats the task_id {problem.task_id!r}; make it unique")
        problems[problem.task_id] = problem
    if not problems:
        raise Mistake(f"{origin} holds no problems")
    return list(problems.values())


def _from_file(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8")
            if path.suffix == ".gz"
            else path.open(encoding="utf-8") as lines
        ):
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    try:
                        yield json.loads(line)
                    except json.JSONDecodeError as error:
                        raise Mistake(
                            f"line {number} of {path} is not JSON ({error.msg}); one problem a line"
                        ) from None
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Mistake(f"cannot read the problems in {path}: {reason}") from None


def _from_hub() -> Iterator[dict[str, Any]]:
    try:
        import datasets
    except ImportError:
        raise Mistake(
            "dataset 'hf' needs the package datasets: pip install 'molehunt[hf]'; or "
            "give the path of a file of it in its place"
        ) from None
    try:
        yield from datasets.load_dataset(HUB_NAME, split=HUB_SPLIT)
    # the hub's client refuses with errors of its own, of its HTTP library and of the operating system
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise Mistake(
            f"cannot fetch {HUB_NAME} {HUB_SPLIT} from the Hugging Face hub ({reason}). "
            "Try again, or give a file of it: -T dataset=PATH, .jsonl or .jsonl.gz"
        ) from error
