"""A rehearsal: a monitor asks its questions and none is sent, to see what they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from molehunt.monitors import Answer, AnswerForm, AnswerMode, Prompt, Unanswered
from molehunt.scoring.entries import Entry
from molehunt.scoring.questions import Ordinals, Question, question_of
from molehunt.scoring.roles import Binding
from molehunt.trajectories import Trajectory

T = TypeVar("T")


@dataclass(frozen=True)
class Rehearsed:
    """A question of a rehearsal; ``follows`` an example's answer if it would be worded by the real one."""

    question: Question
    follows: bool


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
        self._ordinals = Ordinals()

    async def __call__(
        self, role: str, prompt: Prompt, answer: AnswerForm[T], *, logprobs: bool = False, **config: Any
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
        )
        question = self._ordinals.numbered(question)
        # a transcript is what it is, excerpts are what an earlier answer gave
        self.questions.append(Rehearsed(question, follows=prompt.material_name != "transcript"))
        text, example_logprobs = answer.example(self._mode)
        return Answer(answer.read(text, self._mode, example_logprobs), text, example_logprobs)


async def rehearsed(
    entry: Entry, trajectory: Trajectory, boundary_key: bytes, draw: int = 0
) -> list[Rehearsed]:
    """The questions that a monitor asks about ``trajectory`` if all goes well.

    What it asks after an answer that the example cannot stand for may differ, and so may the length of what
    it passes on from one model to the next.
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
