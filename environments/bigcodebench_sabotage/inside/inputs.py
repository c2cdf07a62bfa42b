"""Prepared inputs: calls made from those with which the tests call the canonical solution."""

from __future__ import annotations

import ast
import pickle
import random
import sys
from collections.abc import Callable, Iterator
from inspect import signature
from typing import Any

Call = tuple[tuple[Any, ...], dict[str, Any]]
"""Positional and keyword arguments."""

LONGEST_CASE = 200
ENLARGEMENTS = (1, 4, 16, 64)


class Blast(Exception):
    """What a `Grenade` raises: no handler that names exceptions one by one has heard of it."""


def _blow(*_: Any, **__: Any) -> Any:
    raise Blast("this argument cannot be used")


class Grenade:
    """An argument that raises `Blast` at any use: operators, calls, iteration, attributes, conversion."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)  # copy and pickle look for special methods; let them
        raise Blast("this argument cannot be used")

    def __reduce__(self) -> tuple[type[Grenade], tuple[()]]:
        return Grenade, ()


for _names in (
    ("bool", "call", "len", "iter", "next", "getitem", "setitem", "delitem", "contains", "enter", "exit"),
    ("eq", "ne", "lt", "le", "gt", "ge", "hash", "str", "repr", "format", "int", "float", "index", "fspath"),
    ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "rfloordiv", "mod"),
    ("rmod", "pow", "rpow", "and", "rand", "or", "ror", "neg", "abs", "round"),
):
    for _name in _names:
        setattr(Grenade, f"__{_name}__", _blow)


def seeded() -> None:
    """Put the random generators that are loaded at one fixed state."""
    random.seed(0)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(0)


def named(function: Callable[..., Any], call: Call) -> dict[str, Any]:
    """Arguments by the name of their parameter, those of ``*args`` and ``**kwargs`` left out."""
    parameters = signature(function).parameters
    bound = signature(function).bind(*call[0], **call[1]).arguments
    single = (
        p.name
        for p in parameters.values()
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name in bound
    )
    return {name: bound[name] for name in single}


def replaced(function: Callable[..., Any], call: Call, name: str, value: Any) -> Call:
    """The call with another value for one parameter, passed in the way in which it was.

    Examples
    --------
    >>> replaced(lambda a, b=0: a, ((1,), {}), "a", 9)
    ((9,), {})
    """
    args, kwargs = list(call[0]), dict(call[1])
    position = list(signature(function).parameters).index(name)
    if name in kwargs or position >= len(args):
        kwargs[name] = value
    else:
        args[position] = value
    return tuple(args), kwargs


def is_literal(value: Any) -> bool:
    """Whether program text can hold the value as it is, in a short line."""
    text = repr(value)
    if len(text) > LONGEST_CASE:
        return False
    try:
        back = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return type(back) is type(value) and bool(back == value)


def variants(value: Any) -> Iterator[Any]:
    """Values of the same kind that differ a little: what an edge case can be made of.

    Examples
    --------
    >>> list(variants([3, 1]))[:4]
    [[3, 1, 1], [1, 3, 3], [3, 1, 38], [3, 38]]
    >>> next(variants("2024-01-05"))
    '2024-01-08'
    """
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield from (value + 37, value + 3, value * 2 + 1)
    elif isinstance(value, float):
        yield from (value + 0.5, value * 2 + 1)
    elif isinstance(value, str):
        digit = next((place for place in reversed(range(len(value))) if value[place] in "0123456789"), None)
        if digit is not None:
            yield f"{value[:digit]}{(int(value[digit]) + 3) % 10}{value[digit + 1 :]}"
        yield from (value + value[-1:] + "q", value + " extra", value[::-1] + "7", value + "1", value + " ")
    elif isinstance(value, list) and value:
        yield value + value[-1:]
        yield value[::-1] + value[:1]
        for last in variants(value[-1]):
            yield [*value, last]
            yield [*value[:-1], last]
    elif isinstance(value, tuple) and value:
        for changed in variants(list(value)):
            yield tuple(changed)
    elif isinstance(value, set) and value:
        for new in variants(max(value, key=repr)):
            yield value | {new}
    elif isinstance(value, dict) and value:
        key, item = next(reversed(value.items()))
        for new in variants(item):
            yield {**value, key: new}
        for new in variants(key):
            yield {**value, new: item}


def enlarged(value: Any, factor: int, *, numbers: bool) -> Any:
    """A value of the same kind, ``factor`` times as large; what has no size stays as it is.

    Parameters
    ----------
    numbers : whether a whole number counts as a size.

    Examples
    --------
    >>> enlarged({"a": [1]}, 2, numbers=False)
    {'a': [1, 1], 'a1': [1, 1]}
    """
    if isinstance(value, bool) or factor == 1:
        return value
    if isinstance(value, int):
        return value * factor if numbers else value
    if isinstance(value, (str, bytes, list, tuple)):
        return value * factor
    if isinstance(value, dict):
        grown = {key: enlarged(item, factor, numbers=False) for key, item in value.items()}
        for copy in range(1, factor):
            grown.update({_other(key, copy): item for key, item in list(grown.items())[: len(value)]})
        return grown
    if isinstance(value, (set, frozenset)):
        return type(value)(_other(item, copy) for item in value for copy in range(factor))
    return value


def _other(key: Any, copy: int) -> Any:
    if isinstance(key, str):
        return f"{key}{copy}" if copy else key
    if isinstance(key, (int, float)):
        return key + 1_000 * copy
    return (*key, copy) if isinstance(key, tuple) and copy else key


def larger_calls(call: Call) -> Iterator[Iterator[Call]]:
    """Series of ever larger calls, starting with the call itself: sizes of containers, then numbers too."""
    for numbers in (False, True):
        yield (
            (
                tuple(enlarged(value, factor, numbers=numbers) for value in call[0]),
                {name: enlarged(value, factor, numbers=numbers) for name, value in call[1].items()},
            )
            for factor in ENLARGEMENTS
        )


def unfit_calls(function: Callable[..., Any], call: Call) -> Iterator[Call]:
    """The call with an argument that most functions cannot work with in the place of each of its own."""
    for name in named(function, call):
        for unfit in (Grenade(), None, object(), "\0", -1.5, []):
            yield replaced(function, call, name, unfit)


def packed(call: Call) -> str:
    """A call as text. Pickle, but made and read inside the sandbox only.

    Raises
    ------
    ValueError
        If an argument cannot be pickled: a mock, an open file, a lambda.
    """
    try:
        return pickle.dumps(call).hex()
    except Exception as error:  # what foreign classes do when they are pickled may raise anything
        raise ValueError(f"cannot be repeated: {error}") from error


def unpacked(text: str) -> Call:
    """The call that `packed` made a text of."""
    call: Call = pickle.loads(bytes.fromhex(text))  # noqa: S301, made by us, and in the sandbox anyway
    return call
