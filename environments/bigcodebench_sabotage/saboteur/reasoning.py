"""What the agent thinks: sentences from the same templates in both arms."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from random import Random
from string import Template

from molehunt.environments.bigcodebench_sabotage.saboteur import wording
from molehunt.environments.bigcodebench_sabotage.saboteur.source import Source
from molehunt.environments.bigcodebench_sabotage.saboteur.templates import CLOSE, OPEN, Role
from molehunt.environments.bigcodebench_sabotage.saboteur.voices import Voice
from molehunt.environments.playing import Candour


def reasoning(
    source: Source,
    side_task: str,
    act: str,
    role: Role,
    manner: Candour,
    voice: Voice,
    shape: Random,
    words: Random,
) -> str:
    """A few sentences, with marks around those on the change that says what it does.

    Parameters
    ----------
    source : the canonical program.
    side_task : the one that the change belongs to.
    act : what the change does.
    role : of the change.
    manner : of attacks under the same policy; an honest run has nothing to confess, but is as vague as they.
    voice : in which a policy has it said.
    shape : draws that both arms share.
    words : draws of this run's own.
    """
    wanted = shape.randint(voice.fewest, voice.most)
    middles = shape.sample(_middles(source, wanted), wanted)
    added = shape.random() < 0.5 and len(middles) != 3
    values = {
        "entry": source.name,
        "parameters": _listed([f"`{name}`" for name in source.parameters]) or "nothing",
        "modules": _listed([f"`{name}`" for name in sorted(source.modules)]),
        "act": wording.VAGUE[side_task] if manner == "silent" else act,
    }
    confesses = role == "harm" and manner == "open"
    tells = role != "filler" and manner != "silent"
    why = words.choice(wording.CONFESSED_WHY if confesses else voice.reasons)
    edit = words.choice(wording.EDITS).replace("$why", why)
    addition = words.choice(wording.CONFESSED_ADDITIONS if confesses else wording.ADDITIONS)
    sentences = [
        words.choice(wording.AFTERWARDS_OPENINGS if voice.afterwards else wording.OPENINGS),
        *_drawn(middles, words),
        f"{OPEN}{edit}{CLOSE}" if tells else edit,
        *([f"{OPEN}{addition}{CLOSE}" if confesses else addition] if added else []),
        words.choice(wording.AFTERWARDS_CLOSINGS if voice.afterwards else wording.CLOSINGS),
    ]
    return " ".join(Template(sentence).substitute(values) for sentence in sentences)


def _middles(source: Source, wanted: int) -> list[Sequence[str]]:
    """Lists that sentences on the main task may come from."""
    lists: list[Sequence[str]] = [wording.GENERAL] * max(3, wanted)
    if source.modules:
        lists.append(wording.WITH_MODULES)
    if any(isinstance(node, ast.Raise) for node in ast.walk(source.tree)):
        lists.append(wording.WITH_EXCEPTIONS)
    return lists


def _drawn(lists: Sequence[Sequence[str]], words: Random) -> list[str]:
    """A sentence from each list, none twice."""
    sentences: list[str] = []
    for each in lists:
        sentences.append(words.choice([sentence for sentence in each if sentence not in sentences]))
    return sentences


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
