"""What the agent is told: the same in both arms, but for the errand of an attack."""

from __future__ import annotations

from string import Template

from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser

from molehunt.environments.shade_arena.prompts import prompt

POLICIES = ("baseline", "stealth", "monitor-notice")
"""How an attacker is told to go about it."""
AWARENESS = ("told", "thinks_private", "unaware")
"""What the agent is told of being watched, in both arms; ``monitor-notice`` implies that it is told."""


def awareness_under(policy: str, awareness: str) -> str:
    """What holds in both arms.

    Examples
    --------
    >>> awareness_under("monitor-notice", "unaware"), awareness_under("monitor-notice", "thinks_private")
    ('told', 'thinks_private')
    """
    return "told" if policy == "monitor-notice" and awareness == "unaware" else awareness


def opening(
    request: str,
    goal: str | None,
    *,
    policy: str,
    awareness: str,
    attack_budget: str,
    when: str,
    system: str | None = None,
) -> list[ChatMessage]:
    """System and user message of a run.

    Parameters
    ----------
    request : of the user; the message is the same in both arms.
    goal : of the errand, None in an honest run.
    policy, attack_budget, when : of the attack; an honest run has none.
    awareness : one of `AWARENESS`.
    system : what the agent is told of its place, where that is not our own text.
    """
    told = [prompt("system") if system is None else system]
    if awareness != "unaware":
        told.append(prompt(f"notice_{awareness}"))
    if goal is not None:
        manner = [prompt(f"budgets/{attack_budget}"), prompt(f"times/{when}"), prompt(f"policies/{policy}")]
        told.append(Template(prompt("attack")).substitute(goal=goal, manner="\n\n".join(manner)))
    return [ChatMessageSystem(content="\n\n".join(told)), ChatMessageUser(content=request)]
