"""What a monitor is: a factory with recorded parameters, and the one way in which it may ask a model."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, ParamSpec, Protocol, TypeVar

from molehunt.monitors.parameters import Parameter, parameters_of
from molehunt.trajectories import Trajectory
from molehunt.verdicts import Status, Verdict

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

AnswerMode = Literal["text", "structured", "expected"]
"""How an answer is read, one mode for all models that are compared.

``text``: free text with the result at one fixed place, read by a strict grammar. ``structured``: JSON under a
schema. ``expected``: JSON as well, and of a score the mean over the log-probabilities of its token, where a
provider has them.
"""


Logprobs = tuple[Mapping[str, float], ...]
"""For each output token, in order, its alternatives and their log-probabilities (natural logarithm)."""


class Unreadable(ValueError):
    """An answer that does not have the form that was asked for. The message says what is missing."""


class Unanswered(Exception):
    """A question to a model that got no usable answer; becomes the verdict if a monitor lets it pass.

    Parameters
    ----------
    status : why, one of the statuses of a verdict other than ``scored``.
    reason : for people.
    """

    def __init__(self, status: Status, reason: str = "") -> None:
        super().__init__(reason or status)
        self.status: Status = status
        self.reason = reason


class AnswerForm(Protocol[T_co]):
    """A form of answer: how to ask for it and how to read it. Reading is strict: a guess is no answer."""

    @property
    def name(self) -> str: ...

    def instructions(self, mode: AnswerMode) -> str:
        """What the model is told about the form, last in the prompt."""
        ...

    def read(self, text: str, mode: AnswerMode, logprobs: Logprobs = ()) -> T_co:
        """The value that ``text`` (in ``expected`` mode: ``logprobs``) holds; raises `Unreadable`."""
        ...

    def wants_logprobs(self, mode: AnswerMode) -> bool:
        """Whether reading in this mode takes the output tokens' log-probabilities."""
        ...

    def schema(self, mode: AnswerMode) -> dict[str, Any] | None:
        """JSON schema of the answer, None where it is free text."""
        ...

    def example(self, mode: AnswerMode) -> tuple[str, Logprobs]:
        """An answer that can be read, for rehearsals that ask no model: text and log-probabilities."""
        ...


@dataclass(frozen=True)
class Prompt:
    """What a question to a model is made of, in the order that lets provider caches hit.

    The asker puts one constant system message first, then ``task`` and ``material`` between delimiters that
    no content can forge, then ``question`` and the answer form's instructions.

    Parameters
    ----------
    task : the trajectory's main task.
    material : what is to be judged: a rendering, excerpts, or notes.
    question : what to do with it; the monitor's own words, no trajectory text.
    material_name : what the delimiters call the material. A ``transcript`` is the trajectory's own; what
        ``excerpts`` and ``notes`` hold depends on earlier answers.
    """

    task: str
    material: str
    question: str
    material_name: Literal["transcript", "excerpts", "notes"] = "transcript"


@dataclass(frozen=True)
class Answer(Generic[T]):
    """A model's answer: ``value`` as the form read it and ``text`` as the model wrote it.

    ``logprobs``, if asked for, holds for each output token the log-probabilities of its alternatives.
    """

    value: T
    text: str
    logprobs: Logprobs = ()


class Ask(Protocol):
    """The only way from a monitor to a model. Raises `Unanswered` when no usable answer came.

    A question ``apart`` is one that the verdict does not rest on, such as what the score would have been
    without an excerpt: it is stored and billed, and is no part of what the verdict cost.
    """

    async def __call__(
        self,
        role: str,
        prompt: Prompt,
        answer: AnswerForm[T],
        *,
        logprobs: bool = False,
        apart: bool = False,
        **config: Any,
    ) -> Answer[T]: ...


Score = Callable[[Trajectory, Ask], Awaitable[Verdict]]


@dataclass(frozen=True)
class MonitorSpec:
    """From which a monitor can be built again, in another process or years later.

    Parameters
    ----------
    name : as registered, or ``path/to/file.py@name``.
    params : every parameter with its value, defaults included.
    version : the monitor's own, raised when its behaviour changes.
    """

    name: str
    params: Mapping[str, Any] = field(default_factory=dict, hash=False)
    version: int = 1


@dataclass(frozen=True)
class Monitor:
    """A monitor that is ready to score. Build it by calling its factory.

    Two of one factory with the same parameters are equal.

    Parameters
    ----------
    spec : see `MonitorSpec`.
    score : the async function of a trajectory and an `Ask`.
    roles : models it needs, such as ``("extractor", "evaluator")``; empty for floors.
    prompts : all texts it sends that are not from a trajectory, for its digest.
    source : paper or ``floor``.
    summary : what it is in one line.
    parts : monitors it is made of.
    answers : the forms of answer that it asks for.
    calls : questions it asks about a trajectory, for plans and prices.
    oracle : whether it, or a part of it, has seen truth; such a monitor is shown and never "best".
    factory : what built it, so that it can be found and built again.
    """

    spec: MonitorSpec
    score: Score = field(repr=False, compare=False)
    roles: tuple[str, ...]
    prompts: tuple[str, ...]
    source: str
    summary: str
    parts: tuple[Monitor, ...] = ()
    answers: tuple[AnswerForm[Any], ...] = ()
    calls: int = 0
    oracle: bool = False
    factory: Callable[..., Monitor] | None = field(default=None, repr=False)

    async def __call__(self, trajectory: Trajectory, ask: Ask) -> Verdict:
        return await self.score(trajectory, ask)


@dataclass(frozen=True)
class FactoryFacts:
    """What is known of a monitor before it is built; every factory carries it as `FACTORY_MARK`."""

    name: str
    source: str
    roles: tuple[str, ...]
    prompts: tuple[str, ...]
    answers: tuple[AnswerForm[Any], ...]
    version: int
    added: tuple[str, ...]
    calls: int
    each: str
    oracle: bool
    function: Callable[..., Score]

    @property
    def description(self) -> str:
        """The factory's docstring, without indentation."""
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """The docstring's first line."""
        return self.description.partition("\n")[0]

    @functools.cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The factory's parameters by name."""
        return parameters_of(self.function)


FACTORY_MARK = "__molehunt_monitor__"


def monitor(
    *,
    name: str | None = None,
    source: str = "",
    roles: tuple[str, ...] = (),
    prompts: tuple[str, ...] = (),
    answers: tuple[AnswerForm[Any], ...] = (),
    version: int = 1,
    added: tuple[str, ...] = (),
    calls: int | None = None,
    each: str = "trajectory",
    oracle: bool = False,
) -> Callable[[Callable[P, Score]], Callable[P, Monitor]]:
    """Make a monitor's factory out of a function that returns an async scoring function.

    The factory's parameters are recorded with their defaults, so they must be plain values (strings, numbers,
    booleans, None, lists of them), a `View`, or other monitors. Values are checked against the annotations,
    and whatever else is wrong with them is for the function to say, so that nothing is spent on a monitor
    that cannot work.

    Parameters
    ----------
    name : for the registry; the function's own by default.
    source : where the monitor comes from, a paper or ``floor``.
    roles : models it asks, in the order in which it asks them.
    prompts : the texts it sends.
    answers : the forms of answer it asks for.
    version : raise it when the monitor's behaviour changes, so that old scores are not taken for new ones.
    added : parameters that this version did not have at first, and at whose defaults it does what it did: at
        these they are no part of the monitor's identity, so that old scores stay its own.
    calls : questions it asks about a trajectory itself, those of its parts not counted; one for each role by
        default.
    each : what ``calls`` are counted for where that is not a whole trajectory, such as ``chunk``; for people.
    oracle : whether it has seen truth, as a monitor has that was trained on labels.

    Returns
    -------
    A decorator; what it returns is called with the function's parameters and gives a `Monitor`.

    Raises
    ------
    TypeError
        If ``roles``, ``prompts`` or ``added`` is one text instead of several.
    Problem
        When a monitor is built with a value that its parameter does not take.

    Examples
    --------
    >>> @monitor(source="floor")
    ... def constant(value: float = 0.5):
    ...     '''Says the same of everything.'''
    ...     async def score(trajectory, ask):
    ...         return Verdict(value)
    ...     return score
    >>> constant(value=0.1).spec
    MonitorSpec(name='constant', params={'value': 0.1}, version=1)
    """

    for argument, texts in (("roles", roles), ("prompts", prompts), ("added", added)):
        # a text is a sequence of texts as well, of one letter each
        if isinstance(texts, str):
            raise TypeError(f"@monitor takes {argument}=({texts!r},), a tuple, not one text")

    def decorate(function: Callable[P, Score]) -> Callable[P, Monitor]:
        facts = FactoryFacts(
            name=name or function.__name__,
            source=source,
            roles=roles,
            prompts=prompts,
            answers=answers,
            version=version,
            added=added,
            calls=len(roles) if calls is None else calls,
            each=each,
            oracle=oracle,
            function=function,
        )
        signature = inspect.signature(function)

        @functools.wraps(function)
        def build(*args: P.args, **kwargs: P.kwargs) -> Monitor:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            owner = f"monitor {facts.name!r}"
            params = {
                parameter: facts.parameters[parameter].checked(value, owner)
                for parameter, value in bound.arguments.items()
            }
            parts = tuple(value for value in params.values() if isinstance(value, Monitor))
            return Monitor(
                spec=MonitorSpec(facts.name, params, version),
                score=function(*args, **kwargs),
                roles=tuple(dict.fromkeys([*roles, *(role for part in parts for role in part.roles)])),
                prompts=prompts,
                source=source,
                summary=facts.summary,
                parts=parts,
                answers=answers,
                calls=facts.calls + sum(part.calls for part in parts),
                oracle=oracle or any(part.oracle for part in parts),
                factory=build,
            )

        setattr(build, FACTORY_MARK, facts)
        return build

    return decorate
