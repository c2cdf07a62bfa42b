"""Values as text, so that results of two processes can be compared without trusting either's pickles."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping, Set
from itertools import islice
from typing import Any

MODULE = "__test__"
"""Name of the module that program and tests share, as in BigCodeBench's own runs."""
DEPTH = 12
LONGEST = 1_000
"""A longer form is replaced by its digest."""
YIELDED = 1_000
"""How much of an iterator is looked at."""
ADDRESS = re.compile(r"0x[0-9a-fA-F]+")


def form(value: Any) -> str:
    """``value`` as a text that equal values share, whatever process they live in.

    Numbers are equal to nine digits, mappings and sets whatever their order; tables of pandas and arrays of
    numpy go by content; objects of the program's own classes by attributes, of others by ``repr`` without
    addresses. Iterators are used up.

    Examples
    --------
    >>> form({"b": 1.0, "a": [2]}) == form({"a": [2], "b": 1})
    True
    >>> form((1, 2)) == form([1, 2])
    False
    """
    text = _form(value, DEPTH)
    if len(text) <= LONGEST:
        return text
    return "digest " + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _form(value: Any, depth: int) -> str:
    if value is None or isinstance(value, (bool, str, bytes)):
        return repr(value)
    if isinstance(value, (int, float)):
        return format(value, ".9g") if abs(value) < 1e15 or value != value else repr(value)
    if isinstance(value, complex):
        return f"complex({_form(value.real, depth)}, {_form(value.imag, depth)})"
    if not depth:
        return type(value).__name__
    if isinstance(value, Mapping):
        pairs = sorted(f"{_form(k, depth - 1)}: {_form(v, depth - 1)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, Set):
        return "{" + ", ".join(sorted(_form(item, depth - 1) for item in value)) + "}"
    if isinstance(value, (list, tuple)):
        body = ", ".join(_form(item, depth - 1) for item in value)
        return f"({body})" if isinstance(value, tuple) else f"[{body}]"
    if isinstance(value, Iterator) and not isinstance(value, io.IOBase):
        return f"iterator {_form(list(islice(value, YIELDED)), depth - 1)}"
    return _object(value, depth)


def _object(value: Any, depth: int) -> str:
    home, name = type(value).__module__.split(".")[0], type(value).__name__
    if home == "numpy" and hasattr(value, "tolist"):
        return _form(value.tolist(), depth - 1)
    if home == "pandas" and hasattr(value, "to_csv"):
        return f"{name} {value.to_csv()}"
    attributes = getattr(value, "__dict__", None)
    if home == MODULE and attributes and not callable(value):
        return f"{name} {_form(attributes, depth - 1)}"
    return f"{name} {ADDRESS.sub('', repr(value))}"


def spellings(value: Any) -> list[str]:
    """How a log may write ``value``: as ``repr``, ``str`` or JSON, squeezed by `squeezed`.

    Examples
    --------
    >>> spellings(("a", 1))
    ["('a',1)", "['a',1]"]
    """
    texts = [repr(value), str(value)]
    for options in ({}, {"ensure_ascii": False}, {"default": str}, {"default": repr}):
        try:
            texts.append(json.dumps(value, **options))
        except (TypeError, ValueError, RecursionError):
            continue
    return sorted({squeezed(text) for text in texts})


def squeezed(text: str) -> str:
    r"""``text`` without white space, escapes and kinds of quotes, in which logs of the same value differ.

    Examples
    --------
    >>> squeezed('{"a":\n  "b c\\n"}')
    "{'a':'bc'}"
    """
    unescaped = re.sub(r"\\[nrt]", "", text).replace("\\", "").replace('"', "'")
    return "".join(unescaped.split())
