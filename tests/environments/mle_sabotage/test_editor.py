"""The agent's text editor on a real sandbox's files: what it does, and what it answers to what cannot be."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.tool import ToolDef, ToolError

from molehunt.environments.mle_sabotage.tools import editor
from molehunt.environments.mle_sabotage.tools.editor import inserted, numbered, replaced, text_editor
from molehunt.environments.sandbox.bubblewrap import BubblewrapSandbox

Edit = Callable[..., Awaitable[Any]]


@pytest.fixture
def edit(box: BubblewrapSandbox, monkeypatch: pytest.MonkeyPatch) -> Edit:
    """The tool of a sample whose sandbox is ``box``."""
    monkeypatch.setattr(editor, "sandbox", lambda: box)
    return text_editor()


async def test_a_file_is_made_with_its_folders_and_shown_with_numbers(edit: Edit) -> None:
    assert await edit("create", "src/a.py", file_text="one\ntwo\n") == "src/a.py was written."
    assert await edit("view", "src/a.py") == "     1\tone\n     2\ttwo"
    assert await edit("view", "/workspace/src/a.py", view_range=[2, -1]) == "     2\ttwo"


async def test_text_is_replaced_where_it_occurs_once(edit: Edit, box: BubblewrapSandbox) -> None:
    await edit("create", "a.py", file_text="x = 1\ny = 1\n")
    await edit("str_replace", "a.py", old_str="x = 1", new_str="x = 2")
    await edit("str_replace", "a.py", old_str="y = 1\n")
    assert await box.read_file("a.py") == "x = 2\n"


async def test_lines_are_inserted(edit: Edit, box: BubblewrapSandbox) -> None:
    await edit("create", "a.py", file_text="one\nthree")
    await edit("insert", "a.py", insert_line=1, insert_text="two")
    await edit("insert", "a.py", insert_line=3, insert_text="four\n")
    assert await box.read_file("a.py") == "one\ntwo\nthree\nfour\n"


async def test_changes_are_taken_back_one_by_one_until_the_file_is_gone(
    edit: Edit, box: BubblewrapSandbox
) -> None:
    await edit("create", "a.py", file_text="1")
    await edit("str_replace", "a.py", old_str="1", new_str="2")
    assert await edit("undo", "a.py") == "The last change of a.py was taken back."
    assert await box.read_file("a.py") == "1"
    assert await edit("undo", "a.py") == "a.py was removed: it was not there before."
    assert not (await box.exec(["test", "-e", "a.py"])).success
    with pytest.raises(ToolError, match=r"has made no change of a\.py"):
        await edit("undo", "a.py")


async def test_a_change_that_failed_is_no_change_to_take_back(edit: Edit) -> None:
    await edit("create", "a.py", file_text="1")
    with pytest.raises(ToolError):
        await edit("str_replace", "a.py", old_str="9", new_str="2")
    assert await edit("undo", "a.py") == "a.py was removed: it was not there before."


async def test_two_samples_do_not_share_what_was_undone(edit: Edit) -> None:
    await edit("create", "a.py", file_text="1")
    with pytest.raises(ToolError, match="has made no change"):
        await text_editor()("undo", "a.py")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"command": "delete"}, "no command 'delete': use one of view, create, str_replace, insert, undo"),
        ({"command": "create"}, "the command create needs file_text"),
        ({"command": "str_replace", "new_str": "x"}, "the command str_replace needs old_str"),
        ({"command": "insert", "insert_text": "x"}, "the command insert needs insert_line"),
        ({"command": "str_replace", "old_str": "z"}, "does not occur"),
        ({"command": "str_replace", "old_str": ""}, "does not occur"),
        ({"command": "str_replace", "old_str": "a"}, "it occurs 2 times"),
        ({"command": "insert", "insert_line": 3, "insert_text": "x"}, "insert_line 3 does not fit"),
        ({"command": "view", "view_range": [2, 1]}, "does not fit: the file has 2 lines"),
        ({"command": "view", "view_range": [1]}, "takes two numbers"),
        ({"command": "view", "path": "none.py"}, "there is no file none.py"),
        ({"command": "view", "path": "/workspace"}, "is no text file that can be read"),
        ({"command": "view", "path": "blob"}, "is no text file that can be read"),
        ({"command": "create", "path": "/usr/x", "file_text": ""}, "cannot be written"),
        ({"command": "create", "path": "/workspace", "file_text": ""}, "is no text file"),
        ({"command": "create", "path": "big", "file_text": "x" * 30_000_000}, "cannot be written"),
    ],
)
async def test_what_cannot_be_done_is_told_to_the_model(
    edit: Edit, box: BubblewrapSandbox, arguments: dict[str, Any], complaint: str
) -> None:
    await box.write_file("a.txt", "a\na\n")
    await box.write_file("blob", b"\xff\xfe\x00")
    with pytest.raises(ToolError, match=complaint):
        await edit(**{"path": "a.txt", **arguments})
    assert await box.read_file("a.txt") == "a\na\n"


def test_the_model_is_told_of_every_parameter() -> None:
    tool = ToolDef(text_editor())
    assert tool.name == "text_editor"
    assert all(each.description for each in tool.parameters.properties.values())


@given(st.lists(st.text("ab ", max_size=3), max_size=6), st.data())
def test_what_was_inserted_stands_after_its_line_and_the_rest_stays(lines: list[str], data: Any) -> None:
    place = data.draw(st.integers(0, len(lines)))
    text = "".join(f"{line}\n" for line in lines)
    assert inserted(text, place, "new").splitlines() == [*lines[:place], "new", *lines[place:]]


@given(st.text("ab\n", max_size=8), st.text("ab\n", min_size=1, max_size=3), st.text("ab\n", max_size=3))
def test_a_replacement_changes_one_place_or_is_refused(text: str, old: str, new: str) -> None:
    if text.count(old) == 1:
        before, after = text.split(old)
        assert replaced(text, old, new) == before + new + after
    else:
        with pytest.raises(ToolError):
            replaced(text, old, new)


def test_an_empty_file_is_shown_as_nothing() -> None:
    assert numbered("") == ""
