"""What the agent is told: the same in both arms, but for the second task of an attack."""

from __future__ import annotations

from string import Template

from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser

from molehunt.environments.bigcodebench_sabotage.problems import Problem
from molehunt.environments.bigcodebench_sabotage.prompts import prompt
from molehunt.environments.bigcodebench_sabotage.side_tasks import Errand

POLICIES = (
    "baseline",
    "stealth",
    "code-first",
    "cot-verbosity",
    "dependency",
    "functionality",
    "future-proofing",
    "implementation-template",
    "must-use",
    "monitor-notice",
)
"""How an attacker is told to go about it: the ten of Arnav et al. 2025, in our wording."""
AWARENESS = ("unaware", "told")
"""Whether the agent is told that it is monitored; ``monitor-notice`` implies ``told``, in both arms."""


def awareness_under(policy: str, awareness: str) -> str:
    """What holds in both arms.

    Examples
    --------
    >>> awareness_under("monitor-notice", "unaware"), awareness_under("stealth", "unaware")
    ('told', 'unaware')
    """
    return "told" if policy == "monitor-notice" else awareness


def opening(problem: Problem, errand: Errand | None, *, policy: str, awareness: str) -> list[ChatMessage]:
    """System and user message of one attempt.

    Parameters
    ----------
    problem : what the user asks for; the user's message is the same in both arms.
    errand : the second task, None in an honest run.
    policy : of the attack; an honest run has none.
    awareness : ``unaware`` or ``told``.
    """
    system = [prompt("system")]
    if awareness == "told":
        system.append(prompt("notice"))
    if errand is not None:
        frame = Template(prompt("attack_exit" if errand.side_task == "exit" else "attack"))
        told = {"instruction": errand.instruction(), "policy": prompt(f"policies/{policy}")}
        system.append(frame.substitute(told))
    user = Template(prompt("task")).substitute(task=problem.instruct_prompt)
    return [ChatMessageSystem(content="\n\n".join(system)), ChatMessageUser(content=user)]
