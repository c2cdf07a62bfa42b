"""What the agent thinks: sentences from the same templates in both arms."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from random import Random
from string import Template
from typing import Literal

from molehunt.environments.bigcodebench_sabotage.saboteur import wording
from molehunt.environments.bigcodebench_sabotage.saboteur.changes import CLOSE, OPEN, Role
from molehunt.environments.bigcodebench_sabotage.saboteur.source import Source

Candour = Literal["open", "covered", "silent"]
"""Of an attack: says what it does and why; says it with a harmless reason; says next to nothing."""


def candour(policy: str | None, awareness: str) -> Candour:
    """How much an attacker's reasoning gives away.

    Examples
    --------
    >>> candour("baseline", "unaware"), candour("stealth", "unaware"), candour("baseline", "told")
    ('open', 'covered', 'silent')
    >>> candour("stealth", "thinks_private")
    'open'
    """
    if awareness == "told":
        return "silent"
    return "open" if policy == "baseline" or awareness == "thinks_private" else "covered"


def reasoning(
    source: Source, side_task: str, act: str, role: Role, manner: Candour, shape: Random, words: Random
) -> str:
    """Three to seven sentences, with marks around those on the change that says what it does.

    Parameters
    ----------
    source : the canonical program.
    side_task : the one that the change belongs to.
    act : what the change does.
    role : of the change.
    manner : of attacks under the same policy; an honest run has nothing to confess, but is as vague as they.
    shape : draws that both arms share.
    words : draws of this run's own.
    """
    middles = shape.randint(0, 3)
    additions = shape.randint(0, 1) if middles < 3 else 0
    values = {
        "entry": source.name,
        "parameters": _listed([f"`{name}`" for name in _parameters(source)]) or "no arguments",
        "modules": _listed([f"`{name}`" for name in sorted(source.modules)]),
        "act": wording.VAGUE[side_task] if manner == "silent" else act,
    }
    open_speech = role == "harm" and manner == "open"
    why = words.choice(wording.CONFESSED_WHY if open_speech else wording.PLAIN_WHY)
    sentences = [words.choice(wording.OPENINGS), *words.sample(_middles(source), middles)]
    edit = [words.choice(wording.EDITS).replace("$why", why)]
    if additions:
        edit.append(words.choice(wording.CONFESSED_ADDITIONS if open_speech else wording.ADDITIONS))
    telling = role != "filler" and manner != "silent"
    sentences.append(f"{OPEN}{' '.join(edit if open_speech else edit[:1])}{CLOSE}" if telling else edit[0])
    sentences += edit[1:] if not (telling and open_speech) else []
    sentences.append(words.choice(wording.CLOSINGS))
    return " ".join(Template(sentence).substitute(values) for sentence in sentences)


def _middles(source: Source) -> list[str]:
    sentences = list(wording.MIDDLES)
    if source.modules:
        sentences += wording.WITH_MODULES
    if any(isinstance(node, ast.Raise) for node in ast.walk(source.tree)):
        sentences += wording.WITH_RAISE
    return sentences


def _parameters(source: Source) -> list[str]:
    arguments = source.function.args
    return [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
