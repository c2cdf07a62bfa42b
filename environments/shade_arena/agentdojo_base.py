"""AgentDojo, behind one module: its suites, tasks, tools, ground truths and graders.

Importing it takes seconds of processor time and brings a client library of every provider: only this module
does, and only when a suite is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from molehunt.environments.shade_arena.errands import missing_truth
from molehunt.environments.shade_arena.worlds import Call, Refused, ToolSpec
from molehunt.trajectories import Problem

SUITES = ("banking", "slack", "travel", "workspace")
VERSIONS = ("v1", "v1.1", "v1.1.1", "v1.1.2", "v1.2", "v1.2.1", "v1.2.2")
"""Of the benchmark, not of the package: each corrects tasks of the one before, and v1.2 adds errands."""
NEWEST = VERSIONS[-1]


@lru_cache(maxsize=32)
def suite(version: str, name: str) -> Suite:
    """A suite of AgentDojo's.

    Raises
    ------
    molehunt.trajectories.Problem
        If AgentDojo is not installed.

    Examples
    --------
    >>> banking = suite("v1.2.2", "banking")
    >>> len(banking.tools), len(banking.prompts), len(banking.goals)
    (11, 16, 9)
    """
    if find_spec("agentdojo") is None:
        raise Problem("shade_arena stands on AgentDojo, which is not here: pip install 'molehunt[shade]'")
    return Suite(version, name, import_module("agentdojo.task_suite.load_suites").get_suite(version, name))


_THINGS = {
    "Email": "types",
    "CloudDriveFile": "types",
    "CalendarEvent": "types",
    "Transaction": "banking_client",
    "Message": "slack",
}


def thing(kind: str, **fields: Any) -> Any:
    """A mail, file, entry, payment or message, as AgentDojo's applications hold them."""
    return getattr(import_module(f"agentdojo.default_suites.v1.tools.{_THINGS[kind]}"), kind)(**fields)


class Suite:
    """Applications, what users want of them, and what else may be wanted.

    Parameters
    ----------
    version, name : of `VERSIONS` and `SUITES`.
    original : AgentDojo's own suite.
    """

    def __init__(self, version: str, name: str, original: Any) -> None:
        self.version, self.name = version, name
        self._original = original
        self._runtime = import_module("agentdojo.functions_runtime").FunctionsRuntime(original.tools)
        self._users, self._injections = original.user_tasks, original.injection_tasks
        _silence([*self._users.values(), *self._injections.values()])
        self._beginnings: dict[str, Any] = {}

    @property
    def prompts(self) -> Mapping[str, str]:
        """What users ask for, by user task, in the order of their numbers."""
        return {name: task.PROMPT.strip() for name, task in sorted(self._users.items(), key=_numbered)}

    @property
    def goals(self) -> Mapping[str, str]:
        """What errands aim at, by injection task, in the order of their numbers."""
        return {name: task.GOAL.strip() for name, task in sorted(self._injections.items(), key=_numbered)}

    @property
    def tools(self) -> Sequence[ToolSpec]:
        """What an agent can call."""
        return [
            ToolSpec(tool.name, tool.description, tool.parameters.model_json_schema())
            for tool in self._original.tools
        ]

    def world(self, user_task: str) -> AgentDojoWorld:
        """The applications as they are when a user comes with a task; what could be injected is not."""
        if user_task not in self._beginnings:
            state = self._original.load_and_inject_default_environment({})
            self._beginnings[user_task] = self._users[user_task].init_environment(state)
        return AgentDojoWorld(self, user_task, self._beginnings[user_task])

    def main_truth(self, world: AgentDojoWorld) -> tuple[list[Call], str]:
        """Calls and last words that do the user's task."""
        task = self._users[world.user_task]
        return _called(task.ground_truth(_copy(world.before))), task.GROUND_TRUTH_OUTPUT

    def side_truth(self, world: AgentDojoWorld, side_task: str) -> tuple[list[Call], str]:
        """Calls and last words that do an errand; ours where AgentDojo has none."""
        task = self._injections[side_task]
        calls = _called(task.ground_truth(_copy(world.before)))
        return calls or missing_truth(task.GOAL, _copy(world.before)), task.GROUND_TRUTH_OUTPUT

    def run(self, state: Any, call: Call) -> str:
        """Carry out a call on a state; raises `Refused`."""
        result, error = self._runtime.run_function(state, call.tool, dict(call.arguments))
        if error is not None:
            raise Refused(error)
        shown: str = import_module("agentdojo.agent_pipeline.tool_execution").tool_result_to_str(result)
        return shown

    def grade(self, world: AgentDojoWorld, task_id: str, answer: str, *, side: bool) -> bool:
        """What the grader of a user task or an injection task says of a world."""
        base = import_module("agentdojo.functions_runtime")
        traces = [base.FunctionCall(function=call.tool, args=dict(call.arguments)) for call in world.calls]
        task = (self._injections if side else self._users)[task_id]
        # the protocol that AgentDojo's own runner keeps: by the calls where a task has such a grader
        by_calls = task.security_from_traces if side else task.utility_from_traces
        by_state = task.security if side else task.utility
        try:
            verdict = by_calls(answer, _copy(world.before), _copy(world.state), traces)
            if verdict is None:
                verdict = by_state(answer, _copy(world.before), _copy(world.state))
        except Exception:  # noqa: BLE001 - a grader may trip over a state that it did not expect: no success
            return False
        return bool(verdict)


class AgentDojoWorld:
    """One run's applications.

    Parameters
    ----------
    suite, user_task : which.
    before : AgentDojo's environment as it was at the beginning; it is never changed.
    """

    def __init__(self, suite: Suite, user_task: str, before: Any) -> None:
        self.suite, self.user_task = suite, user_task
        self.before, self.state = before, _copy(before)
        self.calls: list[Call] = []

    def call(self, call: Call) -> str:
        """See `World`."""
        self.calls.append(call)
        return self.suite.run(self.state, call)

    def afresh(self) -> AgentDojoWorld:
        """See `World`."""
        return AgentDojoWorld(self.suite, self.user_task, self.before)

    def changed(self, before: Any) -> AgentDojoWorld:
        """This world with another beginning."""
        return AgentDojoWorld(self.suite, self.user_task, before)

    def main_done(self, answer: str) -> bool:
        """See `World`."""
        return self.suite.grade(self, self.user_task, answer, side=False)

    def side_done(self, side_task: str, answer: str) -> bool:
        """See `World`."""
        return self.suite.grade(self, side_task, answer, side=True)


def _silence(tasks: Iterable[Any]) -> None:
    """Keep graders from printing what they miss.

    Runs are graded in threads, and standard output, which is theirs in common, cannot be turned off for one.
    """
    for module in {kind.__module__ for task in tasks for kind in type(task).__mro__}:
        if module.startswith("agentdojo."):
            vars(import_module(module))["print"] = lambda *_, **__: None


def _copy(state: Any) -> Any:
    return state.model_copy(deep=True)


def _called(calls: Sequence[Any]) -> list[Call]:
    return [Call(call.function, dict(call.args)) for call in calls]


def _numbered(item: tuple[str, Any]) -> int:
    return int(item[0].rpartition("_")[2])
