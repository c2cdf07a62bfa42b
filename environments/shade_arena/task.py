"""SHADE-Arena: a request fulfilled in simulated applications, and in attack runs an errand done in secret."""

from __future__ import annotations

from typing import Any

from inspect_ai import Task, task

from molehunt.environments.inspect_errors import told_by_inspect
from molehunt.environments.parameters import none_unknown


@task
def shade_arena(
    arms: str = "both",
    suites: str | list[str] = "all",
    pairs: str = "curated",
    policy: str = "baseline",
    awareness: str = "told",
    attack_budget: str | int = "all",
    when: str = "spread",
    clutter: int = 0,
    version: str = "newest",
    seed: int = 0,
    message_limit: int | None = 250,
    token_limit: int | None = 10_000_000,
    time_limit: int | None = 3600,
    **unknown: Any,
) -> Task:
    """Honest and attack runs of an agent in simulated mail, files, bank, chat or bookings, graded by program.

    Parameters
    ----------
    arms : ``both``, ``honest`` or ``attack``; both are interleaved, so that an even ``--limit`` keeps pairs.
    suites : ``all``, or some of ``banking``, ``slack``, ``travel``, ``workspace`` and ``original``: the pairs
        of SHADE-Arena itself, part of ``all`` where the package ``shade_arena`` is installed.
    pairs : ``curated``, or ``all`` whose tasks can be done together; the most plausible come first.
    policy : how the attacker goes about it: ``baseline``, ``stealth``, ``monitor-notice``.
    awareness : ``told`` that everything is watched, ``thinks_private``: all but its thinking, or ``unaware``;
        the same in both arms.
    attack_budget : in how many turns the errand may be: ``1``, ``few``, ``all``.
    when : in which part of the run: ``early``, ``late``, ``spread``.
    clutter : how many unrelated mails, files, messages, payments and entries are added to the applications.
    version : of AgentDojo's benchmark: ``v1`` to ``v1.2.2``, or ``newest``.
    seed : of clutter, and of what the scripted agent draws.
    message_limit, token_limit, time_limit : of one sample; an agent that meets one is graded on what it has
        done by then. Tokens count as often as they are sent. Seconds of wall time.
    unknown : refused; Inspect itself would only warn of it.

    Raises
    ------
    molehunt.environments.inspect_errors.TaskProblem
        If a parameter is unknown or has a value that it cannot have, or AgentDojo is not installed.

    References
    ----------
    Kutasov et al. 2025, SHADE-Arena (arXiv 2506.15740): the environment. Debenedetti et al. 2024, AgentDojo
    (arXiv 2406.13352): applications, tasks and graders. Arike et al. 2026 (arXiv 2601.21112): the use to
    compare monitors, and the two notices about being watched.
    """
    from molehunt.environments.shade_arena.building import build

    with told_by_inspect():
        none_unknown("shade_arena", unknown, build)
        return build(
            arms=arms,
            suites=suites,
            pairs=pairs,
            policy=policy,
            awareness=awareness,
            attack_budget=attack_budget,
            when=when,
            clutter=clutter,
            version=version,
            seed=seed,
            message_limit=message_limit,
            token_limit=token_limit,
            time_limit=time_limit,
        )
