"""Monitors by name: those of this package, those that others have installed, and those in a file."""

from __future__ import annotations

import difflib
import importlib
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from molehunt.monitors.files import load_file
from molehunt.monitors.protocol import FACTORY_MARK, FactoryFacts, Monitor, MonitorSpec
from molehunt.monitors.specs import parse, spec_text, value_text, view_named
from molehunt.trajectories import Problem, View

GROUP = "molehunt.monitors"
"""The entry-point group through which an installed package offers its monitors."""

BUILT_IN = {
    "action_only": "molehunt.monitors.single_view",
    "cot_only": "molehunt.monitors.single_view",
    "cot_action": "molehunt.monitors.single_view",
    "hybrid": "molehunt.monitors.hybrid",
    "cascade": "molehunt.monitors.cascade",
    "stepwise": "molehunt.monitors.stepwise",
    "eae": "molehunt.monitors.eae",
    "eae_chunked": "molehunt.monitors.eae",
    "eae_views": "molehunt.monitors.eae",
    "eae_summaries": "molehunt.monitors.eae",
    "quote_only": "molehunt.monitors.quote_only",
    "sequential": "molehunt.monitors.sequential",
    "hierarchical": "molehunt.monitors.hierarchical",
    "hierarchical_sequential": "molehunt.monitors.hierarchical_sequential",
    "trace": "molehunt.monitors.trace",
    "binary": "molehunt.monitors.binary",
    "checklist": "molehunt.monitors.checklist",
    "variant": "molehunt.monitors.variant",
    "static": "molehunt.monitors.static",
    "flag_all": "molehunt.monitors.floors",
    "length": "molehunt.monitors.floors",
    "format": "molehunt.monitors.floors",
    "keyword": "molehunt.monitors.floors",
}
"""Module of each monitor of this package, imported when the monitor is wanted."""

MADE_OF_FILES = {"learned": "molehunt.monitors.learned"}
"""The same of those that cannot be built without a file."""

OURS = {**BUILT_IN, **MADE_OF_FILES}

HOME = "molehunt"
"""The distribution that these come with."""

Factory = Callable[..., Monitor]


@dataclass(frozen=True)
class Description:
    """What there is to say of a monitor before it is built.

    Parameters
    ----------
    name : as written in a spec.
    summary : one line.
    parameters : ``(name, what it takes, default as written in a spec or None)`` of each.
    roles : models it needs.
    source : paper or ``floor``.
    calls : questions it asks, with its default parameters.
    each : what ``calls`` are counted for: ``trajectory``, ``look``, ``chunk``.
    oracle : whether it has seen truth.
    home : ``molehunt``, the distribution that it comes with, or its file.
    text : the whole docstring.
    """

    name: str
    summary: str
    parameters: tuple[tuple[str, str, str | None], ...]
    roles: tuple[str, ...]
    source: str
    calls: int
    each: str
    oracle: bool
    home: str
    text: str


def names() -> tuple[str, ...]:
    """Names of all monitors that are installed, those of this package first."""
    others = {point.name for point in entry_points(group=GROUP)} - OURS.keys()
    return (*OURS, *sorted(others))


def is_installed(name: str) -> bool:
    """Whether a monitor of this name is installed; for those of this package nothing is looked through."""
    return name in OURS or name in names()


def own_names() -> tuple[str, ...]:
    """Names of the monitors of this package, those included that need another one beside it."""
    others = {point.name for point in entry_points(group=GROUP) if _home(point) == HOME} - OURS.keys()
    return (*OURS, *sorted(others))


def build(spec: str | MonitorSpec | Monitor) -> Monitor:
    """The monitor that ``spec`` describes; a monitor is returned as it is.

    Parameters
    ----------
    spec : ``eae``, ``eae(min_excerpts=8)``, ``path/to/mine.py@keyword``, or the same taken apart.

    Raises
    ------
    Problem
        If there is no such monitor or parameter, or a value is not what the parameter takes.

    Examples
    --------
    >>> build("hybrid(weight=0.5)").roles
    ('monitor',)
    >>> build("eea")
    Traceback (most recent call last):
        ...
    molehunt.trajectories.problem.Problem: there is no monitor 'eea', did you mean 'eae'? Choose from ...
    """
    if isinstance(spec, Monitor):
        return spec
    wanted = parse(spec) if isinstance(spec, str) else spec
    factory, _ = find(wanted.name)
    facts = facts_of(factory)
    unknown = [name for name in wanted.params if name not in facts.parameters]
    if unknown:
        choices = _choices(unknown[0], facts.parameters)
        raise Problem(f"monitor {wanted.name!r} has no parameter {unknown[0]!r}{choices}")
    missing = [name for name, p in facts.parameters.items() if p.required and name not in wanted.params]
    if missing:
        raise Problem(f"monitor {wanted.name!r} needs its parameter {missing[0]!r}")
    params = {name: _built(value, facts.parameters[name].hint) for name, value in wanted.params.items()}
    monitor = _made(factory, wanted.name, params)
    return replace(monitor, spec=replace(monitor.spec, name=wanted.name))


def _made(factory: Factory, name: str, params: Mapping[str, Any]) -> Monitor:
    try:
        return factory(**params)
    except Problem:
        raise
    # whatever somebody's factory raises is a line about it
    except (Exception, SystemExit) as error:
        raise Problem(f"monitor {name!r} cannot be built: {type(error).__name__}: {error}") from error


def find(name: str) -> tuple[Factory, str]:
    """The factory that ``name`` stands for, and its home: see `Description`.

    Raises
    ------
    Problem
        If there is none, or it cannot be loaded.
    """
    if "@" in name:
        file, _, attribute = name.rpartition("@")
        module = load_file(Path(file).expanduser())
        offered = [key for key, value in vars(module).items() if _is_factory(value)]
        if attribute not in offered:
            raise Problem(f"{file} has no monitor {attribute!r}{_choices(attribute, offered)}")
        return getattr(module, attribute), str(file)
    if name in OURS:
        module = importlib.import_module(OURS[name])
        return next(f for f in vars(module).values() if _name_of(f) == name), HOME
    points = entry_points(group=GROUP, name=name)
    if not points:
        raise Problem(f"there is no monitor {name!r}{_choices(name, names())}, or a file as in mine.py@name")
    homes = sorted(_home(point) for point in points)
    if len(homes) > 1:
        raise Problem(f"monitor {name!r} is offered by {' and '.join(homes)}: uninstall all but one of them")
    [point] = points
    try:
        factory = point.load()
    except (Exception, SystemExit) as error:  # a stranger's package may raise anything
        raise Problem(f"monitor {name!r} of {homes[0]} cannot be loaded: {error!r}") from error
    if not _is_factory(factory):
        raise Problem(f"{point.value} of {homes[0]} is no monitor: decorate it with @monitor")
    return factory, homes[0]


def facts_of(factory: Factory) -> FactoryFacts:
    """What a factory says of itself."""
    facts: FactoryFacts = getattr(factory, FACTORY_MARK)
    return facts


def describe(name: str) -> Description:
    """What ``name`` is, for people.

    Raises
    ------
    Problem
        If there is no such monitor, or it cannot be loaded.

    Examples
    --------
    >>> describe("cot_only").parameters
    (('prose', "'auto' or 'action' or 'reasoning'", 'auto'),)
    """
    factory, home = find(name)
    facts = facts_of(factory)
    can_be_built = not any(parameter.required for parameter in facts.parameters.values())
    example = _made(factory, name, {}) if can_be_built else None
    return Description(
        name=name,
        summary=facts.summary,
        parameters=tuple(
            (p.name, p.takes, None if p.required else value_text(p.default))
            for p in facts.parameters.values()
        ),
        roles=example.roles if example else facts.roles,
        source=facts.source,
        calls=example.calls if example else facts.calls,
        each=facts.each,
        oracle=example.oracle if example else facts.oracle,
        home=home,
        text=facts.description,
    )


def check_roles(monitors: Iterable[Monitor], roles: Iterable[str]) -> None:
    """See that every role that is given a model is one that some monitor has.

    Raises
    ------
    Problem
        If not: a misspelt role would otherwise be bound to no effect.
    """
    wanted = tuple(dict.fromkeys(role for monitor in monitors for role in monitor.roles))
    for role in roles:
        if role not in wanted:
            raise Problem(f"none of the monitors has a role {role!r}{_choices(role, wanted)}")


def _built(value: Any, hint: Any) -> Any:
    """``value`` of a spec, with monitors and views in the place of their names where ``hint`` wants them."""
    arguments = typing.get_args(hint)
    if isinstance(value, str | MonitorSpec):
        if hint is Monitor or Monitor in arguments:
            return build(value)
        if hint is View or View in arguments:
            return view_named(parse(value) if isinstance(value, str) else value)
        return spec_text(value) if isinstance(value, MonitorSpec) else value
    if isinstance(value, list | tuple):
        element = arguments[0] if arguments else Any
        return [_built(item, element) for item in value]
    return value


def _is_factory(value: Any) -> bool:
    # some objects have every attribute that they are asked for
    return isinstance(getattr(value, FACTORY_MARK, None), FactoryFacts)


def _name_of(value: Any) -> str | None:
    return facts_of(value).name if _is_factory(value) else None


def _home(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value


def _choices(name: str, choices: Iterable[str]) -> str:
    choices = list(choices)
    if not choices:
        return "; there are none"
    close = difflib.get_close_matches(name, choices, n=1)
    suggestion = f", did you mean {close[0]!r}?" if close else "."
    return f"{suggestion} Choose from {', '.join(choices)}"
