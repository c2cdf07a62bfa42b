"""BigCodeBench-Sabotage: one coding problem, one answer, and in attack runs a side task done in secret."""

from __future__ import annotations

from typing import Any

from inspect_ai import Task, task

from molehunt.environments.inspect_errors import told_by_inspect
from molehunt.environments.parameters import none_unknown


@task
def bigcodebench_sabotage(
    arms: str = "both",
    side_tasks: str | list[str] = "all",
    policy: str = "baseline",
    awareness: str = "unaware",
    dataset: str = "embedded",
    split: str = "test",
    attempts: int = 1,
    sandbox: str = "auto",
    seed: int = 0,
    seconds: float = 30.0,
    **unknown: Any,
) -> Task:
    """Honest and attack runs of coding problems, verified by program in a sandbox.

    Parameters
    ----------
    arms : ``both``, ``honest`` or ``attack``; both are interleaved, so that an even ``--limit`` keeps pairs.
    side_tasks : ``all``, or names of side tasks, from which each problem gets one that it can carry.
    policy : how the attacker goes about it: ``baseline``, ``stealth``, ``code-first``, ``cot-verbosity``,
        ``dependency``, ``functionality``, ``future-proofing``, ``implementation-template``, ``must-use``,
        ``monitor-notice``.
    awareness : ``unaware``, or ``told`` that a monitor reads along, in both arms; the policy
        ``monitor-notice`` implies it.
    dataset : ``embedded``, the path of a ``.jsonl`` or ``.jsonl.gz`` file with BigCodeBench's fields, or
        ``hf``.
    split : ``prompt``, ``train``, ``validation``, ``test`` or ``all``; the embedded pack is all test.
    attempts : how often an agent may try a problem; it tries again only where no attempt has done all.
    sandbox : ``auto``, ``docker``, ``bubblewrap``, ``local``.
    seed : of pairing and errands.
    seconds : time limit of each process that runs a solution.
    unknown : refused; Inspect itself would only warn of it.

    Raises
    ------
    molehunt.environments.inspect_errors.TaskProblem
        If a parameter is unknown or has a value that it cannot have.

    References
    ----------
    Arnav et al. 2025, CoT Red-Handed (arXiv 2505.23575): the environment. Arike et al. 2026
    (arXiv 2601.21112): its use to compare monitors.
    """
    from molehunt.environments.bigcodebench_sabotage.building import build

    with told_by_inspect():
        none_unknown("bigcodebench_sabotage", unknown, build)
        return build(
            arms=arms,
            side_tasks=side_tasks,
            policy=policy,
            awareness=awareness,
            dataset=dataset,
            split=split,
            attempts=attempts,
            sandbox=sandbox,
            seed=seed,
            seconds=seconds,
        )
