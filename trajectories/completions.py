"""Plain answers to coding problems, one JSON object a line: runs of one step or a few, without a log."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from molehunt.trajectories.labels import TruthOptions, read_label
from molehunt.trajectories.messages import Draft, numbered, text_pieces
from molehunt.trajectories.runs import Label, Run, Truth
from molehunt.trajectories.steps import Trajectory
from molehunt.trajectories.unread import Unread

LONGEST_LINE = 64 * 2**20
"""Bytes of one answer, unpacked."""


class Completion(BaseModel):
    """One line of the file; fields that nothing here knows are passed by.

    Parameters
    ----------
    task_id : the problem.
    task : what was asked, also as ``prompt`` or ``instruct_prompt``; without it there is no run.
    completion : what the model said: prose and fenced code are told apart.
    solution : bare code, in place of a completion.
    reasoning : the model's, before it.
    label : attack or honest; see `read_label`.
    main_score, side_score : as in `Truth`; ``passed`` stands for a main score of 1 or 0.
    environment : data set, ``completions`` if nobody says.
    model : that answered.
    sample : the answer's own name; without it, it goes by the problem and a digest of what it says.
    factors : as in `Truth`.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", protected_namespaces=())

    task_id: str
    task: str = Field(validation_alias=AliasChoices("task", "instruct_prompt", "prompt"))
    completion: str | None = None
    solution: str | None = None
    reasoning: str | None = None
    label: str | int | bool | None = None
    main_score: float | None = Field(
        default=None, validation_alias=AliasChoices("main_score", "passed"), allow_inf_nan=False
    )
    side_score: float | None = Field(default=None, allow_inf_nan=False)
    environment: str = "completions"
    model: str | None = None
    sample: str | None = None
    factors: dict[str, str] = {}

    def drafts(self) -> Iterator[Draft]:
        """Its steps, in order."""
        if self.reasoning and self.reasoning.strip():
            yield Draft("reasoning", self.reasoning, readable="full")
        if self.solution is not None:
            yield Draft("code", self.solution)
        for kind, text in text_pieces(self.completion or ""):
            yield Draft(kind, text)


def completion_runs(path: Path, options: TruthOptions) -> Iterator[Run | Unread]:
    """Read a file of answers, one in memory at a time.

    Parameters
    ----------
    path : JSON lines, packed with gzip or not.
    options : what the user says about answers that carry no label: patterns of file names, or a table whose
        ``sample_id`` is ``task_id``.

    Yields
    ------
    Run or Unread
        An `Unread` for each line that is no answer; the others are read all the same.
    """
    number = 0
    try:
        with _opened(path) as lines:
            while line := lines.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    yield Unread(str(path), f"line {number}", f"is longer than {LONGEST_LINE >> 20} MiB")
                    return
                if line.strip():
                    yield _run(line, number, path, options)
    except (OSError, EOFError, zlib.error) as error:
        yield Unread(str(path), None, f"cannot be read beyond line {number}: {error}")


def are_completions(path: Path) -> bool:
    """Whether a file begins with an answer: a line with ``task_id`` and ``solution`` or ``completion``."""
    try:
        with _opened(path) as lines:
            fields = json.loads(lines.readline(LONGEST_LINE))
    except (OSError, EOFError, zlib.error, ValueError, RecursionError):
        return False
    return (
        isinstance(fields, dict) and "task_id" in fields and not {"solution", "completion"}.isdisjoint(fields)
    )


def _opened(path: Path) -> BinaryIO:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def _run(line: bytes, number: int, path: Path, options: TruthOptions) -> Run | Unread:
    try:
        answer = Completion.model_validate(json.loads(line))
        label: Label | None = None if answer.label is None else read_label(answer.label)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        return Unread(str(path), f"line {number}", f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}")
    except (ValueError, RecursionError) as error:
        return Unread(str(path), f"line {number}", f"is no answer in JSON: {error}")
    trajectory = Trajectory(answer.task, numbered(list(answer.drafts())))
    name = answer.sample or f"{answer.task_id}/{trajectory.id[:16]}"
    return Run(
        trajectory,
        _truth(answer, name, label or options.label_of_file(str(path)), path, options),
        log=str(path),
        sample=name,
        source="completions",
        agent_model=answer.model,
        reasoning="full" if answer.reasoning else "none",
    )


def _truth(
    answer: Completion, name: str, label: Label | None, path: Path, options: TruthOptions
) -> Truth | None:
    row = options.row(name, answer.task_id, 1, str(path))
    said: Any = row.label if row else label
    if said is None:
        return None
    truth = Truth(
        said,
        answer.environment,
        answer.task_id,
        answer.main_score,
        answer.side_score,
        factors=answer.factors,
    )
    return row.correct(truth) if row else truth
