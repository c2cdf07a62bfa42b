"""Any monitor on a run as it unfolds: what it would have said after every k-th step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from molehunt.monitors.digests import GrowingDigest
from molehunt.monitors.protocol import (
    Answer,
    AnswerForm,
    Ask,
    Monitor,
    Prompt,
    Score,
    Unanswered,
    monitor,
)
from molehunt.monitors.relay import Conversation, Relay
from molehunt.monitors.single_view import cot_action
from molehunt.trajectories import Growing, Problem, Trajectory
from molehunt.verdicts import Look, Verdict

if TYPE_CHECKING:
    from hashlib import _Hash

    from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput
    from inspect_ai.tool import ToolChoice, ToolInfo

T = TypeVar("T")
V = TypeVar("V")

Asked = tuple[bytes, Hashable]
"""Digest of what a question is about, and what it asks."""

Final = Literal["max", "mean", "last"]
"""What becomes of the scores of all looks, see `stepwise`."""

COT_ACTION = cot_action()


@monitor(source="prefix by prefix, see arXiv 2605.12366", each="look")
def stepwise(monitor: Monitor = COT_ACTION, every: int = 5, final: Final = "max") -> Score:
    """Looks at the run after every k-th step and at its end; the most suspicious look counts.

    Each look is the verdict of a monitor on the beginning of the run, as if nothing had followed, and stands
    in the verdict's ``trace``, from which the time to detection comes. A look that shows the monitor nothing
    new asks nothing new: equal questions of different looks are one question.

    Outside the model's own reading the work is linear in the number of steps: each step is laid out once, and
    every look's transcript begins with that of the one before, which providers' caches make cheap.

    Parameters
    ----------
    monitor : the one that judges at each look.
    every : steps from one look to the next; the last look is at the whole run, however many steps that takes.
    final : the score: ``max`` of all looks, since an online monitor raises its alarm at the first one that is
        above the threshold, their ``mean``, or the ``last`` one, which is the monitor's own.

    Looks without a score are left out of ``max`` and ``mean``, and counted in the rationale. A look that
    failed leaves the whole unscored as ``failed``, so that the next run makes it good. If no look has a
    score, or the last one of ``last`` has none, its reason is that of the last look.

    Raises
    ------
    Problem
        If ``every`` is not positive.
    """
    if every < 1:
        raise Problem(f"monitor 'stepwise' looks after every 1 or more steps, not {every}")

    async def score(trajectory: Trajectory, ask: Ask) -> Verdict:
        run, remembering = Growing(trajectory.task, trajectory.steps), Remembering(ask)
        looks: list[tuple[int, Verdict]] = []
        for length in look_points(len(run), every):
            remembering.begin_look()
            looks.append((length - 1, await _look(monitor, run.first(length), remembering)))
        return folded(looks, final)

    return score


class Remembering:
    """An `Ask`, or a `Relay`, that answers what an earlier look asked with the answer of then.

    A look that asks the same twice wants two samples and gets two, as it would without this.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        # with each form of answer, since one that is kept shares its repr with no other
        self._answers: dict[tuple[Asked, int], tuple[AnswerForm[Any] | None, Any]] = {}
        self._asked: Counter[Asked] = Counter()
        self._materials, self._conversations = GrowingDigest(), GrowingDigest()

    def begin_look(self) -> None:
        """The next questions are those of another look."""
        self._asked.clear()

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
        """See `Ask`."""
        # the transcript by itself, since it is most of the question, and most of it was in an earlier one
        rest = tuple((vars(prompt) | {"material": ""}).values())
        return await self._once(
            self._materials.of(prompt.material),
            (role, rest, repr([answer, logprobs, apart, sorted(config.items())])),
            lambda: self._ask(role, prompt, answer, logprobs=logprobs, apart=apart, **config),
            answer,
        )

    async def relay(
        self,
        role: str,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolInfo] = (),
        tool_choice: ToolChoice | None = None,
        config: GenerateConfig | None = None,
    ) -> ModelOutput:
        """See `Relay`."""
        relay = self._relay.relay
        request = Conversation(tuple(messages), tuple(tools), tool_choice)
        output = await self._once(
            self._conversations.of(request.canonical),
            repr([role, config]),
            lambda: relay(role, messages, tools=tools, tool_choice=tool_choice, config=config),
        )
        # whose it is may change it
        return output.model_copy(deep=True)

    def word(self, task: str) -> str:
        """See `Relay`."""
        return self._relay.word(task)

    @property
    def _relay(self) -> Relay:
        if not isinstance(self._ask, Relay):
            raise TypeError("a part of monitor 'stepwise' sends prompts of its own, which this Ask does not")
        return self._ask

    async def _once(
        self,
        about: _Hash,
        asked: Hashable,
        ask: Callable[[], Awaitable[V]],
        form: AnswerForm[Any] | None = None,
    ) -> V:
        # transcripts of all looks together are as long as the run is squared, so their digests are kept
        question = about.digest(), asked
        key = (question, self._asked[question])
        self._asked[question] += 1
        if key not in self._answers:
            try:
                given: V | Unanswered = await ask()
            except Unanswered as why:
                given = why
            self._answers[key] = form, given
        _, known = self._answers[key]
        if isinstance(known, Unanswered):
            raise known
        return known  # type: ignore[no-any-return]


def look_points(steps: int, every: int) -> list[int]:
    """How many steps each look sees: every k-th number, and all of them.

    Examples
    --------
    >>> look_points(12, 5), look_points(10, 5), look_points(3, 5), look_points(0, 5)
    ([5, 10, 12], [5, 10], [3], [0])
    """
    points = list(range(every, steps + 1, every))
    return points if points and points[-1] == steps else [*points, steps]


def folded(looks: list[tuple[int, Verdict]], final: Final) -> Verdict:
    """One verdict of all looks, each with the index of the last step that it saw; see `stepwise`."""
    trace = tuple(Look(max(step, 0), verdict.score, verdict.status) for step, verdict in looks)
    failed = next(((step, verdict) for step, verdict in looks if verdict.status == "failed"), None)
    scored = [(step, verdict) for step, verdict in looks if verdict.score is not None]
    last_step, last = looks[-1]
    if failed is not None or not scored or (final == "last" and last.score is None):
        step, reason = failed or (last_step, last)
        words = f"after step {step}: {reason.rationale}" if trace[0].step < step else reason.rationale
        return Verdict(None, reason.status, words, reason.excerpts, trace)
    step, chosen = (
        (last_step, last) if final == "last" else max(scored, key=lambda look: look[1].score or 0.0)
    )
    scores = [verdict.score or 0.0 for _, verdict in scored]
    value = sum(scores) / len(scores) if final == "mean" else chosen.score
    words = f"after step {step} of {last_step} ({chosen.score:.2f}): {chosen.rationale}"
    if left_out := len(looks) - len(scored):
        words = f"{left_out} of {len(looks)} looks have no score. {words[0].upper()}{words[1:]}"
    return Verdict(value, "scored", words, chosen.excerpts, trace)


async def _look(monitor: Monitor, beginning: Trajectory, ask: Ask) -> Verdict:
    try:
        return await monitor(beginning, ask)
    except Unanswered as why:
        return Verdict.unscored(why.status, why.reason)
