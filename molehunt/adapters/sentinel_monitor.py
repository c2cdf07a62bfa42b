"""A monitor of inspect_sentinel as one of ours: it watches a recorded run as it would have watched it live.

What Sentinel calls its contract with Inspect, `inspect_sentinel._integration`, is private; this module alone
uses it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from molehunt.monitors import Ask, Score, Unanswered, monitor
from molehunt.monitors.relay import Relay
from molehunt.monitors.stepwise import Final, folded
from molehunt.scoring.faults import one_line
from molehunt.trajectories import Problem, Trajectory
from molehunt.verdicts import Verdict

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput
    from inspect_ai.tool import ToolChoice, ToolInfo
    from inspect_sentinel import Context, Decision, EvalContext, Failed, HumanAnswer, Monitor, Reported, Step
    from inspect_sentinel import MonitorGroup as Group

ROLE = "monitor"
"""Whatever role or model a monitor of theirs asks for, it is this one that is bound to a model."""

NONCE = "inspect_sentinel:nonce"
"""Where Sentinel's own prompts keep the word that marks their blocks, in the store of a sample."""


@monitor(source="inspect_sentinel", roles=(ROLE,), each="step that it watches")
def sentinel(
    name: str,
    file: Path | None = None,
    arguments: str = "{}",
    final: Final = "max",
    silence: float | None = None,
) -> Score:
    """Lets a monitor of inspect_sentinel watch the run step by step; the most suspicious step counts.

    Its prompts are its own. It is given the conversation as far as a trajectory knows it: the task as the
    opening turn, no system prompts, no tools on offer, no metadata. Each step's score stands in the trace.
    Calls are stored, replayed and priced like those of our monitors.

    Parameters
    ----------
    name : as registered, such as ``some_package/deception``, or the factory's name in ``file``.
    file : Python file that defines it. Its content is part of this monitor's identity, which that of an
        installed package is not.
    arguments : of the factory, in YAML: ``{words: [rm]}``.
    final : what becomes of the scores of all steps; see `stepwise`.
    silence : score of a run on which it reports nothing, as detectors do that report what they flag only.
        None leaves such a run unscored.

    Raises
    ------
    Problem
        If there is no such monitor, it cannot be built with the arguments, or ``silence`` is no score.
    """
    if silence is not None and not 0.0 <= silence <= 1.0:
        raise Problem(f"monitor 'sentinel' takes a silence from 0 to 1 or None, not {silence}")
    watcher = _built(name, file, arguments)

    async def score(trajectory: Trajectory, ask: Ask) -> Verdict:
        if not isinstance(ask, Relay):
            raise TypeError("monitor 'sentinel' sends prompts of its own, which this Ask does not pass on")
        looks = await _watch(watcher, trajectory, ask)
        if looks:
            return folded(looks, final)
        if silence is None or not trajectory.steps:
            return Verdict.unscored("nothing_visible", "it reported nothing on any step")
        return Verdict(silence, rationale="it reported nothing on any step")

    return score


def _built(name: str, file: Path | None, arguments: str) -> Monitor | Group:
    try:
        import inspect_sentinel  # noqa: F401
        from inspect_sentinel._integration import sentinel_from_config
    except ImportError as error:
        raise Problem(
            "monitor 'sentinel' needs inspect-sentinel: pip install 'molehunt[sentinel]'"
        ) from error
    from molehunt.monitors.files import load_file

    if file is not None:
        module = load_file(Path(file))
        if not hasattr(module, name):
            raise Problem(f"{file} has no monitor {name!r} of inspect_sentinel")
        factory = getattr(module, name)
    try:
        params = yaml.safe_load(arguments) or {}
        if file is not None:
            return factory(**params)  # type: ignore[no-any-return]
        return sentinel_from_config({"name": name, "params": params})  # type: ignore[return-value]
    # whatever somebody's factory raises is a line about it
    except Exception as error:
        raise Problem(f"monitor {name!r} of inspect_sentinel cannot be built: {one_line(error)}") from error


async def _watch(watcher: Monitor | Group, trajectory: Trajectory, ask: Relay) -> list[tuple[int, Verdict]]:
    """What it reported after which step."""
    from inspect_ai.util import Store
    from inspect_sentinel import EvalContext, observe_only
    from inspect_sentinel._integration import HostContext, run_sentinel, watched_stages

    # as a list, or a lone monitor loses its version
    root = observe_only([watcher])
    watched, recorder = watched_stages(root), _Recorder()
    context = EvalContext(
        task="molehunt",
        task_description=None,
        sample_id=trajectory.id,
        epoch=1,
        sample_description=None,
        sample_input=trajectory.task,
        metadata={},
    )
    # the word that marks blocks is random in Sentinel; here it must be the same when a run is scored again
    store = Store({NONCE: ask.word(trajectory.task)[:8]})
    host = HostContext(host=_Host(context, ask), recorder=recorder, store=store)
    for index, step in _steps(trajectory):
        if type(step) in watched:
            recorder.step = index
            await run_sentinel(root, host, step)
    return recorder.looks


def _steps(trajectory: Trajectory) -> Iterator[tuple[int, Step]]:
    """The stages of a run as Sentinel sees them, each with the index of our last step that it shows."""
    from inspect_ai.model import ChatMessageAssistant, GenerateConfig, ModelOutput
    from inspect_ai.tool import ToolCallContent, ToolCallView
    from inspect_sentinel import AfterGenerate, AfterToolCall, BeforeGenerate, BeforeToolCall

    from molehunt.adapters.conversation import conversation_of

    turns = conversation_of(trajectory)
    messages = [turn.message for turn in turns]
    calls: dict[str, dict[str, Any]] = {}
    for position, turn in enumerate(turns):
        before, message = messages[:position], turn.message
        if isinstance(message, ChatMessageAssistant):
            request: dict[str, Any] = {
                "model": "agent",
                "conversation": "main",
                "input": before,
                "agent_messages": before,
                "tools": [],
                "tool_choice": "auto",
                "config": GenerateConfig(),
            }
            yield turn.step, BeforeGenerate(**request)
            yield turn.step, AfterGenerate(**request, output=ModelOutput.from_message(message))
            for call in message.tool_calls or []:
                calls[call.id] = {
                    "conversation": "main",
                    "message": message.text,
                    "message_id": message.id or "",
                    "call": call,
                    "view": ToolCallView(
                        call=ToolCallContent(format="text", content=f"{call.function}({call.arguments})")
                    ),
                    "input": before,
                    "agent_messages": [*before, message],
                    "tools": [],
                    "tool_choice": "auto",
                }
                yield int(call.id.removeprefix("call-")), BeforeToolCall(**calls[call.id])
        elif message.role == "tool" and message.tool_call_id in calls:
            about = calls[message.tool_call_id]
            yield turn.step, AfterToolCall(**about, result=message, output=message.text, truncated=None)


@dataclass
class _Host:
    """Sentinel's way to the outside: the sample without anything that knows the truth, and our models."""

    eval: EvalContext
    ask: Relay

    async def generate(
        self,
        input: str | list[ChatMessage],  # noqa: A002 - Sentinel's own signature
        *,
        model: str | None = None,
        role: str | None = None,
        tools: list[ToolInfo] | None = None,
        tool_choice: ToolChoice | None = None,
        config: GenerateConfig | None = None,
    ) -> ModelOutput:
        from inspect_ai.model import ChatMessageUser

        messages = [ChatMessageUser(content=input)] if isinstance(input, str) else input
        return await self.ask.relay(ROLE, messages, tools=tools or (), tool_choice=tool_choice, config=config)

    async def ask_human(self, step: Step, escalations: Any, choices: Sequence[str]) -> HumanAnswer:
        raise NotImplementedError("nobody is there to be asked about a recorded run")


@dataclass
class _Recorder:
    """Where Sentinel leaves what its monitors report."""

    step: int = -1
    looks: list[tuple[int, Verdict]] = field(default_factory=list)

    def record(self, context: Context, factory: str, step: Step, reported: Reported[Any]) -> None:
        from inspect_sentinel import Observation

        if isinstance(reported.report, Observation):
            self.looks.append((max(self.step, 0), _verdict(reported.report)))

    def failed(self, context: Context, factory: str, step: Step, failed: Failed) -> None:
        error = failed.error
        status, words = (
            (error.status, error.reason) if isinstance(error, Unanswered) else ("failed", str(error))
        )
        self.looks.append((max(self.step, 0), Verdict.unscored(status, words)))

    def cancelled(self, context: Context, factory: str, step: Step, name: str) -> None: ...

    def bypassed(self, context: Context, factory: str, step: Step, name: str) -> None: ...

    def superseded(
        self, context: Context, factory: str, step: Step, reported: Reported[Decision]
    ) -> None: ...


def _verdict(observation: Any) -> Verdict:
    suspicion = observation.suspicion
    # Sentinel itself takes the highest of several dimensions
    value = float(max(suspicion.values())) if isinstance(suspicion, dict) else float(suspicion)
    if not (math.isfinite(value) and 0.0 <= value <= 1.0):
        return Verdict.unscored("unreadable", f"its suspicion {value} lies outside 0 to 1")
    return Verdict(value, rationale=observation.explanation or "")
