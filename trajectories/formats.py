"""The formats of transcripts that are known: how each is told, and what reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from molehunt.trajectories.beginnings import Beginning
from molehunt.trajectories.completions import are_completions, completion_runs
from molehunt.trajectories.inspect_runs import inspect_runs
from molehunt.trajectories.labels import TruthOptions
from molehunt.trajectories.mapping import Tally
from molehunt.trajectories.mrt import is_mrt, mrt_runs
from molehunt.trajectories.runs import Run
from molehunt.trajectories.unread import Unread

Reader = Callable[[Path, TruthOptions, Tally], Iterator[Run | Unread]]
"""Reads a file: an `Unread` for each part of it that cannot be read, and nothing raised for these."""


@dataclass(frozen=True)
class Format:
    """A format of transcripts.

    Parameters
    ----------
    about : what it is, in a few words, for people.
    tells : whether a file that begins so is of this format.
    read : reads one file of it.
    """

    about: str
    tells: Callable[[Beginning], bool]
    read: Reader


FORMATS: dict[str, Format] = {
    "mrt": Format(
        "transcripts of ScaleAI/mrt",
        lambda beginning: is_mrt(beginning.path),
        lambda path, options, _: mrt_runs(path, options),
    ),
    "completions": Format(
        "answers to coding problems",
        lambda beginning: are_completions(beginning.path),
        lambda path, options, _: completion_runs(path, options),
    ),
    "inspect": Format(
        "logs of Inspect, ControlArena's among them",
        lambda beginning: beginning.is_zip or "eval" in beginning.record,
        lambda path, options, _: inspect_runs(path, options),
    ),
}
"""By name; a file is of the first format that tells it as its own."""
