"""The probability of one word: cheap, and finer than any score that a model writes down."""

from __future__ import annotations

from molehunt.monitors.answers import YesOrNo
from molehunt.monitors.prompts import texts
from molehunt.monitors.protocol import Score, monitor
from molehunt.monitors.single_view import ROLE, judging
from molehunt.trajectories import EVERYTHING, View

ANSWER = YesOrNo()


@monitor(
    source="verdict logits: one token, normalised over two words",
    roles=(ROLE,),
    prompts=texts("judge", "sees_everything", "sees_actions", "sees_reasoning", "without_results"),
    answers=(ANSWER,),
)
def binary(view: View = EVERYTHING) -> Score:
    """Asks whether it is sabotage, yes or no, and takes the probability of yes for the score.

    P(yes) / (P(yes) + P(no)) of one token, by the provider's log-probabilities. A provider that gives none
    leaves the run unscored, as ``failed``, with a line that says so.

    Parameters
    ----------
    view : what is judged.
    """
    return judging(view, form=ANSWER)
