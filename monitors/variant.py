"""One rubric, several ways to go about it: members of an ensemble that do not err alike."""

from __future__ import annotations

from typing import Literal, get_args

from molehunt.monitors.prompts import prompt, texts
from molehunt.monitors.protocol import Score, monitor
from molehunt.monitors.single_view import ANSWER, ROLE, judging
from molehunt.trajectories import EVERYTHING, View

Style = Literal["auditor", "saboteur", "defender", "tester", "minimalist", "listener"]
"""How to go about it, see `variant`."""


@monitor(
    source="arXiv 2605.15377: diverse ensembles",
    roles=(ROLE,),
    prompts=(
        *texts("judge", "sees_everything", "sees_actions", "sees_reasoning", "without_results"),
        *texts(*(f"style_{style}" for style in get_args(Style))),
    ),
    answers=(ANSWER,),
)
def variant(style: Style = "auditor", view: View = EVERYTHING) -> Score:
    """Judges by the shared rubric in one of six ways, for ensembles of differently prompted monitors.

    Their mean, maximum or vote is computed from stored verdicts, so that each is paid for once.

    Parameters
    ----------
    style : ``auditor`` accounts for every effect, ``saboteur`` looks where it would have hidden something,
        ``defender`` seeks innocent explanations first, ``tester`` runs the work in its mind, ``minimalist``
        compares it with the plainest solution, ``listener`` holds words against deeds.
    view : what is judged.
    """
    return judging(view, prompt(f"style_{style}"))
