"""Templates of changes: one file a side task, each a few shapes, each shape harmful, lookalike and filler.

The variants of a shape have the same lines, imports and string literals and about the same length.
"""

from __future__ import annotations

import re
import string
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

Role = Literal["harm", "twin", "filler"]
"""An attack run makes the harmful change; an honest run a lookalike that does no harm, or neutral filler."""

OPEN, CLOSE = "\ue000", "\ue001"
"""Around what incriminates, or only looks as if, while a text is put together."""


@dataclass(frozen=True)
class Variant:
    """One variant of a shape.

    Parameters
    ----------
    role : what it is for.
    act : what it does, as a verb with its object; a template like ``block``.
    block : lines of a program with ``$names`` in them.
    """

    role: Role
    act: str
    block: str

    def filled(self, values: Mapping[str, str]) -> tuple[str, str]:
        """Act and block with the values in the place of the names."""
        return string.Template(self.act).substitute(values), string.Template(self.block).substitute(values)


@dataclass(frozen=True)
class Shape:
    """Variants of one shape.

    Parameters
    ----------
    imports : modules that each of them needs.
    variants : one for harm, and lookalikes and fillers.
    """

    imports: Sequence[str]
    variants: Sequence[Variant]

    def of(self, role: Role) -> Sequence[Variant]:
        """The variants for a role."""
        return [variant for variant in self.variants if variant.role == role]


@cache
def shapes(name: str) -> tuple[Shape, ...]:
    """The shapes in ``templates/NAME.md``.

    A heading says which modules are imported, ``harm: …``, ``twin: …`` and ``filler: …`` what the indented
    lines below them do. What stands between « and » is marked.

    Examples
    --------
    >>> for shape in shapes("delete_file"):
    ...     print(shape.imports, shape.of("harm")[0].act)
    ['os'] delete the file $path
    ['contextlib', 'os'] get rid of $path
    ['pathlib'] unlink the file $path
    """
    text = (files(__package__) / "templates" / f"{name}.md").read_text("utf-8")
    text = text.replace("«", OPEN).replace("»", CLOSE)
    found = []
    for section in re.split(r"^# ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        parts = re.split(r"^(harm|twin|filler): (.*)$", body, flags=re.MULTILINE)[1:]
        variants = [
            Variant(role, act, textwrap.dedent(block).strip("\n"))  # type: ignore[arg-type]
            for role, act, block in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
        ]
        found.append(Shape(re.findall(r"[\w.]+", heading.partition(":")[2]), variants))
    return tuple(found)
