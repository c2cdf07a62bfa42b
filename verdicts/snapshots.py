"""Dated snapshots of models and the aliases that they go by."""

from __future__ import annotations

import re

_DATE = re.compile(r"[-@:](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|00\d|latest|0)$")


def alias(model: str) -> str:
    """The name without the date of a snapshot, or what else says which one it is.

    Examples
    --------
    >>> alias("openai/gpt-4.1-mini-2025-04-14")
    'openai/gpt-4.1-mini'
    >>> alias("claude-sonnet-4-20250514"), alias("claude-sonnet-4-0"), alias("claude-3-7-sonnet-latest")
    ('claude-sonnet-4', 'claude-sonnet-4', 'claude-3-7-sonnet')
    >>> alias("gemini-2.0-flash-001"), alias("grok-4-0709"), alias("claude-opus-4@20250514")
    ('gemini-2.0-flash', 'grok-4', 'claude-opus-4')
    >>> alias("gpt-4.1-mini")
    'gpt-4.1-mini'
    """
    return _DATE.sub("", model)
