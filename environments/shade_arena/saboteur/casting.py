"""Which turn comes next in a sample: what the task put into its store, read back."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.model import ChatMessage
from inspect_ai.util import Store

from molehunt.environments.inspect_errors import TaskProblem
from molehunt.environments.playing import Part, Turn, play
from molehunt.environments.scripted import PAIR, SAMPLE
from molehunt.environments.shade_arena.pairing import Pair
from molehunt.environments.shade_arena.saboteur.plan import plan
from molehunt.environments.shade_arena.samples import ORIGINAL
from molehunt.environments.shade_arena.scenes import AgentDojoScene


def script_of(store: Store, messages: Sequence[ChatMessage]) -> Turn:
    """The next turn of the run that a sample is.

    Parameters
    ----------
    store : the sample's, in which the task says which run this is, and what it has in common with the run of
        the other arm.
    messages : the conversation so far.
    """
    sample, pair = store.get(SAMPLE), store.get(PAIR)
    part = Part.of(sample, pair)
    if part.dataset == ORIGINAL:
        raise TaskProblem(
            "scripted/saboteur has not learnt SHADE-Arena's own pairs: use it with AgentDojo's suites, and "
            "another model here"
        )
    suite, _, user_task = part.task_id.partition(":")
    known = Pair(suite, user_task, str(part.side_task).partition(":")[2])
    scene = AgentDojoScene(known, sample["version"], sample["clutter"], sample["seed"])
    return play(plan(part, scene), messages)
