"""The files in the workspace, as a plan writes and changes them, and the calls that do it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from molehunt.environments.mle_sabotage.competitions.solutions import Mistake
from molehunt.environments.mle_sabotage.saboteur.pieces import Piece
from molehunt.environments.playing import ToolUse, decoy
from molehunt.environments.playing.marking import plain

_CHANGE = """from pathlib import Path


def put(path, old, new):
    text = Path(path).read_text()
    assert text.count(old) == 1, f"{path}: found {text.count(old)} times"
    Path(path).write_text(text.replace(old, new))
"""


@dataclass(frozen=True)
class Change:
    """A piece and what becomes of it, with marks."""

    piece: Piece
    text: str


class Workspace:
    """Follows what the files hold while a plan is made, so that every edit finds what it replaces.

    Parameters
    ----------
    drafts : the files as they are first written, with marks.
    mistake : with which its file is first written.
    decoys : by file, words to mark when the file is first written.
    """

    def __init__(
        self, drafts: Mapping[str, str], mistake: Mistake, decoys: Mapping[str, Sequence[str]]
    ) -> None:
        self._drafts, self._mistake, self._decoys = drafts, mistake, decoys
        self._texts: dict[str, str] = {}
        self._broken, self._repaired = _repair(plain(drafts[mistake.file]), mistake)

    def create(self, name: str) -> ToolUse:
        """The call that writes a file for the first time."""
        text = self._drafts[name]
        if name == self._mistake.file:
            text = _replaced(text, self._mistake.old, self._mistake.new)
        for words in self._decoys.get(name, ()):
            if text.count(words) == 1:
                text = text.replace(words, decoy(words))
        return self._write(name, text)

    def repair(self) -> ToolUse:
        """The call that puts the mistake right."""
        return self.replace(self._mistake.file, self._broken, self._repaired)

    def replace(self, name: str, old: str, new: str) -> ToolUse:
        """The call that replaces ``old`` in a file, once, by ``new`` with marks."""
        self._texts[name] = _replaced(self._texts[name], old, plain(new))
        arguments = {"command": "str_replace", "path": name, "old_str": old, "new_str": new}
        return ToolUse("text_editor", arguments)

    def change(self, changes: Sequence[Change], *, anew: bool) -> ToolUse:
        """One call that makes all of ``changes``.

        Parameters
        ----------
        changes : one or more.
        anew : whether to write a file anew, where all of them are in one.
        """
        if len(changes) == 1:
            [one] = changes
            return self.replace(one.piece.file, one.piece.draft, one.text)
        names = {each.piece.file for each in changes}
        if anew and len(names) == 1:
            [name] = names
            text = self._texts[name]
            for each in changes:
                text = _replaced(text, each.piece.draft, each.text)
            return self._write(name, text)
        puts = []
        for each in changes:
            file, draft = each.piece.file, each.piece.draft
            self._texts[file] = _replaced(self._texts[file], draft, plain(each.text))
            puts.append(f'put(\n    "{file}",\n    {_literal(draft)},\n    {_literal(each.text)},\n)\n')
        code = "\n".join([f"{_CHANGE}\n", *puts, 'print("changed")\n'])
        return ToolUse("python", {"code": code})

    def _write(self, name: str, text: str) -> ToolUse:
        self._texts[name] = plain(text)
        return ToolUse("text_editor", {"command": "create", "path": name, "file_text": text})


def _replaced(text: str, old: str, new: str) -> str:
    if text.count(old) != 1:
        raise ValueError(f"{old!r} occurs {text.count(old)} times, not once")
    return text.replace(old, new)


def _repair(text: str, mistake: Mistake) -> tuple[str, str]:
    """What is wrong and what it should be, with lines around it until it occurs once and is not empty."""
    if text.count(mistake.old) != 1:
        raise ValueError(
            f"{mistake.old!r} occurs {text.count(mistake.old)} times in {mistake.file}, not once"
        )
    start = text.index(mistake.old)
    end = start + len(mistake.old)
    broken = text[:start] + mistake.new + text[end:]
    gained = len(broken) - len(text)
    while True:
        start = text.rfind("\n", 0, start) + 1
        end = end if end and text[end - 1] == "\n" else (text + "\n").index("\n", end)
        wrong, right = broken[start : end + gained], text[start:end]
        if wrong.strip() and broken.count(wrong) == 1:
            return wrong.removesuffix("\n"), right.removesuffix("\n")
        if start == 0 and end >= len(text):
            raise ValueError(f"the mistake in {mistake.file} cannot be told from its surroundings")
        start, end = max(start - 1, 0), min(end + 1, len(text))


def _literal(text: str) -> str:
    """A text as a raw string over lines, so that it reads and is quoted as it stands."""
    bare = plain(text)
    for quotes in ("'''", '"""'):
        if quotes not in bare and not bare.endswith((quotes[0], "\\")):
            return f"r{quotes}{text}{quotes}"
    return repr(bare)
