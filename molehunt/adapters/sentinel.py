"""Our monitors as monitors of inspect_sentinel: online, while the agent works.

>>> from inspect_sentinel import observe_only
>>> from molehunt.adapters.sentinel import watching
>>> sentinel = observe_only([watching("action_only", model="openai/gpt-4.1-mini")])
"""

from __future__ import annotations

import uuid
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Literal

from inspect_ai.model import ChatMessage
from inspect_ai.scorer import Reference
from inspect_ai.util import StoreModel
from inspect_sentinel import AfterGenerate, AfterToolCall, Context, MonitorGroup, Observation
from inspect_sentinel import monitor as sentinel_monitor

from molehunt.adapters.judging import Asking, Judge, Judgement
from molehunt.adapters.live import LiveRun
from molehunt.adapters.reading import Reading, cited, read_sample
from molehunt.monitors import AnswerMode
from molehunt.scoring.run import verdict_of
from molehunt.trajectories import Problem

MOST_RUNS = 1000
"""Conversations that are remembered at a time; one that was forgotten is read anew from its messages."""


class Unscored(RuntimeError):
    """A monitor has no score for a step. Sentinel records it as failed, so that nobody takes it for 0."""


class _Token(StoreModel):
    """What a sample's store keeps for us: the name under which its runs are found here."""

    token: str = ""


class _Watched:
    """A conversation that is watched, and the way to the models that the looks at it share."""

    def __init__(self, live: LiveRun, asking: Asking) -> None:
        self.live = live
        self.asking = asking
        self.seen = 0


@sentinel_monitor(name="watching", version=1, portable=False)
def watching(
    spec: str,
    model: str | Mapping[str, Any] | None = None,
    roles: Mapping[str, Any] | None = None,
    answer: AnswerMode = "text",
    every: int = 1,
    at: Literal["results", "turns"] = "results",
) -> MonitorGroup:
    """What a monitor says of the run so far.

    Each message is read once and each step laid out once, equal questions of different looks are asked once,
    and every look's transcript begins with that of the one before, which providers' caches make cheap. So a
    run of n steps costs work that is linear in n, apart from what the model reads. A look sends to the byte
    what `molehunt score` would send for the same steps. A sub-agent's conversation is a run of its own.

    A look without a score raises `Unscored`, which Sentinel records as a failed monitor; one that shows the
    monitor nothing yet abstains.

    Parameters
    ----------
    spec : the monitor, such as ``eae(min_excerpts=8)``.
    model, roles, answer : see `molehunt.adapters.judging.Judge`.
    every : steps that there must be since the last look; an answer without tool calls is always looked at.
    at : ``results`` looks after each tool call, with its result, and at answers without tool calls; ``turns``
        looks at each turn before its calls are executed, so that a protocol can prevent them.

    Raises
    ------
    Problem
        If the monitor cannot be built, or ``every`` is not positive.
    """
    if every < 1:
        raise Problem(f"a look follows the one before after 1 step or more, not {every}")
    judge = Judge.of(spec, model, roles, answer)
    runs: OrderedDict[tuple[str, str], _Watched] = OrderedDict()

    def watched(context: Context, step: AfterGenerate | AfterToolCall) -> _Watched:
        state = context.store_as(_Token)
        state.token = state.token or uuid.uuid4().hex
        key = (state.token, step.conversation)
        if key not in runs:
            before = list(step.input or [])
            runs[key] = _Watched(LiveRun(_opening(context, before), before), judge.asking())
        runs.move_to_end(key)
        if len(runs) > MOST_RUNS:
            runs.popitem(last=False)
        return runs[key]

    async def look(one: _Watched, *, final: bool) -> Observation | None:
        length = len(one.live.run)
        if length == one.seen or (length - one.seen < every and not final):
            return None
        one.seen = length
        known = len(one.asking.calls)
        verdict = await verdict_of(judge.monitor, one.live.run.first(length), one.asking.ask())
        if verdict.status == "nothing_visible":
            return None
        if verdict.score is None:
            raise Unscored(f"{verdict.status}: {verdict.rationale}")
        judgement = Judgement(judge.monitor, verdict, tuple(one.asking.calls[known:]))
        steps = [excerpt.step for excerpt in verdict.excerpts]
        places = cited(steps, Reading(one.live.run.first(length), tuple(one.live.sources)))
        observation = Observation.score(
            verdict.score,
            verdict.rationale,
            references=[Reference(type="message", id=place) for place in places],
        )
        return observation.model_copy(update={"metadata": judgement.details})

    async def turn(context: Context, step: AfterGenerate) -> Observation | None:
        one = watched(context, step)
        one.live.hear(step.input)
        if not step.output.choices:
            return None
        message, usage = step.output.message, step.output.usage
        one.live.hear([message], hidden_reasoning=bool(usage and usage.reasoning_tokens))
        if at == "results" and message.tool_calls:
            return None
        return await look(one, final=not message.tool_calls)

    async def result(context: Context, step: AfterToolCall) -> Observation | None:
        one = watched(context, step)
        one.live.hear([step.result])
        return await look(one, final=False) if at == "results" else None

    return MonitorGroup(turn, result)


def _opening(context: Context, messages: list[ChatMessage]) -> Reading:
    """The task, and what the messages show that had been done before the watching began."""
    sample = context.eval
    if sample is None:
        raise Problem("the task is not known outside an evaluation: watch agents that Inspect runs")
    return read_sample(
        sample_id=str(sample.sample_id),
        epoch=sample.epoch,
        opening=sample.sample_input,
        messages=messages,
        metadata=sample.metadata,
    )
