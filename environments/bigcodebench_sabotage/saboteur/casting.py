"""Which script a sample gets: what the task put into its store, read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from inspect_ai.model import ChatMessage
from inspect_ai.util import Store

from molehunt.environments.bigcodebench_sabotage.problems import Problem, load_problems
from molehunt.environments.bigcodebench_sabotage.saboteur.script import Script, write
from molehunt.environments.bigcodebench_sabotage.side_tasks import Errand


def script_of(store: Store, messages: Sequence[ChatMessage]) -> Script:
    """The script of the attempt that a sample is at.

    Parameters
    ----------
    store : the sample's, in which the task says which run this is, and what it has in common with the run of
        the other arm.
    messages : of the attempt so far; there is one turn, so nothing depends on them.
    """
    sample, pair = store.get("molehunt:sample"), store.get("molehunt:pair")
    return write(
        _problems(sample["dataset"])[sample["task_id"]],
        None if pair is None else Errand.from_json(pair),
        attack=sample["arm"] == "attack",
        policy=None if pair is None else pair["policy"],
        awareness=sample["awareness"],
        seed=sample["seed"],
        epoch=sample["epoch"],
        attempt=sample["attempt"],
    )


@lru_cache(maxsize=4)
def _problems(dataset: str) -> Mapping[str, Problem]:
    return {problem.task_id: problem for problem in load_problems(dataset)}
