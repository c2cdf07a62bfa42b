"""Values handed from one variable to the next: lines that change nothing, wherever a program has a value."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from molehunt.environments.bigcodebench_sabotage.saboteur.source import Edit, Source
from molehunt.environments.bigcodebench_sabotage.saboteur.templates import CLOSE, OPEN


@dataclass(frozen=True)
class Site:
    """A place where a value can take a detour.

    Parameters
    ----------
    taken : edit whose text is what stands before `` = value`` or in the value's place, with ``{}`` for a
        variable.
    begin : what the lines start with, ``{}`` for the first variable; empty if the program's own line does.
    end : what they end with, ``{}`` for the last variable; empty if the program's own line does.
    margin : white space before the lines.
    place : offset at which they go in, the beginning of a line.
    """

    taken: Edit | None
    begin: str
    end: str
    margin: str
    place: int

    def unrolled(self, names: Sequence[str], *, marked: bool) -> list[Edit]:
        """The edits for a detour by way of ``names``: at least as many lines more as there are names."""
        lines = [self.begin.format(names[0])] if self.begin else []
        lines += [f"{new} = {old}" for old, new in pairwise(names)]
        lines += [self.end.format(names[-1])] if self.end else []
        text = ("\n" + self.margin).join(lines)
        text = f"{OPEN}{text}{CLOSE}" if marked else text
        edits = [Edit(self.place, self.place, f"{self.margin}{text}\n")]
        if self.taken is not None:
            own = names[-1] if self.begin else names[0]
            edits.append(self.taken._replace(text=self.taken.text.format(own)))
        return edits


def sites(source: Source) -> list[Site]:
    """All places in the entry point, in the order of the text, and last its parameters."""
    found = [site for statement in source.statements if (site := _site(source, statement)) is not None]
    start = source.at_start("").start
    return found + [
        Site(None, f"{{}} = {name}", f"{name} = {{}}", source.indent, start) for name in source.parameters
    ]


def _site(source: Source, node: ast.stmt) -> Site | None:
    start, end = source.start(node), source.end(node)
    margin = source.margin(node)
    line_end = source.text.find("\n", end)
    alone = source.text[end:line_end].strip()[:1] in ("", "#")
    match node:
        case ast.Return(value=ast.expr()) if alone:
            head = Edit(start, start + len("return"), "{} =")
            return Site(head, "", "return {}", margin, line_end + 1)
        case ast.Assign(targets=[target]) if alone and start == source.start(target):
            name = source.text[start : source.end(target)]
            if "\n" in name or "{" in name:
                return None
            return Site(Edit(start, source.end(target), "{}"), "", f"{name} = {{}}", margin, line_end + 1)
        case ast.If(test=value) | ast.For(iter=value) if not isinstance(value, ast.NamedExpr):
            place = Edit(source.start(value), source.end(value), "{}")
            text = source.text[place.start : place.end]
            if "\n" in text:
                return None
            spelled = text.replace("{", "{{").replace("}", "}}")
            return Site(place, f"{{}} = {spelled}", "", margin, source.line_start(node.lineno))
    return None
