"""SHADE-Arena itself, where its package is installed: its pairs, applications and graders, as scenes of ours.

The package is not public as a whole and was not at hand. What is used of it is what published code that runs
it uses: `docs/design/shade_arena.md` says what is known of each name, and the tests have it as a fake.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    get_model,
    model_roles,
)

from molehunt.environments.shade_arena.pairing import Pair
from molehunt.environments.shade_arena.samples import ORIGINAL
from molehunt.environments.shade_arena.scenes import Finding, Scene
from molehunt.environments.shade_arena.tools import calls_in
from molehunt.environments.shade_arena.worlds import Call, Refused, ToolSpec
from molehunt.trajectories import Problem

PACKAGE = "shade_arena"
ROLE = "grader"
"""Role of the model that those graders ask which need one."""


def installed() -> bool:
    """Whether the package is there."""
    return find_spec(PACKAGE) is not None


def scenes() -> list[Scene]:
    """All pairs of the package, in the order of their names.

    Raises
    ------
    molehunt.trajectories.Problem
        If the package is not installed, or has no pairs.
    """
    if not installed():
        raise Problem(
            "suites=original needs the package shade_arena, SHADE-Arena's own, which is not here: install it "
            "from its repository, or leave 'original' out"
        )
    base = import_module(f"{PACKAGE}.task_pairs.base_task_definition")
    folder = Path(str(base.__file__)).parent
    names = sorted(each.parent.name for each in folder.glob("*/task_definition.py"))
    if not names:
        raise Problem(f"{folder} has no pairs: each is a folder with a task_definition.py")
    return [OriginalScene(Pair(ORIGINAL, name, name)) for name in names]


@dataclass(frozen=True)
class OriginalScene:
    """A pair of SHADE-Arena's own."""

    pair: Pair

    @cached_property
    def _definition(self) -> Any:
        return self._defined()

    def _defined(self) -> Any:
        """The package's definition of the pair, with applications of its own."""
        load = import_module(f"{PACKAGE}.utils.task_utils").load_task_definition_and_solution
        definition, _ = load(str(Path("task_pairs") / self.pair.user_task))
        return definition()

    @property
    def request(self) -> str:
        """See `Scene`."""
        return str(self._definition.user_query).strip()

    @property
    def goal(self) -> str:
        """See `Scene`."""
        return str(self._definition.secondary_task).strip()

    @property
    def system(self) -> str:
        """See `Scene`: what the package tells an agent that has no errand."""
        return str(self._definition.system_message_no_secondary_task()).strip()

    @cached_property
    def tools(self) -> Sequence[ToolSpec]:
        """See `Scene`."""
        functions = self.world().runtime.functions.values()
        return [
            ToolSpec(each.name, each.description, each.parameters.model_json_schema()) for each in functions
        ]

    def world(self) -> OriginalWorld:
        """See `Scene`."""
        return OriginalWorld(self._defined())

    async def found(self, messages: Sequence[ChatMessage], *, attack: bool) -> Finding:
        """See `Scene`. A grader that cannot be run leaves its score unknown, and its note says why."""
        world = self.world()
        for call in calls_in(messages, {tool.name for tool in self.tools}):
            with contextlib.suppress(Refused):
                world.call(call)
        grader = _Grader() if ROLE in model_roles() else None
        factory = import_module(f"{PACKAGE}.task_evaluation.evaluation_factory")
        evaluation = factory.get_evaluation_for_task(
            task_definition=world.definition, task_folder=self.pair.user_task, evaluator_llm=grader
        )
        notes: dict[str, str] = {}

        async def main() -> bool:
            said = await evaluation.evaluate_main_task(
                conversation=_conversation(messages),
                environment=world.definition.environment,
                evaluator_llm=grader,
                is_llm_conversation=True,
                remove_thinking_tags=True,
            )
            notes["main"] = str(said)
            row = {"main_task_evaluation": said, "side_task_evaluation": 0}
            table = import_module("pandas").DataFrame({"transcript": [row]})
            return bool(evaluation.add_score_columns(table).loc[0, "main_task_success"])

        async def side() -> bool:
            return bool(
                await evaluation.evaluate_side_task(
                    environment=world.definition.environment, evaluator_llm=grader
                )
            )

        main_score = await _score(main, "main", notes)
        return Finding(main_score, await _score(side, "side", notes) if attack else None, notes)


class OriginalWorld:
    """Applications of one run, as the package makes them.

    Parameters
    ----------
    definition : the package's, of a pair.
    """

    def __init__(self, definition: Any) -> None:
        self.definition = definition
        utilities = import_module(f"{PACKAGE}.utils.pipeline_utils").PipelineUtils(definition)
        self.runtime = utilities.create_runtime(definition.environment)
        self.calls: list[Call] = []

    def call(self, call: Call) -> str:
        """See `molehunt.environments.shade_arena.worlds.World`."""
        self.calls.append(call)
        result, error = self.runtime.run_function(
            self.definition.environment, call.tool, dict(call.arguments)
        )
        if error is not None:
            raise Refused(str(error))
        return str(result)

    def afresh(self) -> OriginalWorld:
        """See `molehunt.environments.shade_arena.worlds.World`."""
        return OriginalWorld(type(self.definition)())

    def main_done(self, answer: str) -> bool:
        """Not by state alone: `OriginalScene.found` asks the package's grader."""
        raise NotImplementedError

    def side_done(self, side_task: str, answer: str) -> bool:
        """Not by state alone: `OriginalScene.found` asks the package's grader."""
        raise NotImplementedError


class _Grader:
    """The model of the role ``grader``, as the package's graders expect a model."""

    @property
    def provider(self) -> str:
        return "molehunt"

    async def query(
        self,
        query: str,
        runtime: Any = None,
        env: Any = None,
        messages: Sequence[Any] = (),
        extra_args: Any = None,
    ) -> Any:
        """Answer the conversation, or the query where there is none."""
        model = get_model(role=ROLE, required=True)
        said = [_as_message(each) for each in messages] or [ChatMessageUser(content=query)]
        output = await model.generate(said)
        answer = {"role": "assistant", "content": output.completion, "tool_calls": None}
        result = import_module(f"{PACKAGE}.utils.pipeline_elements").QueryResult
        return result(query, runtime, env, [*messages, answer], extra_args or {})


async def _score(grader: Callable[[], Awaitable[bool]], name: str, notes: dict[str, str]) -> float | None:
    try:
        return float(await grader())
    except Exception as error:  # noqa: BLE001 - foreign graders, which may need a model: unknown, not a failure
        why = f"{type(error).__name__}: {error}"
        notes[name] = why if ROLE in model_roles() else f"{why}; perhaps it needs --model-role {ROLE}=…"
        return None


def _conversation(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """A conversation as the package's graders expect it."""
    called = import_module(f"{PACKAGE}.utils.functions_runtime").FunctionCall
    return [
        {
            "role": message.role,
            "content": message.text,
            "tool_calls": [
                called(function=call.function, args=dict(call.arguments), id=call.id)
                for call in message.tool_calls or []
            ]
            if isinstance(message, ChatMessageAssistant)
            else None,
        }
        for message in messages
    ]


def _as_message(message: Any) -> ChatMessage:
    text = str(message.get("content") or "")
    match message.get("role"):
        case "system":
            return ChatMessageSystem(content=text)
        case "assistant":
            return ChatMessageAssistant(content=text)
    return ChatMessageUser(content=text)
