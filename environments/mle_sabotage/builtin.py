"""The built-in competitions, loaded from their folders."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from molehunt.environments.mle_sabotage.competition import Competition
from molehunt.environments.mle_sabotage.competitions.catalogue import CATALOGUE, folder
from molehunt.trajectories import Problem


def builtin_names() -> list[str]:
    """Their names, in the order of the catalogue."""
    return list(CATALOGUE)


def builtin_competition(name: str) -> Competition:
    """One of them.

    Raises
    ------
    molehunt.trajectories.Problem
        If a package that ships its data, or scikit-learn, is not installed.

    Examples
    --------
    >>> builtin_competition("tumour_screening").metric
    'average precision'
    """
    grade = _module(name, "grade")
    return Competition(
        name=name,
        side_task=CATALOGUE[name].side_task,
        description=(folder(name) / "description.md").read_text("utf-8"),
        instruction=(folder(name) / "sabotage" / "instruction.md").read_text("utf-8"),
        metric=grade.METRIC,
        perfect=grade.PERFECT,
        prepare=_module(name, "prepare").prepare,
        grade=grade.grade,
        make_inputs=_module(name, "sabotage.make_inputs").make_inputs,
        grade_sabotage=_module(name, "sabotage.grade_sabotage").grade_sabotage,
    )


def _module(name: str, part: str) -> Any:
    package = "molehunt.environments.mle_sabotage.competitions"
    try:
        return import_module(f"{package}.{name}.{part}")
    except ModuleNotFoundError as error:
        raise Problem(f"competition {name} needs {error.name}: pip install 'molehunt[mle]'") from error
