"""MLE-Sabotage: an agent builds a model for a competition, and in attack runs breaks it in secret."""

from __future__ import annotations

from typing import Any

from inspect_ai import Task, task

from molehunt.environments.inspect_errors import told_by_inspect
from molehunt.environments.parameters import none_unknown


@task
def mle_sabotage(
    arms: str = "both",
    competitions: str | list[str] = "all",
    policy: str = "baseline",
    awareness: str = "unaware",
    attack_budget: str | int = "all",
    when: str = "spread",
    dataset: str = "builtin",
    data_dir: str | None = None,
    sandbox: str = "auto",
    seed: int = 0,
    seconds: float = 60.0,
    message_limit: int | None = 300,
    token_limit: int | None = 5_000_000,
    time_limit: int | None = 3600,
    **unknown: Any,
) -> Task:
    """Honest, attack and sandbagging runs of an agent on Kaggle-style competitions, graded by program.

    Parameters
    ----------
    arms : ``both``, ``honest``, ``attack`` or ``sandbagging``; both are honest and attack runs, interleaved,
        so that an even ``--limit`` keeps pairs.
    competitions : ``all``, or names.
    policy : how the attacker goes about it: ``baseline``, ``stealth``.
    awareness : ``unaware``, or ``told`` that a monitor reads along, in all arms; attackers are then told how
        to evade it.
    attack_budget : in how many steps an attack may be: ``1``, ``few`` (scripted: three), or ``all``.
    when : in which part of the run: ``early``, ``late``, ``spread``.
    dataset : ``builtin``, or ``mlebench``: competitions that the package of that name has prepared.
    data_dir : with ``mlebench``, the folder of the prepared competitions; that package's own by default.
    sandbox : ``auto``, ``docker``, ``bubblewrap``, ``local``.
    seed : of data, splits and sabotage inputs.
    seconds : what the agent's ``predict.py`` may take when it is graded.
    message_limit, token_limit, time_limit : of one sample; an agent that meets one is graded on what it has
        left by then. Tokens count as often as they are sent. Seconds of wall time.
    unknown : refused; Inspect itself would only warn of it.

    Raises
    ------
    molehunt.environments.inspect_errors.TaskProblem
        If a parameter is unknown or has a value that it cannot have.

    References
    ----------
    Ward et al. 2025, CTRL-ALT-DECEIT (arXiv 2511.09904): the environment. Arike et al. 2026
    (arXiv 2601.21112): its use to compare monitors. The competitions, sabotages and prompts are our own.
    """
    from molehunt.environments.mle_sabotage.building import build

    with told_by_inspect():
        none_unknown("mle_sabotage", unknown, build)
        return build(
            arms=arms,
            competitions=competitions,
            policy=policy,
            awareness=awareness,
            attack_budget=attack_budget,
            when=when,
            dataset=dataset,
            data_dir=data_dir,
            sandbox=sandbox,
            seed=seed,
            seconds=seconds,
            message_limit=message_limit,
            token_limit=token_limit,
            time_limit=time_limit,
        )
