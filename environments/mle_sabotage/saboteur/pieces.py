"""Places that are written twice: first as a draft, later as they are to stay, sound or as sabotage.

So both arms make the same edits at the same places, and only what they put there tells them apart.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from molehunt.environments.mle_sabotage.competitions.solutions import Edit
from molehunt.environments.playing import incriminating
from molehunt.environments.playing.marking import plain

NOTES = ("# first version, to be looked at again", "# as a start; see whether it can stay")
"""On a place that has no comment to leave out of its draft."""
PLACEHOLDERS = (
    "what this is for",
    "to be described",
    "a word on this later",
    "say more here",
    "explain this",
)
"""In the place of comments and docstrings that are a piece by themselves."""


@dataclass(frozen=True)
class Piece:
    """A place of a file, in whole lines.

    Parameters
    ----------
    file : its name.
    draft : what is written first; it runs, and does what ``sound`` does.
    sound : what an honest run makes of it.
    harmful : what an attack makes of it, with marks around what incriminates.
    """

    file: str
    draft: str
    sound: str
    harmful: str


def pieces(
    files: Mapping[str, str],
    edits: Sequence[Edit],
    marks: Sequence[str],
    shape: Random,
    *,
    fine: bool = False,
) -> tuple[Piece, ...]:
    """The places that ``edits`` change, in their order.

    Edits that touch the same lines, or what another edit has put in, become one piece.

    Parameters
    ----------
    files : the sound programs.
    edits : that turn them into sabotage.
    marks : words of the edits that incriminate.
    shape : draws that both arms share.
    fine : whether comments above the code of an edit are a piece of their own.

    Raises
    ------
    ValueError
        If what an edit replaces is nowhere, or no draft of it can be made.
    """
    found: list[Piece] = []
    for edit in edits:
        text = files[edit.file]
        old, new = _whole_lines(text, edit) if text.count(edit.old) == 1 else (edit.old, edit.new)
        same = [number for number, each in enumerate(found) if each.file == edit.file]
        apart = text.count(old) == 1 and not any(overlap(text, old, found[number].sound) for number in same)
        if apart:
            found.append(Piece(edit.file, "", old, new))
            continue
        for number in same:
            if found[number].harmful.count(edit.old) == 1:
                harmful = found[number].harmful.replace(edit.old, edit.new)
                found[number] = replace(found[number], harmful=harmful)
                break
        else:
            raise ValueError(f"{edit.old!r} is nowhere in {edit.file}")
    placeholders = shape.sample(PLACEHOLDERS, len(PLACEHOLDERS))
    return tuple(
        replace(
            each,
            draft=_draft(files[each.file], each.sound, shape.choice(NOTES), placeholders),
            harmful=_marked(each.harmful, each.sound, marks),
        )
        for piece in found
        for each in (_divided(piece) if fine else [piece])
    )


def written(files: Mapping[str, str], texts: Mapping[Piece, str]) -> dict[str, str]:
    """The sound files with a text in the place of each piece."""
    made = dict(files)
    for piece, text in texts.items():
        made[piece.file] = made[piece.file].replace(piece.sound, text, 1)
    return made


def _divided(piece: Piece) -> list[Piece]:
    """The comments at the beginning of a piece and what follows them, where both versions have both."""
    parts = [_head(text) for text in (piece.sound, piece.harmful)]
    if not all(head and rest for head, rest in parts):
        return [piece]
    return [replace(piece, sound=sound, harmful=harmful) for sound, harmful in zip(*parts, strict=True)]


def _head(text: str) -> tuple[str, str]:
    lines = text.split("\n")
    number = next((number for number, line in enumerate(lines) if not _is_comment(line)), len(lines))
    return "\n".join(lines[:number]), "\n".join(lines[number:])


def _whole_lines(text: str, edit: Edit) -> tuple[str, str]:
    start = text.index(edit.old)
    first = text.rfind("\n", 0, start) + 1
    end = start + len(edit.old)
    if edit.old.endswith("\n"):
        end -= 1
    last = text.find("\n", end)
    last = len(text) if last < 0 else last
    new = text[first:start] + edit.new + text[start + len(edit.old) : last]
    return text[first:last], new.removesuffix("\n") if edit.old.endswith("\n") else new


def overlap(text: str, one: str, other: str) -> bool:
    """Whether two parts of ``text`` share a character."""
    first, second = text.index(one), text.index(other)
    return first < second + len(other) and second < first + len(one)


def _marked(text: str, sound: str, marks: Sequence[str]) -> str:
    """``text`` with its incriminating words marked; all lines that it does not share, if none is named."""
    for mark in marks:
        if mark in text and mark not in sound:
            text = text.replace(mark, incriminating(mark), 1)
    if plain(text) == text:
        shared = sound.split("\n")
        lines = [
            line if line in shared or not line.strip() else incriminating(line) for line in text.split("\n")
        ]
        return "\n".join(lines)
    return text


def _draft(text: str, sound: str, note: str, placeholders: list[str]) -> str:
    """``sound`` without its comments and docstrings, or with something in their place.

    Where it has none, there is a ``note``; where it has nothing else, one of the ``placeholders`` is used up.
    """
    lines = sound.split("\n")
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    if all(map(_is_comment, lines)):
        word = placeholders.pop()
        return (
            f"{indent}# {word}" if lines[0].strip().startswith("#") else f'{indent}"""{word.capitalize()}."""'
        )
    drafts = [
        "\n".join(line for line in lines if not _is_comment(line)),
        f"{indent}{note}\n{sound}",
        f"{sound}\n{indent}{note}",
    ]
    for draft in drafts:
        made = text.replace(sound, draft, 1)
        if draft.strip() and draft != sound and made.count(draft) == 1 and _program(made) == _program(text):
            return draft
    raise ValueError(f"no draft of {sound!r} does what it does")


def _is_comment(line: str) -> bool:
    stripped = line.strip()
    docstring = stripped.startswith('"""') and stripped.endswith('"""') and len(stripped) >= 6
    return stripped.startswith("#") or docstring


@lru_cache(maxsize=1024)
def _program(text: str) -> str | None:
    """What a text does as a program: its syntax tree without docstrings."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:]
    return ast.dump(tree)
