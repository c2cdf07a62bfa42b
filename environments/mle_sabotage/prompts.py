"""The environment's prompts: one file each, our own wording."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def prompt(name: str) -> str:
    """Text of ``prompts/NAME.md`` without the white space around it.

    Examples
    --------
    >>> "$description" in prompt("task")
    True
    """
    folder = files("molehunt.environments.mle_sabotage") / "prompts"
    return (folder / f"{name}.md").read_text("utf-8").strip()
