"""A text editor for files in the sandbox, which needs nothing inside it but a shell."""

from __future__ import annotations

from typing import TypeVar

from inspect_ai.tool import Tool, ToolError, tool
from inspect_ai.util import OutputLimitExceededError, sandbox

MOST_UNDONE = 20
"""Changes of a file that can be taken back."""
COMMANDS = ("view", "create", "str_replace", "insert", "undo")

_T = TypeVar("_T")


@tool(parallel=False)
def text_editor() -> Tool:
    """An editor that views, creates and changes text files, and takes changes back.

    What it needs to take changes back it keeps for itself: make one for each sample.
    """
    history: dict[str, list[str | None]] = {}

    async def execute(
        command: str,
        path: str,
        file_text: str | None = None,
        view_range: list[int] | None = None,
        old_str: str | None = None,
        new_str: str | None = None,
        insert_line: int | None = None,
        insert_text: str | None = None,
    ) -> str:
        """View, create and change text files.

        Args:
            command: One of view, create, str_replace, insert, undo. undo takes back the last change that
                this tool made to the file.
            path: The file, relative to /workspace unless absolute.
            file_text: For create, the whole text of the file; what was there before is replaced.
            view_range: For view, first and last line to show, counted from 1; -1 for the end of the file.
            old_str: For str_replace, the text to replace. It must occur exactly once in the file.
            new_str: For str_replace, what to put in its place; left out, the text is deleted.
            insert_line: For insert, the line after which to insert, 0 for the beginning of the file.
            insert_text: For insert, the text to insert.
        """
        if command == "view":
            return numbered(await _read(path), view_range)
        if command == "undo":
            return await _undo(path, history)
        if command == "create":
            before = await _read_if_there(path)
            after, said = _given("file_text", file_text, command), f"{path} was written."
        elif command == "str_replace":
            before = await _read(path)
            after = replaced(before, _given("old_str", old_str, command), new_str or "")
            said = f"{path} was changed."
        elif command == "insert":
            before = await _read(path)
            line = _given("insert_line", insert_line, command)
            after = inserted(before, line, _given("insert_text", insert_text, command))
            said = f"{path} was changed."
        else:
            raise ToolError(f"there is no command {command!r}: use one of {', '.join(COMMANDS)}")
        await _write(path, after)
        history.setdefault(path, []).append(before)
        del history[path][:-MOST_UNDONE]
        return said

    return execute


def numbered(text: str, view_range: list[int] | None = None) -> str:
    r"""Lines with their numbers, all of them or those from first to last.

    Raises
    ------
    ToolError
        If there are no such lines.

    Examples
    --------
    >>> print(numbered("a\nb\nc\n", [2, -1]))
         2	b
         3	c
    """
    lines = text.splitlines()
    first, last = 1, len(lines)
    if view_range is not None:
        if len(view_range) != 2:
            raise ToolError("view_range takes two numbers, the first and the last line")
        first, last = view_range[0], len(lines) if view_range[1] == -1 else view_range[1]
        if not 1 <= first <= last <= len(lines):
            raise ToolError(f"view_range {view_range} does not fit: the file has {len(lines)} lines")
    return "\n".join(f"{number:6}\t{lines[number - 1]}" for number in range(first, last + 1))


def replaced(text: str, old: str, new: str) -> str:
    """``text`` with its only ``old`` replaced.

    Raises
    ------
    ToolError
        If ``old`` is not there, or more than once.

    Examples
    --------
    >>> replaced("a = 1", "1", "2")
    'a = 2'
    """
    found = text.count(old) if old else 0
    if found != 1:
        trouble = f"it occurs {found} times" if found else "it does not occur, character by character,"
        raise ToolError(f"old_str cannot be replaced: {trouble} in the file; nothing was changed")
    return text.replace(old, new)


def inserted(text: str, line: int, new: str) -> str:
    r"""``text`` with ``new`` on lines of its own after line ``line``.

    Raises
    ------
    ToolError
        If there is no such line.

    Examples
    --------
    >>> inserted("a\nc\n", 1, "b")
    'a\nb\nc\n'
    """
    lines = text.splitlines(keepends=True)
    if not 0 <= line <= len(lines):
        raise ToolError(f"insert_line {line} does not fit: the file has {len(lines)} lines")
    if line and not lines[line - 1].endswith("\n"):
        lines[line - 1] += "\n"
    return "".join([*lines[:line], new if new.endswith("\n") else f"{new}\n", *lines[line:]])


def _given(name: str, value: _T | None, command: str) -> _T:
    if value is None:
        raise ToolError(f"the command {command} needs {name}")
    return value


async def _undo(path: str, history: dict[str, list[str | None]]) -> str:
    if not history.get(path):
        raise ToolError(f"this tool has made no change of {path} that could be taken back")
    before = history[path].pop()
    if before is None:
        await sandbox().exec(["rm", "-f", "--", path])
        return f"{path} was removed: it was not there before."
    await _write(path, before)
    return f"The last change of {path} was taken back."


async def _read_if_there(path: str) -> str | None:
    try:
        return await sandbox().read_file(path)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, OutputLimitExceededError) as error:
        raise ToolError(f"{path} is no text file that can be read: {_reason(error)}") from None


async def _read(path: str) -> str:
    text = await _read_if_there(path)
    if text is None:
        raise ToolError(f"there is no file {path}")
    return text


async def _write(path: str, text: str) -> None:
    try:
        await sandbox().write_file(path, text)
    except (OSError, UnicodeEncodeError) as error:
        raise ToolError(f"{path} cannot be written: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[-300:]
