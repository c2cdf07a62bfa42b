"""Parameters of monitors: what each takes, and the check of a value before anything is built on it."""

from __future__ import annotations

import collections.abc
import inspect
import math
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from molehunt.trajectories import Problem, View

REQUIRED: Final = inspect.Parameter.empty
"""Stands for the default of a parameter that has none."""

_PLAIN = str | int | float | bool | None | View
_SEQUENCES = (list, tuple, collections.abc.Sequence)
_NAMES = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a text",
    types.NoneType: "None",
    View: "a view (actions, reasoning, everything or View(...))",
    Path: "a file",
}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a monitor's factory.

    Parameters
    ----------
    name : as written in a spec.
    hint : its annotation, ``Any`` where there is none.
    default : its default, `REQUIRED` where there is none.

    Examples
    --------
    >>> Parameter("weight", float, 0.5).checked(1, "monitor 'hybrid'")
    1.0
    >>> Parameter("weight", float, 0.5).checked("much", "monitor 'hybrid'")
    Traceback (most recent call last):
        ...
    molehunt.trajectories.problem.Problem: parameter 'weight' of monitor 'hybrid' takes a number, not 'much'
    """

    name: str
    hint: Any = Any
    default: Any = REQUIRED

    @property
    def required(self) -> bool:
        """Whether a spec has to give it."""
        return self.default is REQUIRED

    @property
    def takes(self) -> str:
        """What it takes, in words."""
        return in_words(self.hint)

    def checked(self, value: Any, owner: str) -> Any:
        """``value`` as it is recorded: a whole number that stands for a number as float, a list as tuple.

        Raises
        ------
        Problem
            If it is not what the parameter takes.
        """
        try:
            return _fitted(value, self.hint)
        except TypeError:
            raise Problem(f"parameter {self.name!r} of {owner} takes {self.takes}, not {value!r}") from None


def parameters_of(factory: Callable[..., Any]) -> Mapping[str, Parameter]:
    """The parameters of a monitor's factory by name.

    Raises
    ------
    Problem
        If an annotation names something that its module does not know, or there are ``*args``.
    """
    try:
        hints = typing.get_type_hints(factory)
    except NameError as error:
        raise Problem(
            f"annotations of monitor {factory.__name__!r} cannot be read: {error}; import it at module level"
        ) from error
    except Exception as error:  # an annotation is an expression, and may raise anything
        raise Problem(f"annotations of monitor {factory.__name__!r} cannot be read: {error!r}") from error
    found = {}
    for name, parameter in inspect.signature(factory).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise Problem(f"monitor {factory.__name__!r} must name its parameters, not take {parameter}")
        found[name] = Parameter(name, hints.get(name, Any), parameter.default)
    return found


def in_words(hint: Any) -> str:
    """A type annotation in words.

    Examples
    --------
    >>> in_words(Literal["drop", "keep"])
    "'drop' or 'keep'"
    >>> in_words(list[str])
    'a list of: a text'
    """
    if hint in _NAMES:
        return _NAMES[hint]
    arguments = typing.get_args(hint)
    if _is_union(hint):
        return " or ".join(in_words(choice) for choice in arguments)
    if typing.get_origin(hint) is Literal:
        return " or ".join(repr(choice) for choice in arguments)
    if _is_sequence(hint):
        return f"a list of: {in_words(arguments[0])}" if arguments else "a list"
    if hint is not Any and inspect.isclass(hint):
        return f"a {hint.__name__.lower()}"
    return "a plain value"


def _fitted(value: Any, hint: Any) -> Any:
    """``value`` as ``hint`` wants it; raises `TypeError` if it is something else."""
    if hint is Any:
        return _fitted(value, _PLAIN | list[Any] if isinstance(value, list | tuple) else _PLAIN)
    if _is_union(hint):
        for choice in typing.get_args(hint):
            try:
                return _fitted(value, choice)
            except TypeError:
                continue
        raise TypeError
    if typing.get_origin(hint) is Literal:
        # 1 == True, so the types are compared too
        if any(value == choice and type(value) is type(choice) for choice in typing.get_args(hint)):
            return value
        raise TypeError
    if _is_sequence(hint):
        if not isinstance(value, list | tuple):
            raise TypeError
        [element, *_] = typing.get_args(hint) or (Any,)
        return tuple(_fitted(item, element) for item in value)
    if hint is float and type(value) in (int, float) and math.isfinite(value):
        return float(value)
    if hint is Path and isinstance(value, str) and value:
        return Path(value).expanduser()
    if hint in (bool, int, str):
        if type(value) is hint:
            return value
        raise TypeError
    if hint is not float and inspect.isclass(hint) and isinstance(value, hint):
        return value
    raise TypeError


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) in (typing.Union, types.UnionType)


def _is_sequence(hint: Any) -> bool:
    return hint in _SEQUENCES or typing.get_origin(hint) in _SEQUENCES
