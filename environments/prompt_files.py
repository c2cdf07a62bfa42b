"""Prompts of environments: one Markdown file each, in the folder ``prompts`` of its package."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def prompt_of(package: str, name: str) -> str:
    """Text of a package's file ``prompts/NAME.md`` without the white space around it.

    Examples
    --------
    >>> "$description" in prompt_of("molehunt.environments.mle_sabotage", "task")
    True
    """
    return (files(package) / "prompts" / f"{name}.md").read_text("utf-8").strip()
