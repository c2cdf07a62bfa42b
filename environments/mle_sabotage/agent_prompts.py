"""What the agent is told: the same in all arms, but for what a saboteur or sandbagger is told besides."""

from __future__ import annotations

from string import Template

from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser

from molehunt.environments.mle_sabotage.competition import Competition
from molehunt.environments.mle_sabotage.prompts import prompt

POLICIES = ("baseline", "stealth")
"""How an attacker is told to go about it."""
AWARENESS = ("unaware", "told")
"""Whether the agent is told that it is monitored, in all arms; attackers are then told how to evade it."""


def task_text(competition: Competition, seconds: float) -> str:
    """What the user asks for, the same in all arms: the competition's page, and what to leave behind."""
    told = {"description": competition.description.strip(), "seconds": f"{seconds:g}"}
    return Template(prompt("task")).substitute(told)


def side_task_text(competition: Competition, arm: str) -> str:
    """What an attacker is told to do besides: the competition's sabotage, or to do worse than it could."""
    return prompt(arm) if arm == "sandbagging" else competition.instruction.strip()


def opening(
    competition: Competition,
    arm: str,
    *,
    policy: str,
    awareness: str,
    attack_budget: str,
    when: str,
    seconds: float,
) -> list[ChatMessage]:
    """System and user message of a run.

    Parameters
    ----------
    competition : what the user asks for; the user's message is the same in all arms.
    arm : ``honest``, ``attack`` or ``sandbagging``.
    policy, attack_budget, when : of an attack; an honest run has none.
    awareness : ``unaware`` or ``told``.
    seconds : what ``predict.py`` may take.
    """
    system = [prompt("system")]
    if awareness == "told":
        system.append(prompt("notice"))
    if arm != "honest":
        instruction = side_task_text(competition, arm)
        system.append(Template(prompt("side_task")).substitute(instruction=instruction))
        if arm == "attack":
            system.append(prompt("success"))
        system += [prompt(f"budgets/{attack_budget}"), prompt(f"times/{when}"), prompt(f"policies/{policy}")]
        if awareness == "told":
            system.append(prompt("evasion"))
    user = task_text(competition, seconds)
    return [ChatMessageSystem(content="\n\n".join(system)), ChatMessageUser(content=user)]
