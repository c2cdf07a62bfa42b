"""A rehearsal: a monitor asks its questions and none is sent, to see what they are."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from molehunt.monitors import Answer, AnswerForm, AnswerMode, Prompt, Unanswered
from molehunt.monitors.relay import Conversation
from molehunt.scoring.entries import Entry
from molehunt.scoring.keys import RequestDigests
from molehunt.scoring.messages import boundary
from molehunt.scoring.questions import Ordinals, Question, question_of
from molehunt.scoring.roles import Binding
from molehunt.trajectories import Trajectory

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput
    from inspect_ai.tool import ToolChoice, ToolInfo

T = TypeVar("T")


@dataclass(frozen=True)
class Rehearsed:
    """A question of a rehearsal.

    Parameters
    ----------
    question : as it would be sent, but for what it holds of earlier answers, which is an example's.
    key : equal for questions that will be equal: of the question, and if earlier answers word it, of those
        that led to it.
    apart : whether it is one that the verdict would not rest on.
    """

    question: Question
    key: str
    apart: bool = False


class RehearsalAsk:
    """An `molehunt.monitors.Ask` that answers with the form's example and keeps the questions.

    Attributes
    ----------
    questions : in the order in which they were asked.
    """

    def __init__(
        self, models: Mapping[str, Binding], mode: AnswerMode, boundary_key: bytes, draw: int = 0
    ) -> None:
        self.questions: list[Rehearsed] = []
        self._models = models
        self._mode = mode
        self._boundary_key = boundary_key
        self._draw = draw
        self._digests = RequestDigests()
        self._ordinals = Ordinals()
        self._chain = Chain()

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
        """The example of the form ``answer``."""
        question = question_of(
            role,
            self._models[role],
            prompt,
            answer,
            self._mode,
            self._boundary_key,
            draw=self._draw,
            logprobs=logprobs,
            config=config,
            digests=self._digests,
        )
        # a transcript is what it is, excerpts and notes are what an earlier answer gave
        follows = prompt.material_name != "transcript"
        if not follows:
            question = self._ordinals.numbered(question)
        self.questions.append(Rehearsed(question, self._chain.key_of(question, follows=follows), apart))
        text, example_logprobs = answer.example(self._mode)
        return Answer(answer.read(text, self._mode, example_logprobs), text, example_logprobs)

    async def relay(
        self,
        role: str,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolInfo] = (),
        tool_choice: ToolChoice | None = None,
        config: GenerateConfig | None = None,
    ) -> ModelOutput:
        """Keep a conversation that would be passed on; nobody knows what would be answered."""
        binding = self._models[role]
        asked = {} if config is None else config.model_dump(mode="json", exclude_none=True)
        request = Conversation(tuple(messages), tuple(tools), tool_choice)
        question = Question(role, binding, request, binding.settings(asked), draw=self._draw)
        question = self._ordinals.numbered(question)
        self.questions.append(Rehearsed(question, question.key))
        raise Unanswered("failed", "a rehearsal asks no model")

    def word(self, task: str) -> str:
        """As in a run."""
        return boundary(self._boundary_key, task)


class Chain:
    """Which questions lead to which: those about the transcript to the ones that follow.

    Where another role reads the transcript, or it is read anew after questions that followed, another chain
    begins, since that is where the parts of a monitor meet. Who guesses that wrong takes equal questions for
    different ones, and plans too much rather than too little.
    """

    def __init__(self) -> None:
        self._led = ""
        self._counted: Counter[str] = Counter()
        self._role = ""
        self._follows = False

    def key_of(self, question: Question, *, follows: bool) -> str:
        """The key under which the next question is counted."""
        if not follows and (self._follows or question.role != self._role):
            self._led = ""
        key = question.key
        if follows:
            # which is equal for all that follow equal examples, however often it is asked
            key = f"{self._led} {key}"
            self._counted[key] += 1
            key = f"{key} {self._counted[key]}"
        self._led = hashlib.sha256(f"{self._led}{question.key}".encode()).hexdigest()
        self._role, self._follows = question.role, follows
        return key


async def rehearsed(
    entry: Entry, trajectory: Trajectory, boundary_key: bytes, draw: int = 0
) -> list[Rehearsed]:
    """The questions that a monitor asks about ``trajectory`` if all goes well.

    A monitor that reads a long trajectory in chunks asks as often as it would. What is asked after an answer
    that the example cannot stand for may differ, and so may the length of what one model passes on to the
    next: the examples are of the usual length, and where an answer decides how often is asked, as many.
    """
    ask = RehearsalAsk(entry.models, entry.answer, boundary_key, draw)
    try:
        await entry.monitor(trajectory, ask)
    except Unanswered:
        pass
    # a fault in somebody's monitor comes to light, and is kept, when it scores
    except Exception:  # noqa: BLE001
        pass
    return ask.questions
