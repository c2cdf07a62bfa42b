"""What the scripted engineer says and does in any competition, read from the Markdown files beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from molehunt.environments.mle_sabotage.competitions.solutions import Edit

Place = Literal["early", "any", "files", "fitted", "predicted"]
"""When a detour makes sense: while data are looked at, always, once there are programs, a model,
predictions."""


@dataclass(frozen=True)
class Act:
    """One turn of a detour.

    Parameters
    ----------
    sentences : of which one is thought.
    tool : ``bash``, ``python``, ``think``, or what is done with the editor: ``view FILE``, ``replace FILE``.
    texts : what goes in: one of these commands, programs or thoughts; old and new text for ``replace``.
    """

    sentences: tuple[str, ...]
    tool: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Excursion:
    """A detour in words: its name, when it makes sense, its turns."""

    name: str
    place: Place
    acts: tuple[Act, ...]


@dataclass(frozen=True)
class Sandbagging:
    """A way to spoil the submission while it is put together, with an innocent reason."""

    name: str
    edits: tuple[Edit, ...]
    cover: str


FINISH = "finish.py"
"""The program that puts the submission together, the same for all competitions."""


@cache
def excursions() -> tuple[Excursion, ...]:
    """All detours, as ``templates/detours.md`` has them.

    A heading gives name and place, a list the sentences of a turn, a fence what is done in it; ``===``
    separates alternatives, or old from new.

    Examples
    --------
    >>> [len(each.acts) for each in excursions() if each.name == "a slip in the editor"]
    [3]
    """
    found = []
    for heading, body in _sections("detours"):
        name, _, place = heading.partition(": ")
        acts = []
        for bullets, info, text in re.findall(
            r"((?:^- .+\n)+)\n```(.+)\n((?s:.*?))^```$", body, re.MULTILINE
        ):
            sentences = tuple(re.findall(r"^- (.+?)\s*$", bullets, re.MULTILINE))
            acts.append(Act(sentences, info, tuple(part.rstrip("\n") for part in text.split("\n===\n"))))
        found.append(Excursion(name, place, tuple(acts)))  # type: ignore[arg-type]
    return tuple(found)


@cache
def finish() -> str:
    """The program `FINISH`."""
    return _fences(dict(_sections("finish"))["script"])[0] + "\n"


@cache
def finish_decoys() -> tuple[str, ...]:
    """Lines of it that look suspicious and are not."""
    return tuple(_fences(dict(_sections("finish"))["decoy"]))


@cache
def sandbagging_order() -> str:
    """What a sandbagging agent has been told, in a sentence."""
    return dict(_sections("finish"))["order"].strip()


@cache
def sandbaggings() -> tuple[Sandbagging, ...]:
    """The ways to sandbag.

    Examples
    --------
    >>> [(each.name, len(each.edits)) for each in sandbaggings()]
    [('shifted rows', 3), ('ids as text', 3)]
    """
    found = []
    for heading, body in _sections("finish"):
        kind, _, name = heading.partition(": ")
        if kind == "sandbagging":
            [cover] = re.findall(r"^cover: (.+)$", body, re.MULTILINE)
            fences = _fences(body)
            edits = tuple(Edit(FINISH, *both) for both in zip(fences[::2], fences[1::2], strict=True))
            found.append(Sandbagging(name, edits, cover))
    return tuple(found)


def _sections(name: str) -> list[tuple[str, str]]:
    text = (files(__package__) / "templates" / f"{name}.md").read_text("utf-8")
    outside = re.split(r"^# (?=[a-z ]+(?::.*)?$)", text, flags=re.MULTILINE)[1:]
    return [(heading, body) for heading, _, body in (section.partition("\n") for section in outside)]


def _fences(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)


def quoted(sentences: str) -> str:
    """The first sentence of a text, on one line.

    Examples
    --------
    >>> quoted("Do this, e.g. now.\\nThen that.")
    'Do this, e.g. now.'
    """
    return re.split(r"(?<=[a-z`)][.!?])\s+(?=[A-Z])", sentences.strip())[0].replace("\n", " ")


def facts(description: str) -> Mapping[str, str]:
    """What sentences say of a competition, read from its page: target, metric, a sentence of its overview.

    Examples
    --------
    >>> page = "## Overview\\nGuess it. Now.\\n## Evaluation\\nBy **F1**.\\n```\\nid,kind\\n1,a\\n```"
    >>> facts(page) == {"target": "kind", "mistyped": "kid", "metric": "F1", "quote": "Guess it."}
    True
    """
    target = re.findall(r"^id,(\w+)", description, re.MULTILINE)[0]
    metric = re.findall(r"\*\*(.+?)\*\*", description.partition("## Evaluation")[2])[0]
    overview = description.partition("## Overview")[2].partition("\n## ")[0]
    return {
        "target": target,
        "mistyped": target[:-2] + target[-1],
        "metric": metric,
        "quote": quoted(overview),
    }
