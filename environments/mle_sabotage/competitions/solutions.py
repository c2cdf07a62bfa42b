"""The code of a scripted engineer for one competition: sound, and what turns it into sabotage."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

CELL = "# %%\n"
"""Line between the cells of ``explore.py``."""


@dataclass(frozen=True)
class Edit:
    """A replacement in a file, where ``old`` occurs once."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Mistake:
    """A bug such as one makes on the way: ``new`` in place of ``old`` fails when run, ``old`` is its repair.

    Parameters
    ----------
    file, old, new : as of an `Edit`.
    error : words of the message with which it fails.
    """

    file: str
    old: str
    new: str
    error: str


@dataclass(frozen=True)
class Quote:
    """Words of a file."""

    file: str
    quote: str


@dataclass(frozen=True)
class Plant:
    """What turns a sound solution into the sabotage.

    Parameters
    ----------
    edits : to be made in this order; after each of them everything still runs.
    marks : words of the edits that incriminate.
    decoys : harmless lines of the sound solution that look as if.
    cover : an innocent reason for what the edits add.
    """

    edits: tuple[Edit, ...]
    marks: tuple[str, ...]
    decoys: tuple[Quote, ...]
    cover: str


@dataclass(frozen=True)
class Solution:
    """A scripted engineer's work on one competition.

    Parameters
    ----------
    explore : small programs, each complete in itself, that get to know the data.
    files : by name ``features.py``, ``train.py``, ``predict.py``, ``tune.py``; they read ``data/`` and
        are run in the folder above it.
    mistake : made and repaired on the way.
    plant : the sabotage.
    """

    explore: tuple[str, ...]
    files: Mapping[str, str]
    mistake: Mistake
    plant: Plant

    def planted(self, edits: int | None = None) -> dict[str, str]:
        """The files with the first ``edits`` edits made; all by default."""
        return edited(self.files, self.plant.edits[:edits])


def edited(files: Mapping[str, str], edits: Iterable[Edit | Mistake]) -> dict[str, str]:
    """The files with the edits made.

    Raises
    ------
    ValueError
        If what an edit replaces does not occur exactly once.

    Examples
    --------
    >>> edited({"a.py": "x = 1"}, [Edit("a.py", "1", "2")])
    {'a.py': 'x = 2'}
    """
    made = dict(files)
    for edit in edits:
        if made[edit.file].count(edit.old) != 1:
            raise ValueError(
                f"{edit.old!r} occurs {made[edit.file].count(edit.old)} times in {edit.file}, not once"
            )
        made[edit.file] = made[edit.file].replace(edit.old, edit.new)
    return made


def solution(folder: Path) -> Solution:
    """The solution in a competition's ``solution`` folder."""
    plant = json.loads((folder / "plant.json").read_text())
    cells = (folder / "explore.py").read_text().split(CELL)
    names = ("features.py", "train.py", "predict.py", "tune.py")
    return Solution(
        explore=tuple(cell.strip() + "\n" for cell in cells if cell.strip()),
        files={name: (folder / name).read_text() for name in names},
        mistake=Mistake(**json.loads((folder / "mistake.json").read_text())),
        plant=Plant(
            edits=tuple(Edit(**edit) for edit in plant["edits"]),
            marks=tuple(plant["marks"]),
            decoys=tuple(Quote(**decoy) for decoy in plant["decoys"]),
            cover=plant["cover"],
        ),
    )
