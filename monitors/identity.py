"""Identity of monitors: records from which they are built again, and digests under which scores are kept."""

from __future__ import annotations

import hashlib
import inspect
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from molehunt.monitors.files import content_digest
from molehunt.monitors.prompts import SYSTEM
from molehunt.monitors.protocol import AnswerMode, Monitor, MonitorSpec
from molehunt.monitors.registry import build, facts_of, find, is_installed
from molehunt.trajectories import RENDERING, Problem, View


def to_record(monitor: Monitor) -> dict[str, Any]:
    """A monitor as JSON values, from which `from_record` builds it again, in another process or years later.

    Raises
    ------
    Problem
        If it has been defined where nothing else can find it, such as in a notebook or in another function.

    Examples
    --------
    >>> to_record(build("length(half=500)"))
    {'name': 'length', 'params': {...}, 'version': 1, 'content': ''}
    """
    name, content = _origin(monitor)
    if content and "@" not in name:
        raise Problem(
            f"monitor {monitor.spec.name!r} cannot be built again elsewhere: put it at the top level of a "
            "file and name it as in mine.py@name"
        )
    return {
        "name": name,
        "params": {parameter: _to_json(value) for parameter, value in monitor.spec.params.items()},
        "version": monitor.spec.version,
        "content": content,
    }


def from_record(record: Mapping[str, Any]) -> Monitor:
    """The monitor of a record that `to_record` made.

    Raises
    ------
    Problem
        If it cannot be found, or has another version or content by now and would give other scores.
    """
    name, content = record["name"], record["content"]
    params = {parameter: _from_json(value) for parameter, value in record["params"].items()}
    monitor = build(MonitorSpec(name, params))
    if (monitor.spec.version, _origin(monitor)[1]) != (record["version"], content):
        raise Problem(
            f"monitor {name!r} is not what it was when this was recorded: score again with the new one"
        )
    return monitor


def monitor_digest(
    monitor: Monitor, models: Mapping[str, Mapping[str, Any]], answer: AnswerMode = "text"
) -> str:
    """The id under which a monitor's scores are kept, 32 hexadecimal digits: another id, other scores.

    Parameters
    ----------
    monitor : its name, version and parameters count, those of its parts too, all prompts, the forms of
        answer, the version of the rendering and, for a monitor from a file, the file's content.
    models : for each role of the monitor the model and its generate config, as JSON values; other roles, and
        all of them for a floor, make no difference.
    answer : how answers are read; no difference for a floor either.

    Raises
    ------
    ValueError
        If a role of the monitor has no model.

    Examples
    --------
    >>> judge = build("action_only")
    >>> one = monitor_digest(judge, {"monitor": {"model": "openai/gpt-4.1-mini", "config": {}}})
    >>> one == monitor_digest(judge, {"monitor": {"model": "openai/gpt-4.1", "config": {}}})
    False
    """
    missing = [role for role in monitor.roles if role not in models]
    if missing:
        raise ValueError(f"role {missing[0]!r} of monitor {monitor.spec.name!r} has no model")
    content = {
        "monitor": _essence(monitor, answer),
        "system": SYSTEM if monitor.roles else "",
        "answer": answer if monitor.roles else "",
        "rendering": RENDERING,
        "models": {role: models[role] for role in monitor.roles},
    }
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()[:32]


def _essence(monitor: Monitor, answer: AnswerMode) -> dict[str, Any]:
    """All of a monitor but its models that its scores depend on."""
    name, content = _origin(monitor)
    facts = facts_of(monitor.factory) if monitor.factory else None
    params = {
        parameter: _to_json(value, answer)
        for parameter, value in monitor.spec.params.items()
        if not (facts and parameter in facts.added and value == facts.parameters[parameter].default)
    }
    return {
        "name": name.rpartition("@")[2],
        "content": content,
        "version": monitor.spec.version,
        "params": params,
        "prompts": monitor.prompts,
        "answers": [[form.name, form.instructions(answer), form.schema(answer)] for form in monitor.answers],
    }


def _origin(monitor: Monitor) -> tuple[str, str]:
    """Where a monitor's factory is found again, and the digest of the text that defines it.

    The text is empty for what is registered: the version of an installed monitor speaks for it.
    """
    if monitor.factory is None:
        raise Problem(f"monitor {monitor.spec.name!r} has no factory: make it with @monitor")
    function = facts_of(monitor.factory).function
    module = sys.modules.get(function.__module__)
    file = getattr(module, "__file__", None)
    at_top = "<locals>" not in function.__qualname__
    if module is not None and (loaded := content_digest(module)):
        return f"{file}@{function.__qualname__}" if at_top else function.__name__, loaded
    if is_installed(monitor.spec.name) and find(monitor.spec.name)[0] is monitor.factory:
        return monitor.spec.name, ""
    if file is not None:
        name = f"{Path(file).resolve()}@{function.__qualname__}" if at_top else function.__name__
        return name, hashlib.sha256(Path(file).read_bytes()).hexdigest()
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError) as error:
        raise Problem(f"the code of monitor {monitor.spec.name!r} is nowhere: put it in a file") from error
    return function.__name__, hashlib.sha256(source.encode()).hexdigest()


def _to_json(value: Any, answer: AnswerMode | None = None) -> Any:
    """A parameter's value as JSON: for a record, or with ``answer`` for a digest."""
    if isinstance(value, Monitor):
        return {"monitor": to_record(value) if answer is None else _essence(value, answer)}
    if isinstance(value, View):
        return {"view": vars(value)}
    if isinstance(value, Path):
        # what stands in a file decides the scores, not what it is called
        return {"content": _file_digest(value)} | ({"file": str(value.resolve())} if answer is None else {})
    if isinstance(value, tuple):
        return [_to_json(item, answer) for item in value]
    return value


def _file_digest(file: Path) -> str:
    try:
        with file.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise Problem(f"cannot read {file}, which a monitor is made of: {error.strerror}") from error


def _from_json(value: Any) -> Any:
    if isinstance(value, Mapping) and "file" in value:
        if _file_digest(file := Path(value["file"])) != value["content"]:
            raise Problem(f"{file} is not what it was when this was recorded: score again with the new one")
        return file
    if isinstance(value, Mapping):
        return from_record(value["monitor"]) if "monitor" in value else View(**value["view"])
    if isinstance(value, list):
        return [_from_json(item) for item in value]
    return value
