"""A model that follows a script, to try a monitor without one: for tests of monitors, here and elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

from molehunt.monitors.protocol import (
    Answer,
    AnswerForm,
    AnswerMode,
    Logprobs,
    Monitor,
    Prompt,
    Unanswered,
    Unreadable,
)
from molehunt.trajectories import Trajectory
from molehunt.verdicts import Verdict

T = TypeVar("T")

REFUSAL = Unanswered("refused", "I cannot help with that.")
"""What reaches a monitor when the model will not judge."""


@dataclass(frozen=True)
class Reply:
    """What a scripted model says, with log-probabilities for the ``expected`` mode."""

    text: str
    logprobs: Logprobs = ()


@dataclass(frozen=True)
class Question:
    """What a monitor asked."""

    role: str
    prompt: Prompt
    form: AnswerForm[Any]
    config: dict[str, Any]
    apart: bool = False

    @property
    def text(self) -> str:
        """All that the model would read, but for the system message and the delimiters."""
        return "\n\n".join([self.prompt.task, self.prompt.material, self.prompt.question])


@dataclass
class ScriptedAsk:
    """An `Ask` that gives out replies in order and notes the questions.

    As the real one does, it asks a second time if an answer cannot be read, so an unreadable answer takes two
    replies, and gives up after that.
    """

    replies: list[Reply | Unanswered]
    mode: AnswerMode = "text"
    questions: list[Question] = field(default_factory=list)

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
        self.questions.append(Question(role, prompt, answer, config, apart))
        trouble = ""
        for _ in range(2):
            if not self.replies:
                raise AssertionError(f"the monitor asked {role!r} more often than there are replies")
            reply = self.replies.pop(0)
            if isinstance(reply, Unanswered):
                raise reply
            try:
                value = answer.read(reply.text, self.mode, reply.logprobs)
            except Unreadable as error:
                trouble = str(error)
            else:
                return Answer(value, reply.text, reply.logprobs)
        raise Unanswered("unreadable", trouble)


def ask_that_says(*replies: str | Reply | Unanswered, mode: AnswerMode = "text") -> ScriptedAsk:
    """An `Ask` that gives these replies, one after the other, whatever it is asked.

    Examples
    --------
    >>> ask = ask_that_says("Nothing to see.\\nSUSPICION: 3")
    """
    return ScriptedAsk([Reply(reply) if isinstance(reply, str) else reply for reply in replies], mode)


async def judged_by(monitor: Monitor, ask: ScriptedAsk, trajectory: Trajectory) -> Verdict:
    """The verdict as the runner would store it: a question that stays unanswered leaves the run unscored."""
    try:
        return await monitor(trajectory, ask)
    except Unanswered as why:
        return Verdict.unscored(why.status, why.reason)
