"""The one way from a monitor to a model: lay out the question, get it answered, read the answer."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from molehunt.monitors import Answer, AnswerForm, AnswerMode, Prompt, Unanswered, Unreadable
from molehunt.monitors.relay import Conversation
from molehunt.scoring.answered import is_model
from molehunt.scoring.calls import Answered, Answers, Stopped
from molehunt.scoring.keys import RequestDigests
from molehunt.scoring.messages import boundary
from molehunt.scoring.patience import Patience
from molehunt.scoring.questions import Ordinals, Question, question_of
from molehunt.scoring.roles import Binding
from molehunt.scoring.windows import cannot_fit
from molehunt.verdicts.prices import BATCH

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput
    from inspect_ai.tool import ToolChoice, ToolInfo

T = TypeVar("T")


@dataclass(frozen=True)
class Bound:
    """A role's model as a monitor may ask it: its binding and the tokens it can read, where known."""

    binding: Binding
    window: int | None = None


class VerdictAsk:
    """The `molehunt.monitors.Ask` of one verdict; it keeps the keys of the calls that the verdict rests on.

    An answer that cannot be read is followed by one reminder of the form, in the same conversation, so that
    the model can keep its reasons and put right their form. A refusal is not asked again: a provider that
    marks one has decided. What can be read is an answer, however it ended.

    Parameters
    ----------
    calls : who answers, such as the calls of a run.
    models : model of each role that the monitor declared.
    mode : how answers are read.
    boundary_key : the store's.
    draw : which of the draws the verdict is.
    digests : of what was asked about the same trajectory before, if it was.

    Attributes
    ----------
    keys : of the calls that the verdict rests on, in the order in which they were made.
    replayed_seconds : how long the replayed ones took when they were made.
    apart_seconds : how long the verdict was held up by questions that it does not rest on.
    answered : model names that came back, for each model asked.
    patience : with a monitor that neither asks nor returns.
    stopped : whether a question was turned down because the run asks no more; then there is no verdict.
    """

    def __init__(
        self,
        calls: Answers,
        models: Mapping[str, Bound],
        mode: AnswerMode,
        boundary_key: bytes,
        draw: int,
        digests: RequestDigests | None = None,
    ) -> None:
        self.keys: list[str] = []
        self.replayed_seconds = 0.0
        self.apart_seconds = 0.0
        self.answered: set[tuple[str, str]] = set()
        self.patience = Patience()
        self.stopped = False
        self._calls = calls
        self._models = models
        self._mode = mode
        self._boundary_key = boundary_key
        self._draw = draw
        self._digests = digests or RequestDigests()
        self._ordinals = Ordinals()

    async def __call__(
        self,
        role: str,
        prompt: Prompt,
        answer: AnswerForm[T],
        *,
        logprobs: bool = False,
        apart: bool = False,
        **config: Any,
    ) -> Answer[T]:
        """See `molehunt.monitors.Ask`.

        Raises
        ------
        Unanswered
            If no usable answer came: ``refused``, ``unreadable``, ``too_long`` or ``failed``.
        ValueError
            If the monitor did not declare the role.
        """
        bound = self._bound(role)
        question = question_of(
            role,
            bound.binding,
            prompt,
            answer,
            self._mode,
            self._boundary_key,
            draw=self._draw,
            logprobs=logprobs,
            config=config,
            digests=self._digests,
        )
        if cannot_fit(question.characters, bound.window):
            raise Unanswered("too_long", f"{question.characters} characters do not fit {bound.window} tokens")
        first = await self._answered(question, answer, apart)
        try:
            return self._read(first, question, answer)
        except Unreadable:
            instructions = answer.instructions(self._mode)
            again = replace(question, request=question.request.after(first.reply.text, instructions))
        second = await self._answered(again, answer, apart)
        try:
            return self._read(second, again, answer)
        except Unreadable as error:
            raise Unanswered("unreadable", str(error)) from error

    async def relay(
        self,
        role: str,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolInfo] = (),
        tool_choice: ToolChoice | None = None,
        config: GenerateConfig | None = None,
    ) -> ModelOutput:
        """See `molehunt.monitors.relay.Relay`."""
        from inspect_ai.model import ModelOutput

        bound = self._bound(role)
        asked = {} if config is None else config.model_dump(mode="json", exclude_none=True)
        question = Question(
            role=role,
            binding=bound.binding,
            request=Conversation(tuple(messages), tuple(tools), tool_choice),
            settings=bound.binding.settings(asked),
            draw=self._draw,
        )
        if cannot_fit(question.characters, bound.window):
            raise Unanswered("too_long", f"{question.characters} characters do not fit {bound.window} tokens")
        answered = await self._answered(question)
        return ModelOutput.model_validate_json(answered.reply.output or "{}")

    def word(self, task: str) -> str:
        """See `molehunt.monitors.relay.Relay`."""
        return boundary(self._boundary_key, task)

    def _bound(self, role: str) -> Bound:
        bound = self._models.get(role)
        if bound is None:
            raise ValueError(f"the monitor asks a role {role!r} that it does not declare")
        return bound

    async def _answered(
        self, question: Question, answer: AnswerForm[Any] | None = None, apart: bool = False
    ) -> Answered:
        """The answer, which may be unreadable, from the right model."""
        question = self._ordinals.numbered(question)
        started = time.perf_counter()
        try:
            with self.patience.put_off():
                answered = await self._calls.answer(question)
        except Stopped:
            self.stopped = True
            raise
        finally:
            self.apart_seconds += time.perf_counter() - started if apart else 0.0
        call, reply = answered.call, answered.reply
        self.answered.add((call.asked, call.answered))
        if not apart:
            self.keys.append(call.key)
            self.replayed_seconds += call.seconds if answered.replayed else 0.0
        if not is_model(call.answered, question.binding):
            model, other = question.binding.model, call.answered.removesuffix(BATCH)
            raise Unanswered(
                "failed",
                f"asked {model}, and {other} answered. If that is the same model, "
                f"say so: --role '{question.role}={{model: {model}, answers_as: {other}}}'",
            )
        missing = question.settings.get("logprobs") and reply.logprobs is None and not reply.refused
        if answer is not None and missing:
            way_out = (
                "They are all that this monitor reads: give it another model, or leave it out"
                if answer.wants_logprobs("text")
                else "Choose another way to answer: --answer text"
            )
            raise Unanswered("failed", f"{call.asked} gives no log-probabilities. {way_out}")
        return answered

    def _read(self, answered: Answered, question: Question, answer: AnswerForm[T]) -> Answer[T]:
        """The answer's value; raises `Unreadable` if asking once more may help, else `Unanswered`."""
        reply = answered.reply
        logprobs = reply.logprobs or ()
        try:
            return Answer(answer.read(reply.text, self._mode, logprobs), reply.text, logprobs)
        except Unreadable:
            if reply.refused:
                raise Unanswered("refused", reply.text) from None
            if reply.stop == "model_length":
                raise Unanswered("too_long", reply.text) from None
            raise
