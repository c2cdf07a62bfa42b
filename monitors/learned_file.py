"""The file of a learned monitor: plain JSON, read as the work of a stranger."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, ValidationError, model_validator

from molehunt.monitors.features import MOST_AMOUNTS, MOST_TERMS, Features, Finite, Record
from molehunt.trajectories import Problem, Trajectory

LARGEST_FILE = 200 * 1024**2
"""Bytes of a file that is read: several times the largest that `molehunt fit` writes."""

MOST_MODELS = 1000

MOST_COLUMNS = 2 * MOST_TERMS + MOST_AMOUNTS

Key = Annotated[str, Field(pattern=r"^(task:)?[0-9a-f]{32}$")]


class Linear(Record):
    """A logistic regression: a coefficient for each feature, and the intercept."""

    coefficients: tuple[Finite, ...] = Field(max_length=MOST_COLUMNS)
    intercept: Finite


class Training(Record):
    """What a monitor was trained on, for people.

    Parameters
    ----------
    attack, honest : runs.
    tasks, side_tasks : how many there were.
    left_out : what no model has seen of the runs that it judges: tasks, and side tasks where there were two.
    """

    attack: int
    honest: int
    tasks: int
    side_tasks: int
    left_out: tuple[Literal["task", "side_task"], ...]


class LearnedFile(Record):
    """What `molehunt fit` writes, as plain JSON, and `learned` reads.

    Parameters
    ----------
    kind, version : of the file.
    training : what it rests on.
    features : the columns.
    whole : trained on all runs.
    folds : trained on parts of the runs.
    judges : for a trajectory of the training store, or ``task:`` and the digest of a task, the models among
        ``folds`` that have not seen it; their mean is its score.
    """

    kind: Literal["molehunt learned monitor"]
    version: Literal[1]
    training: Training
    features: Features
    whole: Linear
    folds: tuple[Linear, ...] = Field(max_length=MOST_MODELS)
    judges: dict[Key, tuple[int, ...]]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        columns = len(self.features.names)
        if any(len(linear.coefficients) != columns for linear in (self.whole, *self.folds)):
            raise ValueError("a model has another number of coefficients than there are features")
        if not all(
            chosen and all(0 <= fold < len(self.folds) for fold in chosen) for chosen in self.judges.values()
        ):
            raise ValueError("a trajectory is to be judged by a model that is not there")
        return self

    @classmethod
    def read(cls, path: Path) -> Self:
        """The file at ``path``. It may be anybody's: nothing in it is run, and all of it is checked.

        Raises
        ------
        Problem
            If it cannot be read, is larger than `LARGEST_FILE`, or is no such file.
        """
        try:
            with path.open("rb") as file:
                content = file.read(LARGEST_FILE + 1)
        except OSError as error:
            raise Problem(
                f"cannot read {path}: {error.strerror}. `molehunt fit` makes such a file."
            ) from error
        if len(content) > LARGEST_FILE:
            raise Problem(f"{path} is larger than {LARGEST_FILE // 1024**2} MB, and not read")
        try:
            return cls.model_validate_json(content)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
            where = ".".join(map(str, fault["loc"]))
            raise Problem(
                f"{path} is no learned monitor of `molehunt fit`: {where or 'the file'}: {fault['msg']}"
            ) from error

    def judges_of(self, trajectory: Trajectory) -> tuple[Linear, ...]:
        """The models that have not seen ``trajectory``."""
        chosen = self.judges.get(trajectory.id) or self.judges.get(task_key(trajectory.task))
        return tuple(self.folds[fold] for fold in chosen) if chosen else (self.whole,)


def task_key(task: str) -> str:
    """Under which `LearnedFile.judges` has a task, whose text it does not hold."""
    return f"task:{hashlib.sha256(task.encode()).hexdigest()[:32]}"
