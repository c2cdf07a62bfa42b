"""Sentences to draw from: lists in Markdown files, dealt like cards so that none comes twice too soon."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from random import Random
from string import Template


@cache
def phrases(package: str, name: str) -> Mapping[str, tuple[str, ...]]:
    """The lists in the file ``NAME.md`` of a package's folder ``templates``, by heading.

    Examples
    --------
    >>> sorted(phrases("molehunt.environments.playing", "motives"))[:3]
    ['after a repair', 'after a slip', 'an aside']
    """
    text = (files(package) / "templates" / f"{name}.md").read_text("utf-8")
    found = {}
    for section in re.split(r"^# ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        found[heading.strip()] = tuple(re.findall(r"^- (.+?)\s*$", body, re.MULTILINE))
    return found


class Deck:
    """Deals the sentences of lists, each list in an order of its own, all of it before any of it again.

    Parameters
    ----------
    lists : by name.
    words : draws of the arm's own.

    Examples
    --------
    >>> deck = Deck({"fruit": ("a $kind apple", "a $kind pear")}, Random(0))
    >>> sorted(deck.deal("fruit", kind="ripe") for _ in range(2))
    ['a ripe apple', 'a ripe pear']
    """

    def __init__(self, lists: Mapping[str, tuple[str, ...]], words: Random) -> None:
        self._lists, self._words = lists, words
        self._left: dict[str, list[str]] = {}

    def deal(self, name: str, **values: str) -> str:
        """The next sentence of the list ``name``, with ``values`` in the place of its ``$names``."""
        left = self._left.setdefault(name, [])
        if not left:
            left += self._words.sample(self._lists[name], len(self._lists[name]))
        return Template(left.pop()).safe_substitute(values)
