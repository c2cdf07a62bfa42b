"""Which turn comes next in a sample: what the task put into its store, read back."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.model import ChatMessage
from inspect_ai.util import Store

from molehunt.environments.mle_sabotage.saboteur.plan import plan
from molehunt.environments.playing import Part, Turn, play


def script_of(store: Store, messages: Sequence[ChatMessage]) -> Turn:
    """The next turn of the run that a sample is.

    Parameters
    ----------
    store : the sample's, in which the task says which run this is, and what it has in common with the run of
        the other arm.
    messages : the conversation so far.
    """
    return play(plan(Part.of(store.get("molehunt:sample"), store.get("molehunt:pair"))), messages)
