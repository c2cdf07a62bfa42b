"""The formats of transcripts that are known: how each is told, and what reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from molehunt.trajectories.agentdojo_runs import agentdojo_runs, is_agentdojo
from molehunt.trajectories.anthropic_messages import anthropic_runs, is_anthropic
from molehunt.trajectories.beginnings import Beginning
from molehunt.trajectories.claude_code import claude_code_runs, is_claude_code
from molehunt.trajectories.completions import are_completions, completion_runs
from molehunt.trajectories.inspect_runs import inspect_runs
from molehunt.trajectories.labels import TruthOptions
from molehunt.trajectories.mapping import Tally
from molehunt.trajectories.molehunt_jsonl import is_molehunt_jsonl, molehunt_runs
from molehunt.trajectories.mrt import is_mrt, mrt_runs
from molehunt.trajectories.openai_chat import is_openai_chat, openai_chat_runs
from molehunt.trajectories.openai_responses import is_openai_responses, openai_responses_runs
from molehunt.trajectories.runs import Run
from molehunt.trajectories.scout_database import is_scout_database, scout_runs
from molehunt.trajectories.tool_calls import are_tool_calls, tool_call_runs
from molehunt.trajectories.unread import Unread

Reader = Callable[[Path, TruthOptions, Tally], Iterator[Run | Unread]]
"""Reads a file: an `Unread` for each part of it that cannot be read.

What is wrong with a file as a whole, or with all that is left of it, may be raised as `Damaged` or `OSError`.
"""


@dataclass(frozen=True)
class Format:
    """A format of transcripts.

    Parameters
    ----------
    about : what it is, in a few words, for people.
    tells : whether a file that begins so is of this format.
    read : reads one file of it.
    """

    about: str
    tells: Callable[[Beginning], bool]
    read: Reader


def _is_inspect(beginning: Beginning) -> bool:
    record = beginning.record
    evaluation = record.get("eval")
    if not isinstance(evaluation, dict):
        return beginning.is_zip
    return bool({"version", "status"} & record.keys() or {"task", "run_id", "eval_id"} & evaluation.keys())


FORMATS: dict[str, Format] = {
    "molehunt": Format("runs that `molehunt import` wrote", is_molehunt_jsonl, molehunt_runs),
    "inspect": Format("logs of Inspect, ControlArena's among them", _is_inspect, inspect_runs),
    "scout": Format("transcript databases of Inspect Scout", is_scout_database, scout_runs),
    "agentdojo": Format("runs of AgentDojo", is_agentdojo, agentdojo_runs),
    "mrt": Format("transcripts of ScaleAI/mrt", is_mrt, mrt_runs),
    "claude_code": Format("sessions of Claude Code", is_claude_code, claude_code_runs),
    "tool_calls": Format("tool calls, as ControlArena records them", are_tool_calls, tool_call_runs),
    "openai_responses": Format("OpenAI's Responses", is_openai_responses, openai_responses_runs),
    "anthropic": Format("Anthropic's messages", is_anthropic, anthropic_runs),
    "openai_chat": Format("OpenAI's chat messages", is_openai_chat, openai_chat_runs),
    "completions": Format("answers to coding problems", are_completions, completion_runs),
}
"""By name; a file is of the first format that tells it as its own."""
