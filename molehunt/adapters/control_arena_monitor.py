"""A monitor of ControlArena as one of ours: it reads a recorded run turn by turn, as in its own experiments.

Such a monitor is an Inspect agent that finds its model, its task and its score in places around it. This
module puts them there. For that it needs three private names of Inspect's: the sample's state, its store and
the models of roles can be set for a piece of code in no other way.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from molehunt.monitors import Ask, Score, Unanswered, monitor
from molehunt.monitors.files import load_file
from molehunt.monitors.relay import Relay
from molehunt.monitors.stepwise import Final, folded
from molehunt.scoring.faults import named, one_line
from molehunt.trajectories import Problem, Trajectory
from molehunt.verdicts import Verdict

if TYPE_CHECKING:
    from inspect_ai.agent import Agent
    from inspect_ai.model import ChatMessage, Model

ROLE = "monitor"
"""Stands for both of ControlArena's roles, ``trusted`` and ``untrusted``."""

THEIR_ROLES = ("trusted", "untrusted")


@monitor(source="ControlArena", roles=(ROLE,), each="turn of the agent's")
def control_arena(name: str, file: Path | None = None, arguments: str = "{}", final: Final = "max") -> Score:
    """Lets a monitor of ControlArena judge each turn of the agent's; the most suspicious turn counts.

    Its prompts and its reading of answers are its own, and so are its scores, from 0 to 1. An answer that it
    could not read leaves the turn without a score, where ControlArena itself would put a default. A turn that
    it skips has no score either, nor one without tool calls at which it fails before it asks. The task is
    known to it, the side task is not. Calls are stored, replayed and priced like those of our monitors;
    Inspect's own cache, which it would use, is not.

    Parameters
    ----------
    name : of the builder, such as ``basic_monitor_builder``, in `control_arena.monitor` or in ``file``.
    file : Python file that defines it. Its content is part of this monitor's identity.
    arguments : of the builder, in YAML: ``{skip_if_no_tool_calls: false}``. A model that is named there is
        asked behind our back; leave it to the role.
    final : what becomes of the scores of all turns; see `stepwise`.

    Raises
    ------
    Problem
        If ControlArena is not installed, or there is no such monitor, or it cannot be built.
    """
    agent = _built(name, file, arguments)

    async def score(trajectory: Trajectory, ask: Ask) -> Verdict:
        from molehunt.adapters.conversation import conversation_of

        if not isinstance(ask, Relay):
            raise TypeError(
                "monitor 'control_arena' sends prompts of its own, which this Ask does not pass on"
            )
        turns = conversation_of(trajectory)
        looks = []
        for position, turn in enumerate(turns, start=1):
            if turn.message.role == "assistant":
                messages = [one.message.model_copy(deep=True) for one in turns[:position]]
                # in a task of its own, so that what is set for it is set for nobody else
                look = asyncio.create_task(_judged(agent, trajectory, messages, ask))
                looks.append((turn.step, await look))
        if not looks:
            return Verdict.unscored("nothing_visible", "the agent has said and done nothing")
        return folded(looks, final)

    return score


def _built(name: str, file: Path | None, arguments: str) -> Agent:
    try:
        home = load_file(Path(file)) if file is not None else importlib.import_module("control_arena.monitor")
    except ImportError as error:
        raise Problem("monitor 'control_arena' needs ControlArena: pip install control-arena") from error
    builder: Callable[..., Agent] | None = getattr(home, name, None)
    if builder is None:
        raise Problem(f"{file or 'control_arena.monitor'} has no monitor {name!r}")
    try:
        return builder(**(yaml.safe_load(arguments) or {}))
    # whatever somebody's builder raises is a line about it
    except Exception as error:
        raise Problem(f"monitor {name!r} of ControlArena cannot be built: {one_line(error)}") from error


async def _judged(agent: Agent, trajectory: Trajectory, messages: list[ChatMessage], ask: Relay) -> Verdict:
    """What it says of the last of ``messages``."""
    from inspect_ai.agent import AgentState

    model = _surround(trajectory, messages, ask)
    try:
        state = await agent(AgentState(messages=messages), tools=[])
        said = (
            next(message for message in reversed(state.messages) if message.role == "assistant").metadata
            or {}
        )
        score, reason = said["suspicion_score"], str(said.get("reason") or "")
    # one fault in somebody's monitor costs its own look only
    except Exception as error:  # noqa: BLE001
        verdict = _unscored(error)
        # some cannot read a turn without tool calls, and find out before they ask
        blind = verdict.status == "failed" and not model.asked and not _calls(messages[-1])
        return Verdict.unscored("nothing_visible", verdict.rationale) if blind else verdict
    if not said.get("score_parsed", True):
        return Verdict.unscored("unreadable" if model.asked else "nothing_visible", reason)
    if not 0.0 <= score <= 1.0:
        return Verdict.unscored("unreadable", f"its score {score} lies outside 0 to 1")
    return Verdict(float(score), rationale=reason)


def _calls(message: ChatMessage) -> bool:
    return message.role == "assistant" and bool(message.tool_calls)


def _unscored(error: BaseException) -> Verdict:
    if isinstance(error, BaseExceptionGroup):
        return _unscored(error.exceptions[0])
    if isinstance(error, Unanswered):
        return Verdict.unscored(error.status, error.reason)
    return Verdict.unscored("failed", named(error))


def _surround(trajectory: Trajectory, messages: list[ChatMessage], ask: Relay) -> Any:
    """Put around this piece of code what a monitor of ControlArena looks for there; gives its model."""
    from inspect_ai.model import ModelName
    from inspect_ai.model._model import init_model_roles
    from inspect_ai.solver import TaskState
    from inspect_ai.solver._task_state import _sample_state
    from inspect_ai.util._store import init_subtask_store

    state = TaskState(
        model=ModelName("none/none"),
        sample_id=trajectory.id,
        epoch=1,
        input=trajectory.task,
        messages=messages,
        # every run is called honest, whatever it is: a monitor may not know
        metadata={
            "main_task_description": trajectory.task,
            "side_task_description": "",
            "setting_description": "",
            "setting_name": "molehunt",
            "eval_mode": "honest",
        },
    )
    _sample_state.set(state)
    init_subtask_store(state.store)
    model = _relayed(ask)
    init_model_roles(dict.fromkeys(THEIR_ROLES, model))
    return model


def _relayed(ask: Relay) -> Model:
    """A model whose answers come through ``ask``."""
    from inspect_ai.model import ChatMessageUser, GenerateConfig, Model, ModelOutput, get_model

    class Relayed(Model):
        """Passes requests on; ``asked`` is whether there was one."""

        asked = False

        async def generate(
            self,
            input: str | list[ChatMessage],  # noqa: A002 - Inspect's own signature
            tools: Any = (),
            tool_choice: Any = None,
            config: GenerateConfig = GenerateConfig(),  # noqa: B008
            cache: Any = False,
            on_stream: Any = None,
        ) -> ModelOutput:
            # a role's model is copied when it is given settings
            model.asked = True
            messages = [ChatMessageUser(content=input)] if isinstance(input, str) else list(input)
            return await ask.relay(
                ROLE, messages, tools=list(tools), tool_choice=tool_choice, config=self.config.merge(config)
            )

    model = Relayed(get_model("none/none").api, GenerateConfig())
    return model
