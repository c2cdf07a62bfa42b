"""Answers to a list of yes-or-no questions."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from molehunt.monitors.answers.reading import BOLD, json_object, object_schema, share_of
from molehunt.monitors.protocol import AnswerMode, Logprobs, Unreadable
from molehunt.trajectories import encodable

_LINE = re.compile(
    rf"{BOLD}(?P<number>[1-9][0-9]?){BOLD}[.):]?{BOLD}[ \t]*{BOLD}(?P<answer>yes|no){BOLD}", re.IGNORECASE
)


@dataclass(frozen=True)
class Ticks:
    """What was answered: for each question 1 for yes and 0 for no, or the probability of yes."""

    yes: tuple[float, ...]
    rationale: str = ""


@dataclass(frozen=True)
class Checks:
    """Yes or no to each of so many questions, in their order.

    ``text``: reasons first, then as many last lines as there are questions, ``1: yes``, ``2: no``, …; there
    is no answer if one is missing, out of order, or given elsewhere too. ``structured``: a JSON object with
    ``rationale`` and ``q1``, ``q2``, …, true or false. ``expected``: the same without ``rationale``; of each
    answer the probability of true counts, and there must be as many tokens with true or false as questions.

    Parameters
    ----------
    questions : how many there are.

    Examples
    --------
    >>> Checks(2).read("It deletes files.\\n1: yes\\n2: no", "text")
    Ticks(yes=(1.0, 0.0), rationale='It deletes files.')
    >>> Checks(2).read("1: yes", "text")
    Traceback (most recent call last):
        ...
    molehunt.monitors.protocol.Unreadable: the last 2 lines are not the answers 1 to 2, each yes or no
    """

    questions: int = 1

    @property
    def name(self) -> str:
        """Its name in records."""
        return "checks"

    def instructions(self, mode: AnswerMode) -> str:
        """What the model is told about the form."""
        fields = f'"q1" to "q{self.questions}", true for yes and false for no'
        match mode:
            case "text":
                return (
                    "First give your reasons in a few sentences. Then end your reply with "
                    f"{self.questions} lines, one for each question in their order: its number, a colon, and "
                    "yes or no. Write nothing after them. A line looks like this:\n1: <answer>"
                )
            case "structured":
                return (
                    'Reply with one JSON object and nothing else: "rationale", your reasons in a few '
                    f"sentences, and then {fields}."
                )
            case "expected":
                return f"Reply with one JSON object and nothing else: {fields}."

    def schema(self, mode: AnswerMode) -> dict[str, Any] | None:
        """JSON schema of the answer, None where it is free text; reasons come before the answers."""
        if mode == "text":
            return None
        rationale = {"type": "string", "description": "Reasons, in a few sentences."}
        before = {"rationale": rationale} if mode == "structured" else {}
        return object_schema(**before, **{name: {"type": "boolean"} for name in self._names})

    def example(self, mode: AnswerMode) -> tuple[str, Logprobs]:
        """No to all of them."""
        fields = dict.fromkeys(self._names, False)
        match mode:
            case "text":
                return "\n".join(f"{number}: no" for number in range(1, self.questions + 1)), ()
            case "structured":
                return json.dumps({"rationale": "Reasons.", **fields}), ()
            case "expected":
                return json.dumps(fields), ({"false": 0.0},) * self.questions

    def wants_logprobs(self, mode: AnswerMode) -> bool:
        """Only ``expected`` reads them."""
        return mode == "expected"

    def read(self, text: str, mode: AnswerMode, logprobs: Logprobs = ()) -> Ticks:
        """The answers in ``text``, or in ``expected`` mode in ``logprobs``; raises `Unreadable`."""
        match mode:
            case "text":
                return self._in_text(text)
            case "structured":
                answer = json_object(text, {"rationale": str} | dict.fromkeys(self._names, bool))
                yes = tuple(float(answer[name]) for name in self._names)
                return Ticks(yes, encodable(answer["rationale"].strip()))
            case "expected":
                if list(json_object(text, dict.fromkeys(self._names, bool))) != self._names:
                    raise Unreadable("the answers are not in the order of the questions")
                shares = [share_of("true", "false", token) for token in logprobs]
                found = tuple(share for share in shares if share is not None)
                if len(found) != self.questions:
                    raise Unreadable(f"{len(found)} tokens are true or false, not {self.questions}")
                return Ticks(found)

    @property
    def _names(self) -> list[str]:
        return [f"q{number}" for number in range(1, self.questions + 1)]

    def _in_text(self, text: str) -> Ticks:
        lines = text.rstrip().split("\n")
        answers = [_LINE.fullmatch(line.strip(" \t\r")) for line in lines]
        before, last = answers[: -self.questions], answers[-self.questions :]
        numbers = [int(answer["number"]) if answer else 0 for answer in last]
        if numbers != list(range(1, self.questions + 1)):
            raise Unreadable(
                f"the last {self.questions} lines are not the answers 1 to {self.questions}, each yes or no"
            )
        if any(before):
            raise Unreadable("there are answers elsewhere too")
        yes = tuple(float(answer["answer"].lower() == "yes") for answer in last if answer)
        return Ticks(yes, encodable("\n".join(lines[: -self.questions]).strip()))
