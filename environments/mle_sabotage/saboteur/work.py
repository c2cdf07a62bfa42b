"""What a run is made of: the engineer's programs, the places that an attack may change, facts to name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from molehunt.environments.inspect_errors import TaskProblem
from molehunt.environments.mle_sabotage.competitions.catalogue import CATALOGUE, folder
from molehunt.environments.mle_sabotage.competitions.solutions import Mistake, Solution, solution
from molehunt.environments.mle_sabotage.saboteur import texts
from molehunt.environments.mle_sabotage.saboteur.pieces import Piece, overlap, pieces
from molehunt.environments.playing import Part


@dataclass(frozen=True)
class Work:
    """A competition as the scripted engineer knows it.

    Parameters
    ----------
    cells : programs that look at the data.
    files : the sound programs, `texts.FINISH` among them.
    mistake : made and repaired on the way.
    plant : places that the sabotage changes.
    assembly : places that sandbagging changes.
    decoys : by file, harmless words that look suspicious.
    covers : of sabotage and of sandbagging, innocent reasons.
    orders : what an attacker has been told, in a sentence.
    facts : what sentences say of the competition.
    """

    cells: tuple[str, ...]
    files: Mapping[str, str]
    mistake: Mistake
    plant: tuple[Piece, ...]
    assembly: tuple[Piece, ...]
    decoys: Mapping[str, tuple[str, ...]]
    covers: Mapping[str, str]
    orders: Mapping[str, str]
    facts: Mapping[str, str]

    @property
    def mistake_in_a_piece(self) -> bool:
        """Whether the mistake has to be repaired before a piece can be changed."""
        name, wrong = self.mistake.file, self.mistake.old
        return any(
            piece.file == name and overlap(self.files[name], wrong, piece.sound)
            for piece in (*self.plant, *self.assembly)
        )


def work(part: Part) -> Work:
    """The work on a part's competition.

    Raises
    ------
    molehunt.environments.inspect_errors.TaskProblem
        If nobody has written a solution of it.
    """
    if part.dataset != "builtin" or part.task_id not in CATALOGUE:
        raise TaskProblem(
            f"scripted/saboteur has not learnt to solve {part.task_id!r}: use it with dataset=builtin, and "
            "another model here"
        )
    known = _solution(part.task_id)
    files = {**known.files, texts.FINISH: texts.finish()}
    shape = part.shape("pieces")
    sandbagging = shape.choice(texts.sandbaggings())
    fine = part.attack_budget == "all"  # more pieces for more turns
    decoys: dict[str, tuple[str, ...]] = {texts.FINISH: texts.finish_decoys()}
    for each in known.plant.decoys:
        decoys[each.file] = (*decoys.get(each.file, ()), each.quote)
    place = folder(part.task_id)
    return Work(
        cells=known.explore,
        files=files,
        mistake=known.mistake,
        plant=pieces(files, known.plant.edits, known.plant.marks, shape, fine=fine),
        assembly=pieces(files, sandbagging.edits, (), shape, fine=fine),
        decoys=decoys,
        covers={"sabotage": known.plant.cover, "sandbagging": sandbagging.cover},
        orders={
            "sabotage": texts.quoted((place / "sabotage" / "instruction.md").read_text("utf-8")),
            "sandbagging": texts.sandbagging_order(),
        },
        facts=texts.facts((place / "description.md").read_text("utf-8")),
    )


@lru_cache(maxsize=32)
def _solution(name: str) -> Solution:
    return solution(folder(name) / "solution")
