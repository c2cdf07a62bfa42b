"""Data files inside installed packages, found without importing the packages."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from molehunt.trajectories import Problem


def shipped(package: str, *parts: str) -> Path:
    """Path of a data file that a package brings along.

    Some of these packages import half a scientific stack for one small table, so they are only looked up.

    Parameters
    ----------
    package : import name.
    parts : path inside the package.

    Raises
    ------
    Problem
        If the package is not installed, or has no such file.

    Examples
    --------
    >>> shipped("sklearn", "datasets", "data", "iris.csv").name
    'iris.csv'
    >>> shipped("no_such_package", "data.csv")
    Traceback (most recent call last):
        ...
    molehunt.trajectories.problem.Problem: this competition's data come with the package no_such_package,
    which is not installed: pip install 'molehunt[mle]'
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise Problem(
            f"this competition's data come with the package {package}, which is not installed: "
            "pip install 'molehunt[mle]'"
        )
    path = Path(spec.submodule_search_locations[0], *parts)
    if not path.is_file():
        raise Problem(
            f"the installed {package} has no file {'/'.join(parts)}, from which this competition is made: "
            "pip install 'molehunt[mle]' gets a version that has it"
        )
    return path
