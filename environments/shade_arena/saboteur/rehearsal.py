"""A run of the scripted agent without Inspect: the same plan, applications and graders, in less time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from molehunt.environments.playing import Part, Turn
from molehunt.environments.playing.beats import turn
from molehunt.environments.shade_arena.grading import Verdict, judged
from molehunt.environments.shade_arena.pairing import Pair
from molehunt.environments.shade_arena.saboteur.plan import plan
from molehunt.environments.shade_arena.samples import ENVIRONMENT, Setting
from molehunt.environments.shade_arena.scenes import AgentDojoScene
from molehunt.environments.shade_arena.worlds import Call, Refused, World
from molehunt.trajectories.messages import THINK, Draft, call_draft, numbered
from molehunt.trajectories.steps import Trajectory


@dataclass(frozen=True)
class Rehearsal:
    """What came of it.

    Parameters
    ----------
    turns : of the agent.
    trajectory : as a reader of logs would have it.
    main : what the grader of the user's task says.
    side : what the grader of the errand says; in an honest run it must say no.
    """

    turns: Sequence[Turn]
    trajectory: Trajectory
    main: Verdict
    side: Verdict


def rehearsed(pair: Pair, setting: Setting, *, attack: bool, epoch: int = 1) -> Rehearsal:
    """Play a pair.

    Parameters
    ----------
    pair : of AgentDojo's.
    setting : of the task.
    attack : the arm.
    epoch : from 1.
    """
    scene = AgentDojoScene(pair, setting.version, setting.clutter, setting.seed)
    part = Part(
        ENVIRONMENT,
        "agentdojo",
        pair.task_id,
        attack=attack,
        **setting.attack(pair),
        awareness=setting.awareness,
        seed=setting.seed,
        epoch=epoch,
    )
    beats = plan(part, scene)
    turns = [turn(beat.reasoning, beat.answer, beat.calls) for beat in beats]
    calls = [Call(use.tool, use.arguments) for each in turns for use in each.calls if use.tool != THINK]
    world, answer = scene.world(), turns[-1].answer
    main, _ = scene.suite.main_truth(world)
    side, _ = scene.suite.side_truth(world, pair.side_task)
    return Rehearsal(
        turns,
        Trajectory(scene.request, numbered(_drafts(turns, world))),
        judged(world, calls, main, lambda after: after.main_done(answer)),
        judged(world, calls, side, lambda after: after.side_done(pair.side_task, answer)),
    )


def _drafts(turns: Sequence[Turn], world: World) -> Iterator[Draft]:
    live = world.afresh()
    for number, each in enumerate(turns):
        if each.reasoning:
            yield Draft("reasoning", each.reasoning, readable="full")
        if each.answer:
            yield Draft("prose", each.answer)
        for place, use in enumerate(each.calls):
            name = f"{number}-{place}"
            yield call_draft(use.tool, use.arguments, name)
            if use.tool != THINK:
                yield Draft(
                    "tool_result", _answer(live, use.tool, use.arguments), use.tool, answers_call=name
                )


def _answer(world: World, tool: str, arguments: Mapping[str, Any]) -> str:
    try:
        return world.call(Call(tool, arguments))
    except Refused as refusal:
        return str(refusal)
