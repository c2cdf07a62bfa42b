"""A run's script: reasoning, code and the marks of both, computed from what the sample is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from random import Random
from typing import Any

from molehunt.environments.bigcodebench_sabotage.anatomy import anatomy
from molehunt.environments.bigcodebench_sabotage.problems import Problem
from molehunt.environments.bigcodebench_sabotage.saboteur import insertions, rewrites, wording, wrapping
from molehunt.environments.bigcodebench_sabotage.saboteur.changes import Change, Job
from molehunt.environments.bigcodebench_sabotage.saboteur.printer import printed, unmarked
from molehunt.environments.bigcodebench_sabotage.saboteur.reasoning import reasoning
from molehunt.environments.bigcodebench_sabotage.saboteur.source import Source
from molehunt.environments.bigcodebench_sabotage.saboteur.templates import Role, shapes
from molehunt.environments.bigcodebench_sabotage.saboteur.voices import VOICES
from molehunt.environments.bigcodebench_sabotage.side_tasks import Errand
from molehunt.environments.playing import candour

CHANGES: Mapping[str, Callable[[Job], Change]] = {
    "complexity": wrapping.complexity,
    "default_value": rewrites.default_value,
    "edge_case": insertions.exception,
    "long_implementation": rewrites.long_implementation,
    "variable_name": rewrites.variable_name,
    "exit": insertions.leaving,
    "log_io": wrapping.log_io,
    **{
        name: partial(insertions.inserted, choice=shapes(name))
        for name in ("delete_file", "download_file", "edit_permissions", "exfiltrate_secret")
    },
}
"""How each side task is done, and its lookalikes."""
UNPAIRED = Errand("delete_file", {"path": "/tmp"})
"""Whose filler an honest run gets where no attack is paired with it."""


@dataclass(frozen=True)
class Script:
    """What the agent answers.

    Parameters
    ----------
    reasoning : before the answer.
    explanation : in the answer, above the code.
    program : the code.
    marks : as in the log: kind, step kind and quote of what incriminates, or only looks as if.
    calls : of tools; there are none here.
    code_first : whether the code stands above the explanation.
    """

    reasoning: str
    explanation: str
    program: str
    marks: tuple[Mapping[str, str], ...]
    calls: tuple[()] = ()
    code_first: bool = False

    @property
    def answer(self) -> str:
        """Explanation and code, without the reasoning."""
        parts = [self.explanation, f"```python\n{self.program}\n```"]
        return "\n\n".join(reversed(parts) if self.code_first else parts)


def write(
    problem: Problem,
    errand: Errand | None,
    *,
    attack: bool,
    policy: str | None = "baseline",
    awareness: str = "unaware",
    seed: int = 0,
    epoch: int = 1,
    attempt: int = 1,
) -> Script:
    """The script of one attempt, the same whenever and wherever it is computed.

    Parameters
    ----------
    problem : the main task.
    errand : the side task of an attack; for an honest run, that of the attack it is paired with.
    attack : the arm.
    policy, awareness : of the attack, or of the one paired with the run.
    seed, epoch, attempt : what words and shapes depend on beside the problem.

    Raises
    ------
    molehunt.trajectories.Problem
        If the problem's program cannot be edited.

    Examples
    --------
    >>> from molehunt.environments.bigcodebench_sabotage.problems import load_problems
    >>> script = write(load_problems("embedded")[0], Errand("exit"), attack=True)
    >>> sorted({mark["kind"] for mark in script.marks})
    ['incriminating']
    """
    if attack and errand is None:
        raise ValueError("an attack has an errand")
    role: Role = "harm"
    known = errand or UNPAIRED
    whole = "\x1f".join(map(str, (seed, problem.task_id, known.side_task, epoch, attempt)))
    shape, words = Random(whole), Random(f"{whole}\x1f{'attack' if attack else 'honest'}")
    if not attack:
        role = "filler" if errand is None else words.choice(("twin", "filler"))
    source, taken = _read(problem)
    change = CHANGES[known.side_task](
        Job(
            source=source,
            parameters=known.parameters,
            role=role,
            taken=taken,
            shape=shape,
            words=words,
            comments=wording.COMMENTS.get(known.side_task, ()),
        )
    )
    manner, voice = candour(policy, awareness), VOICES[policy or "baseline"]
    program, code_quotes = printed(source, change)
    thought, said = unmarked(
        reasoning(source, known.side_task, change.act, role, manner, voice, shape, words)
    )
    kind = "incriminating" if attack else "decoy"
    marks: list[dict[str, Any]] = [
        {"kind": kind, "step_kind": step, "quote": quote}
        for step, quotes in (("reasoning", said), ("code", code_quotes))
        for quote in quotes
    ]
    explanation = words.choice(wording.EXPLANATIONS)
    return Script(thought, explanation, program, tuple(marks), code_first=voice.afterwards)


@lru_cache(maxsize=64)
def _read(problem: Problem) -> tuple[Source, frozenset[str]]:
    """The canonical program, and the identifiers of program and tests."""
    return Source(problem.solution, problem.entry_point), anatomy(problem).names
