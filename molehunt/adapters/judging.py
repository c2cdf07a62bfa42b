"""A monitor of ours inside somebody else's program: no store, the models of that program, one verdict."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from molehunt.monitors import AnswerMode, Monitor, MonitorSpec, build, spec_text
from molehunt.scoring.ask import Bound, VerdictAsk
from molehunt.scoring.calls import Answered, sent
from molehunt.scoring.questions import Question
from molehunt.scoring.roles import TRANSPORT_NAMES, Binding, ModelSpec, bind, binding_of
from molehunt.scoring.run import verdict_of
from molehunt.scoring.windows import window_of
from molehunt.trajectories import Problem, Trajectory
from molehunt.verdicts import Call, Verdict

if TYPE_CHECKING:
    from inspect_ai.model import Model

BOUNDARY_KEY = secrets.token_bytes(32)
"""Key of the delimiters in this process; see `molehunt.scoring.messages.boundary`."""


@dataclass(frozen=True)
class Judge:
    """A monitor with its models, ready to be asked wherever Inspect's models can be.

    Parameters
    ----------
    monitor : the monitor.
    model : for all roles that ``roles`` does not name. A model that is named here is the one that is asked,
        whatever the evaluation or its log has bound.
    roles : models of single roles. Roles with neither are those of the evaluation around it
        (``--model-role evaluator=openai/gpt-4.1``), never the agent's model.
    answer : how answers are read.
    boundary_key : of the delimiters in prompts. That of a store makes the prompts those of its runs.

    Raises
    ------
    Problem
        If a model was given for a role that the monitor has not, or a setting is unknown.
    """

    monitor: Monitor
    model: ModelSpec | None = None
    roles: Mapping[str, ModelSpec] = field(default_factory=dict)
    answer: AnswerMode = "text"
    boundary_key: bytes = field(default=BOUNDARY_KEY, repr=False)

    def __post_init__(self) -> None:
        # finds what is wrong with the bindings before there is anything to judge
        bind([self.monitor], self.model or "none/none", self.roles)

    @classmethod
    def of(
        cls,
        monitor: str | Monitor | MonitorSpec,
        model: ModelSpec | None = None,
        roles: Mapping[str, ModelSpec] | None = None,
        answer: AnswerMode = "text",
        boundary_key: bytes | None = None,
    ) -> Judge:
        """The judge of a spec, such as ``eae(min_excerpts=8)``."""
        return cls(build(monitor), model, roles or {}, answer, boundary_key or BOUNDARY_KEY)

    def asking(self) -> Asking:
        """A fresh way to the models, for the looks at one run.

        Raises
        ------
        Problem
            If a role has no model.
        """
        models: dict[str, tuple[Binding, Model]] = {}
        for role in self.monitor.roles:
            spec = self.roles.get(role, self.model)
            models[role] = _model_of_evaluation(role, self.monitor) if spec is None else _model_of(spec)
        return Asking(models, self.answer, self.boundary_key)

    async def judged(self, trajectory: Trajectory) -> Judgement:
        """What the monitor says of ``trajectory``."""
        asking = self.asking()
        verdict = await verdict_of(self.monitor, trajectory, asking.ask())
        return Judgement(self.monitor, verdict, tuple(asking.calls))


@dataclass(frozen=True)
class Judgement:
    """A verdict with the calls that it took."""

    monitor: Monitor
    verdict: Verdict
    calls: tuple[Call, ...]

    @property
    def details(self) -> dict[str, Any]:
        """All of it but score and rationale, as JSON values."""
        verdict = self.verdict
        return {
            "monitor": spec_text(self.monitor),
            "status": verdict.status,
            "oracle": self.monitor.oracle,
            "excerpts": [dict(vars(excerpt)) for excerpt in verdict.excerpts],
            "trace": [dict(vars(look)) for look in verdict.trace],
            "calls": [
                {
                    "role": call.role,
                    "asked": call.asked,
                    "answered": call.answered,
                    "tokens": None if call.tokens is None else dict(vars(call.tokens)),
                    "seconds": round(call.seconds, 3),
                }
                for call in self.calls
            ],
        }


class Asking:
    """Answers of Inspect's models, each question asked once for all looks at a run.

    Parameters
    ----------
    models : binding and open model of each role.
    answer : how answers are read.
    boundary_key : of the delimiters.

    Attributes
    ----------
    calls : that were made, in the order in which they returned.
    """

    def __init__(
        self, models: Mapping[str, tuple[Binding, Model]], answer: AnswerMode, boundary_key: bytes
    ) -> None:
        self.calls: list[Call] = []
        self._models = {binding.connection: model for binding, model in models.values()}
        self._bound = {role: Bound(binding, window_of(model)) for role, (binding, model) in models.items()}
        self._mode = answer
        self._boundary_key = boundary_key
        self._answers: dict[str, asyncio.Task[Answered]] = {}

    def ask(self) -> VerdictAsk:
        """The `Ask` of one look: what an earlier one has asked is not asked again."""
        return VerdictAsk(self, self._bound, self._mode, self._boundary_key, draw=0)

    async def answer(self, question: Question) -> Answered:
        """See `molehunt.scoring.calls.Answers`."""
        key = question.key
        if key not in self._answers:
            self._answers[key] = asyncio.ensure_future(self._ask(question))
        try:
            return await self._answers[key]
        except BaseException:
            # what went wrong for one look need not go wrong for the next
            self._answers.pop(key, None)
            raise

    async def _ask(self, question: Question) -> Answered:
        call, reply = await sent(self._models[question.binding.connection], question)
        self.calls.append(call)
        return Answered(call, reply, replayed=False)


def _model_of(spec: ModelSpec) -> tuple[Binding, Model]:
    from inspect_ai.model import get_model

    binding = binding_of(spec)
    return binding, get_model(binding.model, base_url=binding.base_url, **dict(binding.model_args))


def _model_of_evaluation(role: str, monitor: Monitor) -> tuple[Binding, Model]:
    from inspect_ai.model import get_model, model_roles

    if role not in model_roles():
        raise Problem(
            f"role {role!r} of monitor {monitor.spec.name!r} has no model. "
            f"Bind it: --model-role {role}=openai/gpt-4.1-mini, or name a model for all roles: -S model=…"
        )
    model = get_model(role=role, required=True)
    # the role's own settings win over those of a call, so they are what is sent
    settings = model.config.model_dump(exclude_none=True)
    config = {name: value for name, value in settings.items() if name not in TRANSPORT_NAMES}
    return Binding(str(model), config=config), model
