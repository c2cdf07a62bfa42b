"""Monitors as they are given: specs, monitors, and YAML files with a grid of monitors and models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from molehunt.monitors import Monitor
from molehunt.monitors.registry import build
from molehunt.scoring.roles import Binding, ModelSpec, bind
from molehunt.trajectories import Problem

FORM = "Write `monitors: [eae, action_only]` and `models: [openai/gpt-4.1-mini, …]`."


@dataclass(frozen=True)
class Group:
    """Monitors that share the models of their roles."""

    monitors: tuple[Monitor, ...]
    bindings: Mapping[str, Binding]


def groups_of(
    specs: Sequence[str | Path | Monitor],
    model: ModelSpec | None = None,
    roles: Mapping[str, ModelSpec] | None = None,
) -> list[Group]:
    """Monitors with their models: one group of those given singly, one for each model of a grid.

    A grid is a YAML file with ``monitors``, a list of specs, and ``models``, a list whose elements are each a
    model, a mapping of a model with settings, or a mapping of roles to such models. Without ``models`` its
    monitors get those given here.

    Raises
    ------
    Problem
        If a monitor or role is unknown, a role has no model, or a file is no grid.
    """
    single = [spec for spec in specs if not _is_grid(spec)]
    grids = [_grid(Path(str(spec))) for spec in specs if _is_grid(spec)]
    for grid in grids:
        single += [] if grid["models"] else grid["monitors"]
    groups = []
    if single or roles:
        monitors = tuple(build(str(spec) if isinstance(spec, Path) else spec) for spec in single)
        groups.append(Group(monitors, bind(monitors, model, roles)))
    for grid in grids:
        monitors = tuple(map(build, grid["monitors"]))
        for models in grid["models"]:
            by_role = isinstance(models, Mapping) and "model" not in models
            groups.append(
                Group(monitors, bind(monitors, None, models) if by_role else bind(monitors, models))
            )
    if not any(group.monitors for group in groups):
        raise Problem(
            "there is no monitor to score with. Give one: --monitor eae. `molehunt monitors` lists them."
        )
    return groups


def _is_grid(spec: str | Path | Monitor) -> bool:
    return not isinstance(spec, Monitor) and str(spec).endswith((".yaml", ".yml"))


def _grid(file: Path) -> dict[str, list[Any]]:
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Problem(f"cannot read the grid {file}: {error.strerror}.") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        where = " ".join(str(error).split())
        raise Problem(f"{file} is not YAML: {where}. {FORM}") from error
    if not isinstance(content, dict) or not content.get("monitors"):
        raise Problem(f"{file} names no monitors. {FORM}")
    grid = {"monitors": content.pop("monitors"), "models": content.pop("models", [])}
    if content:
        raise Problem(f"{file} has {next(iter(content))!r}, which is no part of a grid. {FORM}")
    for name, values in grid.items():
        kinds = (str,) if name == "monitors" else (str, dict)
        if not isinstance(values, list) or not all(isinstance(value, kinds) for value in values):
            raise Problem(f"the {name} of {file} are no list of names. {FORM}")
    return grid
