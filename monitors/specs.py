"""Monitors in a line of text: ``eae(min_excerpts=8)``, ``hybrid(first=cot_only)``, ``mine.py@keyword``."""

from __future__ import annotations

import ast
import keyword
import re
from pathlib import Path
from typing import Any

from molehunt.monitors.parameters import parameters_of
from molehunt.monitors.protocol import FACTORY_MARK, FactoryFacts, Monitor, MonitorSpec
from molehunt.trajectories import ACTIONS, EVERYTHING, REASONING, Problem, View

VIEWS = {"actions": ACTIONS, "reasoning": REASONING, "everything": EVERYTHING}
"""Names that stand for a view in a spec; other views are written ``View(reasoning=True, actions=False)``."""

_SPEC = re.compile(r"(?P<name>[^()]+?)\s*(?P<arguments>\(.*\))?", re.DOTALL)


def parse(text: str) -> MonitorSpec:
    """Take a spec apart: the name, and the parameters that are given.

    Values are literals of Python's; a bare word is a text, which also names a monitor or a view where one is
    wanted; a call is a monitor or a view with parameters. Nothing is evaluated.

    Raises
    ------
    Problem
        If ``text`` is something else.

    Examples
    --------
    >>> parse("eae(min_excerpts=8, unmatched=keep)")
    MonitorSpec(name='eae', params={'min_excerpts': 8, 'unmatched': 'keep'}, version=1)
    """
    match = _SPEC.fullmatch(text.strip())
    if match is None:
        raise Problem(f"{text!r} is no monitor: write a name, or name(parameter=value, …)")
    if match["arguments"] is None:
        return MonitorSpec(match["name"])
    try:
        # The name may be a path, which is no Python; any other name will do for the arguments.
        call = ast.parse(f"f{match['arguments']}", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Problem(f"the parameters of {text!r} cannot be read: {error}") from None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        raise Problem(f"{text!r} is no monitor: write a name, or name(parameter=value, …)")
    return MonitorSpec(match["name"], _parameters(call, text))


def spec_text(monitor: Monitor | MonitorSpec) -> str:
    """The short form of a monitor, with those of its parameters only that differ from their defaults.

    Examples
    --------
    >>> from molehunt.monitors.hybrid import hybrid
    >>> from molehunt.monitors.single_view import cot_only
    >>> spec_text(hybrid(weight=0.5, first=cot_only(prose="action")))
    'hybrid(weight=0.5, first=cot_only(prose=action))'
    """
    spec, defaults = (monitor, {}) if isinstance(monitor, MonitorSpec) else (monitor.spec, _defaults(monitor))
    given = [
        f"{name}={value_text(value)}"
        for name, value in spec.params.items()
        if name not in defaults or value_text(value) != value_text(defaults[name])
    ]
    return f"{spec.name}({', '.join(given)})" if given else spec.name


def view_named(spec: MonitorSpec) -> View:
    """The view that a spec stands for.

    Raises
    ------
    Problem
        If there is no such view.
    """
    if not spec.params and spec.name in VIEWS:
        return VIEWS[spec.name]
    if spec.name == "View":
        try:
            view = View(**spec.params)
        except (TypeError, ValueError) as error:
            raise Problem(f"{spec_text(spec)} is no view: {error}") from None
        for name, parameter in parameters_of(View).items():
            parameter.checked(getattr(view, name), "a view")
        return view
    raise Problem(f"there is no view {spec_text(spec)!r}: choose from {', '.join(VIEWS)}, or View(…)")


def _parameters(call: ast.Call, text: str) -> dict[str, Any]:
    params: dict[str, Any] = {}
    if call.args:
        raise Problem(f"name the parameters in {text!r}, as in eae(min_excerpts=8)")
    for given in call.keywords:
        if given.arg is None or given.arg in params:
            raise Problem(f"the parameters of {text!r} cannot be read: ** or a name that is given twice")
        params[given.arg] = _value(given.value, given.arg, text)
    return params


def _value(node: ast.expr, parameter: str, text: str) -> Any:
    match node:
        case ast.Name(id=word):
            return word
        case ast.Call(func=ast.Name(id=name)):
            return MonitorSpec(name, _parameters(node, text))
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, parameter, text) for item in items]
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        raise Problem(
            f"parameter {parameter!r} in {text!r} is no plain value: give a number, a text (in quotes, if it "
            "is more than a word), True, False, None or a list of them"
        ) from None


def _defaults(monitor: Monitor) -> dict[str, Any]:
    facts: FactoryFacts | None = getattr(monitor.factory, FACTORY_MARK, None)
    return (
        {} if facts is None else {name: p.default for name, p in facts.parameters.items() if not p.required}
    )


def value_text(value: Any) -> str:
    """How ``value`` is written in a spec; `parse` reads it back."""
    if isinstance(value, Monitor | MonitorSpec):
        text = spec_text(value)
        return text if text.partition("(")[0].isidentifier() else repr(text)
    if isinstance(value, View):
        named = [name for name, view in VIEWS.items() if view == value]
        fields = ", ".join(f"{name}={value_text(field)}" for name, field in vars(value).items())
        return named[0] if named else f"View({fields})"
    if isinstance(value, Path):
        return value_text(str(value))
    if isinstance(value, tuple | list):
        return f"[{', '.join(value_text(item) for item in value)}]"
    # Python's parser folds other letters (µ becomes μ), so only ASCII comes back as it was.
    if isinstance(value, str) and value.isascii() and value.isidentifier() and not keyword.iskeyword(value):
        return value
    return repr(value)
