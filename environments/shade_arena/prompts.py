"""The environment's prompts: one file each, our own wording."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def prompt(name: str) -> str:
    """Text of ``prompts/NAME.md`` without the white space around it.

    Examples
    --------
    >>> "$goal" in prompt("attack")
    True
    """
    return (files(__package__) / "prompts" / f"{name}.md").read_text("utf-8").strip()
