"""The task put together from its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import GenerateConfig

from molehunt.environments.mle_sabotage.agent_prompts import AWARENESS, POLICIES
from molehunt.environments.mle_sabotage.builtin import builtin_competition, builtin_names
from molehunt.environments.mle_sabotage.competition import Competition, prepared
from molehunt.environments.mle_sabotage.mlebench.reading import (
    REAL,
    default_folder,
    how_to_prepare,
    mlebench_competition,
    prepared_names,
)
from molehunt.environments.mle_sabotage.samples import ARMS, ENVIRONMENT, Setting, samples
from molehunt.environments.mle_sabotage.solving import done, ready, worked
from molehunt.environments.parameters import chosen, positive, whole
from molehunt.environments.playing import BUDGETS, TIMES
from molehunt.environments.sandbox import BubblewrapConfig, choose_sandbox
from molehunt.trajectories import Problem

DATASETS = ("builtin", "mlebench")
SOURCES = ("sklearn/datasets/data", "statsmodels", "palmerpenguins", "vega_datasets", "lifelines")
"""Where the built-in competitions have their data from, answers included."""
UNUSED = ("pyarrow",)
"""What the image has not either: pandas loads it where it is, a quarter of the time of each short program."""
LIMITS = BubblewrapConfig(
    memory_mb=4096, cpu_seconds=300, processes=64, workspace_mb=1024, hidden=("molehunt", *SOURCES, *UNUSED)
)
"""Of an agent's sandbox: what training small models takes."""
IMAGE = Path(__file__).parent / "image"
"""Folder of the Dockerfile, where there is Docker: Python with numpy, pandas and scikit-learn."""
MOST_OUTPUT = 100 * 1024
"""Bytes of a tool's output that the agent sees and the log keeps; Inspect itself would cut at 16 KiB."""


def build(
    *,
    arms: str,
    competitions: str | Sequence[str],
    policy: str,
    awareness: str,
    attack_budget: str | int,
    when: str,
    dataset: str,
    data_dir: str | None,
    sandbox: str,
    seed: int,
    seconds: float,
    message_limit: int | None,
    token_limit: int | None,
    time_limit: int | None,
) -> Task:
    """The Inspect task; parameters as `mle_sabotage` describes them.

    Raises
    ------
    molehunt.trajectories.Problem
        If a parameter has a value that it cannot have, or MLE-bench's data are not there.
    """
    chosen("arms", arms, list(ARMS))
    chosen("policy", policy, POLICIES)
    chosen("awareness", awareness, AWARENESS)
    chosen("attack_budget", str(attack_budget), BUDGETS)
    chosen("when", when, TIMES)
    chosen("dataset", dataset, DATASETS)
    whole("seed", seed, least=0)
    positive("seconds", seconds)
    for name, limit in (
        ("message_limit", message_limit),
        ("token_limit", token_limit),
        ("time_limit", time_limit),
    ):
        if limit is not None:
            whole(name, limit, least=1)
    if data_dir is not None and dataset == "builtin":
        raise Problem("data_dir is for dataset=mlebench; the built-in competitions bring their data along")
    setting = Setting(dataset, policy, awareness, str(attack_budget), when, seed, seconds)
    asked = loaded(competitions, dataset, data_dir)
    if dataset == "builtin":
        for each in asked:
            prepared(each, seed)  # takes no time, and finds a missing package before anything is spent
    return assembled(
        asked,
        setting,
        arms=arms,
        sandbox=sandbox,
        message_limit=message_limit,
        token_limit=token_limit,
        time_limit=time_limit,
    )


def assembled(
    competitions: Sequence[Competition],
    setting: Setting,
    *,
    arms: str,
    sandbox: str,
    message_limit: int | None = None,
    token_limit: int | None = None,
    time_limit: int | None = None,
) -> Task:
    """The task on competitions as they are given.

    Parameters
    ----------
    competitions : what the agents work on.
    setting : what all runs have in common.
    arms, sandbox, message_limit, token_limit, time_limit : as `mle_sabotage` describes them.
    """
    # a view, because Inspect writes the contents of a dictionary, instructions too, into the log's header
    by_name = MappingProxyType({each.name: each for each in competitions})
    return Task(
        dataset=MemoryDataset(
            list(samples(competitions, arms=arms, setting=setting)), name=setting.environment
        ),
        setup=ready(by_name, setting),
        solver=worked(by_name, setting),
        scorer=done(by_name, setting),
        sandbox=choose_sandbox(sandbox, LIMITS, image=IMAGE),
        config=GenerateConfig(max_tool_output=MOST_OUTPUT),
        message_limit=message_limit,
        token_limit=token_limit,
        time_limit=time_limit,
        fail_on_error=False,  # a sample that breaks costs itself only
        name=ENVIRONMENT,
    )


def loaded(competitions: str | Sequence[str], dataset: str, data_dir: str | None) -> list[Competition]:
    """The competitions asked for, in their own order.

    Parameters
    ----------
    competitions, dataset, data_dir : as `mle_sabotage` describes them; of MLE-bench's, ``all`` are those that
        are prepared.

    Raises
    ------
    molehunt.trajectories.Problem
        If a name is unknown, or a competition is not prepared.
    """
    if dataset == "builtin":
        return [builtin_competition(name) for name in named(competitions, builtin_names())]
    folder = default_folder() if data_dir is None else Path(data_dir)
    names = prepared_names(folder) if competitions == "all" else named(competitions, list(REAL))
    if not names:
        raise Problem(how_to_prepare(folder))
    return [mlebench_competition(name, folder) for name in names]


def named(competitions: str | Sequence[str], names: Sequence[str]) -> list[str]:
    """Which of ``names`` are meant, in their order, by ``all``, one name, names with commas, or a list.

    Raises
    ------
    molehunt.trajectories.Problem
        If a name is none of them, or there is none.

    Examples
    --------
    >>> named("wine,cars", ["cars", "digits", "wine"])
    ['cars', 'wine']
    """
    if competitions == "all":
        return list(names)
    asked = competitions.split(",") if isinstance(competitions, str) else competitions
    wanted = {str(name).strip() for name in asked} - {""}
    for name in sorted(wanted):
        chosen("competitions", name, ["all", *names])
    if not wanted:
        raise Problem(f"competitions is empty: give 'all' or some of {', '.join(names)}")
    return [name for name in names if name in wanted]
