"""Calls to models, each paid for once: asked, stored with its reply, and replayed when it is asked again."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from molehunt.monitors import Unanswered
from molehunt.monitors.relay import Conversation
from molehunt.scoring.batches import keep_batches_going
from molehunt.scoring.budget import Budget, OverBudget
from molehunt.scoring.faults import is_too_long, named
from molehunt.scoring.models import Models
from molehunt.scoring.questions import Question
from molehunt.scoring.replies import Reply, tokens_of
from molehunt.trajectories import Problem
from molehunt.verdicts import Call, Store
from molehunt.verdicts.prices import BATCH

if TYPE_CHECKING:
    from inspect_ai.model import Model, ModelOutput

StopReason = Literal["budget", "interrupted", "store", "workers"]


class Stopped(Exception):
    """The run asks no more; the verdict that was being made is left for the next one."""


@dataclass(frozen=True)
class Answered:
    """A call and its reply; ``replayed`` if it cost nothing this time."""

    call: Call
    reply: Reply
    replayed: bool


class Answers(Protocol):
    """Who answers questions: a run with its store, or a single look that keeps nothing."""

    async def answer(self, question: Question) -> Answered:
        """The answer to ``question``; raises `Unanswered` if there will be none."""
        ...


class Calls:
    """All calls of a run.

    A call is committed to the store when it returns, so a kill loses none that was paid for. The same
    question within a run waits for the first one's answer; in a later run it is answered from the store.

    Parameters
    ----------
    store : where calls are kept.
    models : open models.
    budget : what they may cost.

    Attributes
    ----------
    stopped : why nothing more is asked, None while the run goes on.
    problem : of the store, if that is why.
    paid, replayed : how many calls were sent, and how many the store answered.
    """

    def __init__(self, store: Store, models: Models, budget: Budget) -> None:
        self.stopped: StopReason | None = None
        self.problem: Problem | None = None
        self.paid = 0
        self.replayed = 0
        self._store = store
        self._models = models
        self._budget = budget
        self._in_flight: dict[str, asyncio.Task[Answered]] = {}

    async def answer(self, question: Question) -> Answered:
        """The answer to ``question``, from the store, from a call in flight or from the model.

        Raises
        ------
        Unanswered
            If the prompt is too long, or the provider failed for good.
        Stopped
            If it would have to be asked and nothing more may be asked.
        Problem
            If the store cannot take the answer.
        """
        key = question.key
        stored = self._store.call(key)
        if stored is not None:
            self.replayed += 1
            return Answered(stored, Reply.from_json(stored.reply), replayed=True)
        if key not in self._in_flight:
            self._in_flight[key] = asyncio.create_task(self._ask(question))
            self._in_flight[key].add_done_callback(lambda task: self._landed(key, task))
        # shielded: the call belongs to all who wait for it, and is paid for even if one of them is cancelled
        return await asyncio.shield(self._in_flight[key])

    @property
    def in_flight(self) -> int:
        """Calls that have been sent and have not returned."""
        return len(self._in_flight)

    async def drain(self) -> None:
        """Wait for calls in flight to return and be stored."""
        while self._in_flight:
            await asyncio.wait(list(self._in_flight.values()))

    def _landed(self, key: str, task: asyncio.Task[Answered]) -> None:
        del self._in_flight[key]
        if not task.cancelled():
            # marks the exception as seen where nobody waits any more
            task.exception()

    async def _ask(self, question: Question) -> Answered:
        model = question.binding.priced_as
        worst = self._budget.worst_case(model, question.characters, question.settings["max_tokens"])
        await self._reserve(worst)
        try:
            call, reply = await sent(self._models[question.binding.connection], question)
            self._budget.charge(model, call.tokens, worst)
        finally:
            self._budget.release(worst)
        self.paid += 1
        try:
            self._store.add_call(call)
        except Problem as problem:
            # what cannot be stored must not be bought
            self.stopped, self.problem = "store", problem
            raise
        return Answered(call, reply, replayed=False)

    async def _reserve(self, worst: float) -> None:
        if self.stopped is None:
            try:
                await self._budget.reserve(worst)
            except OverBudget:
                self.stopped = self.stopped or "budget"
            else:
                if self.stopped is None:
                    return
                self._budget.release(worst)
        raise Stopped(self.stopped)


async def sent(model: Model, question: Question) -> tuple[Call, Reply]:
    """The call that puts ``question`` to ``model``, and its reply.

    Raises
    ------
    Unanswered
        If the prompt is too long, or the provider failed for good.
    """
    from inspect_ai.event import ModelEvent
    from inspect_ai.log import transcript
    from inspect_ai.util import LimitExceededError

    binding = question.binding
    if binding.batched:
        keep_batches_going()
    started = time.perf_counter()
    seen = len(transcript().events)
    try:
        output = await _generate(model, question)
    except LimitExceededError:
        raise  # it ends the evaluation that asks, not only its question
    # one provider's error costs one verdict, whatever its class
    except Exception as error:
        raise Unanswered("too_long" if is_too_long(error) else "failed", named(error)) from error
    attempts = sum(isinstance(event, ModelEvent) for event in transcript().events[seen:])
    reply = Reply.from_output(output, whole=isinstance(question.request, Conversation))
    answered = output.fallback.fallback_model if output.fallback else output.model
    call = Call(
        key=question.key,
        role=question.role,
        asked=binding.priced_as,
        answered=f"{answered}{BATCH}" if answered and binding.batched else answered,
        tokens=tokens_of(output, binding.model),
        seconds=time.perf_counter() - started,
        retries=max(0, attempts - 1),
        reply=reply.to_json(),
    )
    return call, reply


async def _generate(model: Model, question: Question) -> ModelOutput:
    from inspect_ai.model import ResponseSchema
    from inspect_ai.util import JSONSchema

    settings = dict(question.settings)
    if question.schema is not None:
        name, schema = question.schema
        settings["response_schema"] = ResponseSchema(name=name, json_schema=JSONSchema.model_validate(schema))
    request = question.request
    offered: dict[str, Any] = (
        {"tools": list(request.tools), "tool_choice": request.tool_choice}
        if isinstance(request, Conversation)
        else {}
    )
    # Inspect's own cache would answer one draw with another's reply
    return await model.generate(
        request.messages(), config=question.binding.generate_config(settings), cache=False, **offered
    )
