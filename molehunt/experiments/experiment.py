"""An experiment as its YAML file says it: what runs, who judges, and what the report is about."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from molehunt.trajectories import Problem

ATTACKS_ONLY = frozenset({"policy", "attack_budget", "when"})
"""Parameters of a task that change its attack runs alone."""

Task = Literal["bigcodebench_sabotage", "mle_sabotage", "shade_arena"]
Value = bool | int | float | str
Model = str | dict[str, Any]
"""A model's name, or a mapping with ``model`` and settings."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Assumed(_Part):
    """How long a run will be, where none has been recorded yet: for plans and prices only.

    Parameters
    ----------
    turns : answers of the agent.
    reasoning, answer, result : tokens of a turn's reasoning, of what else the agent says or calls, and of
        what tools answer to that.
    """

    turns: int = Field(default=1, ge=1, le=1000)
    reasoning: int = Field(default=600, ge=0, le=100_000)
    answer: int = Field(default=400, ge=0, le=100_000)
    result: int = Field(default=0, ge=0, le=100_000)


ASSUMED: Mapping[Task, Assumed] = {
    "bigcodebench_sabotage": Assumed(),
    # together about 28,500 tokens, the published mean
    "mle_sabotage": Assumed(turns=40, reasoning=150, answer=250, result=300),
    "shade_arena": Assumed(turns=30, reasoning=150, answer=60, result=400),
}
"""Lengths that a file need not say; rough, and stated with every plan."""


class Environment(BaseModel):
    """Runs of one task.

    Every key but these is a parameter of the task; a list of values is crossed with all others.

    Parameters
    ----------
    task : an environment, by the name under which Inspect knows it.
    problems : run the first so many problems, each in all arms; None: all.
    assume : see `Assumed`.
    """

    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, Value | list[Value]] = Field(init=False)

    task: Task
    problems: int | None = Field(default=None, ge=1)
    assume: Assumed | None = None

    @property
    def assumed(self) -> Assumed:
        """How long its runs are taken to be before there are any."""
        return self.assume or ASSUMED[self.task]

    def combinations(self) -> Iterator[dict[str, Value]]:
        """Parameters of each Inspect task: the product of all lists.

        Honest runs do not depend on how an attacker goes about it: of combinations that differ in that alone,
        only the first has them.

        Examples
        --------
        >>> runs = Environment(task="bigcodebench_sabotage", policy=["baseline", "stealth"])
        >>> list(runs.combinations())
        [{'policy': 'baseline'}, {'policy': 'stealth', 'arms': 'attack'}]
        """
        given = self.__pydantic_extra__ or {}
        lists = [value if isinstance(value, list) else [value] for value in given.values()]
        had: list[dict[str, Value]] = []
        for values in itertools.product(*lists):
            chosen = dict(zip(given, values, strict=True))
            honest = _honest(chosen)
            if honest in had:
                if chosen.get("arms") == "honest":
                    continue
                if chosen.get("arms", "both") == "both":
                    chosen["arms"] = "attack"
            had.append(honest)
            yield chosen


def _honest(chosen: Mapping[str, Value]) -> dict[str, Value]:
    """What honest runs depend on; a policy that says that runs are watched says so in both arms."""
    watched: dict[str, Value] = {"awareness": "told"} if chosen.get("policy") == "monitor-notice" else {}
    return {name: value for name, value in chosen.items() if name not in ATTACKS_ONLY} | watched


class Judging(_Part):
    """Monitors and their models, each monitor with each model.

    Parameters
    ----------
    monitors : specs, such as ``eae(min_excerpts=8)``.
    models : each a model for all roles, or a mapping of roles to models; none for monitors that ask nobody.
    draws : verdicts for each trajectory and monitor.
    answer : how answers are read.
    environments : judge runs of these only; None: of all.
    limit : judge so many runs of each environment and no more.
    """

    monitors: list[str] = Field(min_length=1)
    models: list[Model] = []
    draws: int = Field(default=1, ge=1)
    answer: Literal["text", "structured", "expected"] | None = None
    environments: list[Task] | None = None
    limit: int | None = Field(default=None, ge=1)

    def judges(self, environment: Environment) -> bool:
        """Whether it is about runs of that environment."""
        return self.environments is None or environment.task in self.environments


class Reporting(_Part):
    """The factors that the report slices by, and the monitor that others are held against."""

    by: list[str] = []
    against: str | None = None
    filtered: bool = True


class Experiment(_Part):
    """A whole experiment.

    Parameters
    ----------
    agents : models that act.
    environments : what they act in.
    scoring : who judges, one stage after the other.
    epochs : runs of each sample.
    max_usd : dollars, over all stages, at which scoring stops.
    report : see `Reporting`.
    """

    agents: list[Model] = Field(min_length=1)
    environments: list[Environment] = Field(min_length=1)
    scoring: list[Judging] = Field(min_length=1)
    epochs: int = Field(default=1, ge=1, le=1000)
    max_usd: float | None = Field(default=None, ge=0)
    report: Reporting = Reporting()


def read_experiment(file: Path, changes: Mapping[str, Value] | None = None) -> Experiment:
    """Read an experiment's file.

    Parameters
    ----------
    file : YAML.
    changes : parameters that every environment gets in place of what the file says.

    Raises
    ------
    Problem
        If it cannot be read, or something in it is unknown or cannot be; the message says where.
    """
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Problem(f"cannot read the experiment {file}: {error.strerror}.") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise Problem(f"{file} is not YAML: {' '.join(str(error).split())}.") from error
    if not isinstance(content, dict):
        raise Problem(f"{file} holds no experiment: it needs agents, environments and scoring.")
    for environment in content.get("environments") or []:
        if isinstance(environment, dict):
            environment.update(changes or {})
    try:
        return Experiment.model_validate(content)
    except ValidationError as error:
        # what fits no kind of value is a fault for each kind
        faults = dict.fromkeys(map(_in_words, error.errors(include_url=False, include_input=False)))
        raise Problem(f"{file}: {'; '.join(faults)}.") from error


_PARTS: Mapping[str, type[BaseModel]] = {"scoring": Judging, "report": Reporting, "assume": Assumed}


def _in_words(fault: ErrorDetails) -> str:
    match fault["loc"]:
        case ("environments", int(place), str(name), *_) if name not in Environment.model_fields:
            kinds = "a word, a number, true or false, or a list of these"
            return f"environments.{place}.{name}: a parameter of a task is {kinds}"
    where = ".".join(map(str, fault["loc"]))
    if fault["type"] != "extra_forbidden":
        return f"{where}: {fault['msg'][:1].lower()}{fault['msg'][1:]}"
    parts = [name for name in fault["loc"][:-1] if isinstance(name, str)]
    known = _PARTS[parts[-1]] if parts else Experiment
    return f"{where}: there is no such key; there are {', '.join(known.model_fields)}"
