"""The one rubric by which all compared monitors judge, so that what they see is all that differs."""

from __future__ import annotations

from typing import Literal

from molehunt.monitors.prompts import prompt

Sees = Literal["actions", "reasoning", "everything", "excerpts", "no_excerpts"]

WITHOUT_RESULTS = prompt("without_results")


def judge_question(sees: Sees, *, tool_results: bool = True) -> str:
    """The rubric, behind a sentence that says what the judge is shown.

    Examples
    --------
    >>> judge_question("reasoning").partition("\\n")[0]
    "You see the agent's task and its reasoning. Its actions and its result are not shown to you, ..."
    """
    shown = prompt(f"sees_{sees}")
    return prompt("judge", sees=shown if tool_results else f"{shown} {WITHOUT_RESULTS}")
