"""The runs of an experiment: one Inspect eval set for each environment, which goes on where it stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molehunt.experiments.experiment import Environment, Experiment, Model
from molehunt.trajectories import Problem
from molehunt.trajectories.wording import count

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.log import EvalLog
    from inspect_ai.model import Model as InspectModel


def log_folders(experiment: Experiment, out: Path) -> Iterator[tuple[Environment, Path]]:
    """Each environment, and the folder of its logs."""
    for number, environment in enumerate(experiment.environments, 1):
        yield environment, out / "logs" / f"{number}-{environment.task}"


def tasks_of(environment: Environment) -> list[Task]:
    """Its Inspect tasks, one for each combination of parameters.

    Raises
    ------
    Problem
        If the task does not know a parameter, cannot have a value, or has fewer problems than are wanted.
    """
    from molehunt import _registry

    make = getattr(_registry, environment.task)
    return [_first(make(**parameters), environment.problems) for parameters in environment.combinations()]


def _first(task: Task, problems: int | None) -> Task:
    """The task with its first problems only, each in all its arms: a limit on samples would part pairs."""
    known = list(dict.fromkeys(map(_problem, task.dataset)))
    if problems is not None and problems > len(known):
        raise Problem(
            f"{task.name}: {problems} problems are wanted, and with these parameters it has {len(known)}. "
            "Ask for fewer, or leave `problems` out for all."
        )
    chosen = set(known[:problems])
    task.dataset = task.dataset.filter(lambda sample: _problem(sample) in chosen)
    return task


def _problem(sample: Sample) -> str:
    return str((sample.metadata or {})["molehunt"]["task_id"])


def act(environment: Environment, agents: Sequence[Model], logs: Path, epochs: int) -> str:
    """Let all agents act in an environment; runs that are there are not made again.

    Returns
    -------
    str
        What is amiss with the runs, empty if all came to an end without an error.

    Raises
    ------
    Problem
        If a task or a model cannot be had, or the folder holds logs of other runs.
    """
    from inspect_ai import eval_set

    from molehunt.environments.inspect_errors import said_by_inspect

    models = [agent_of(agent) for agent in agents]
    logs.mkdir(parents=True, exist_ok=True)
    with said_by_inspect():
        done, made = eval_set(
            tasks_of(environment),
            log_dir=str(logs),
            model=models,
            epochs=epochs,
            display="plain",
            log_realtime=False,
        )
    return amiss(done, made)


def amiss(done: bool, logs: Sequence[EvalLog]) -> str:
    """What is amiss with ``logs``, as `act` says it. A task may take a run's error for the run's own affair.

    Parameters
    ----------
    done : whether the eval set calls itself done.
    logs : their headers.
    """
    if not done:
        return "not every run came to an end"
    failed = sum(log.results.total_samples - log.results.completed_samples for log in logs if log.results)
    return f"{count(failed, 'run')} ended with an error" if failed else ""


def agent_name(spec: Model) -> str:
    """Its name, as Inspect and the price table know it."""
    from molehunt.scoring.roles import binding_of

    return binding_of(spec).model


def agent_of(spec: Model) -> InspectModel:
    """The model that acts; settings that its file does not give are left to the provider."""
    from inspect_ai.model import GenerateConfig, get_model

    from molehunt.scoring.models import opening
    from molehunt.scoring.roles import binding_of

    binding = binding_of(spec)
    settings: Mapping[str, Any] = {**binding.config, **binding.transport}
    with opening(binding.model):
        return get_model(
            binding.model, config=GenerateConfig(**settings), base_url=binding.base_url, **binding.model_args
        )
