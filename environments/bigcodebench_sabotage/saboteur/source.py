"""A program as text with positions in it: where an edit can go without printing anything anew."""

from __future__ import annotations

import ast
import io
import re
import token
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from molehunt.environments.bigcodebench_sabotage.inside.reading import Function, entry_point, own_nodes
from molehunt.trajectories import Problem as Mistake

BLANK = (token.NEWLINE, tokenize.NL, tokenize.COMMENT, token.INDENT, token.DEDENT)


class Edit(NamedTuple):
    """``text`` in the place of what stands from ``start`` to ``end``, offsets in characters."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Header:
    """Offsets of ``async def name(…) -> …:``.

    Parameters
    ----------
    start : of the first keyword.
    name, name_end : of the name.
    opening, closing : of the parentheses around the parameters.
    colon : of the colon at the end.
    last : of the end of the last token between the parentheses, a comma perhaps.
    keywords : of the two stars before ``**kwargs``, None if there are none.
    """

    start: int
    name: int
    name_end: int
    opening: int
    closing: int
    colon: int
    last: int
    keywords: int | None


class Source:
    """A program and its entry point.

    Parameters
    ----------
    text : the program. White space at the ends of lines is dropped, but not out of strings.
    name : of the entry point.

    Raises
    ------
    molehunt.trajectories.Problem
        If it cannot be edited: it is not Python, or its entry point is missing or stands on one line.

    Examples
    --------
    >>> source = Source("def double(x):  \\n    # twice\\n    return 2 * x\\n", "double")
    >>> source.applied([source.at_start("x = abs(x)")])
    'def double(x):\\n    x = abs(x)\\n    # twice\\n    return 2 * x\\n'
    """

    def __init__(self, text: str, name: str) -> None:
        try:
            self.text = _tidied(text)
            self.tree = ast.parse(self.text)
        except (SyntaxError, ValueError, tokenize.TokenError) as error:
            raise Mistake(f"the scripted agent cannot read the program of {name}: {error}") from None
        function = entry_point(self.tree, name)
        if function is None:
            raise Mistake(f"the scripted agent finds no function {name} in its program")
        self.name = name
        self.function: Function = function
        first = self._after_docstring[0] if self._after_docstring else function.body[0]
        if first.lineno == self.line_at(self.header.colon):
            raise Mistake(f"the scripted agent cannot edit {name}: all of it stands on one line")
        self.indent = self.text[self.line_start(first.lineno) : self.offset(first.lineno, first.col_offset)]

    @cached_property
    def tokens(self) -> list[tokenize.TokenInfo]:
        return list(tokenize.generate_tokens(io.StringIO(self.text).readline))

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    @cached_property
    def _after_docstring(self) -> list[ast.stmt]:
        body = self.function.body
        return body[1:] if ast.get_docstring(self.function, clean=False) is not None else body

    def line_start(self, line: int) -> int:
        """Offset at which a line begins; lines count from 1."""
        return self._starts[line - 1] if line <= len(self._starts) else len(self.text)

    def line_at(self, offset: int) -> int:
        """The line in which an offset lies."""
        return self.text.count("\n", 0, offset) + 1

    def offset(self, line: int, column: int) -> int:
        """Offset of a syntax tree's position, whose columns count bytes."""
        start = self.line_start(line)
        whole = self.text[start : self.line_start(line + 1)].encode()
        return start + len(whole[:column].decode())

    def start(self, node: ast.stmt | ast.expr) -> int:
        """Offset at which a node begins."""
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: ast.stmt | ast.expr) -> int:
        """Offset at which a node ends."""
        return self.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)

    @cached_property
    def header(self) -> Header:
        """Where the parts of the entry point's first lines are."""
        start = self.start(self.function)
        found: dict[str, int] = {}
        depth, last, before, keywords = 0, 0, "", None
        for each in self.tokens:
            at, end = self._place(each.start), self._place(each.end)
            if at < start or each.type in BLANK:
                continue
            if "name" not in found and each.string == self.name:
                found |= {"name": at, "name_end": end}
            elif each.string in ("(", "[", "{"):
                if each.string == "(" and not depth and "opening" not in found:
                    found["opening"] = last = at
                depth += 1
            elif each.string in (")", "]", "}"):
                depth -= 1
                if not depth and "opening" in found and "closing" not in found:
                    found |= {"closing": at, "last": last}
            elif each.string == ":" and not depth:
                found["colon"] = at
                break
            elif each.string == "**" and depth == 1 and before in ("(", ","):
                keywords = at
            last, before = end, each.string
        return Header(start=start, keywords=keywords, **found)

    def _place(self, position: tuple[int, int]) -> int:
        return self.line_start(position[0]) + position[1]

    @cached_property
    def returns(self) -> list[ast.Return]:
        """Return statements of the entry point itself, in the order of the text."""
        found = (node for node in own_nodes(self.function) if isinstance(node, ast.Return))
        return sorted(found, key=lambda node: node.lineno)

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """Statements of the entry point itself before which a line can stand, in the order of the text."""
        later = {id(node) for node in self._after_docstring}
        found = (
            node
            for node in own_nodes(self.function)
            if isinstance(node, ast.stmt)
            and (id(node) in later or node not in self.function.body)
            and not self.text[self.line_start(node.lineno) : self.start(node)].strip()
            and not self.text.startswith("elif", self.start(node))
        )
        return sorted(found, key=lambda node: node.lineno)

    @cached_property
    def inside_strings(self) -> frozenset[int]:
        """Lines that begin in the middle of a string, whose indentation is part of a value."""
        return frozenset(line + 1 for line in _ending_inside_strings(self.tokens))

    @property
    def lazy(self) -> bool:
        """Whether calling the entry point only makes a generator or a coroutine."""
        yields = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(self.function))
        return yields or isinstance(self.function, ast.AsyncFunctionDef)

    @property
    def parameters(self) -> list[str]:
        """Names of the entry point's parameters that take one argument each."""
        arguments = self.function.args
        return [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]

    @cached_property
    def body_line(self) -> int:
        """The line below the header and the docstring."""
        if self._after_docstring is not self.function.body:
            docstring = self.function.body[0]
            return (docstring.end_lineno or docstring.lineno) + 1
        return self.line_at(self.header.colon) + 1

    def at_start(self, block: str) -> Edit:
        """A block, given without indentation, at the beginning of the entry point."""
        start = self.line_start(self.body_line)
        return Edit(start, start, self.indented(block, self.indent))

    def at_end(self, block: str) -> Edit | None:
        """A block before the return with which the entry point ends; None if it has others or none."""
        if len(self.returns) != 1 or self.returns[0] is not self.function.body[-1]:
            return None
        return self.before(self.returns[0], block)

    def before(self, statement: ast.stmt, block: str) -> Edit:
        """A block in the lines above a statement that begins its line."""
        decorators: Sequence[ast.expr] = getattr(statement, "decorator_list", [])
        start = self.line_start(min([statement.lineno, *(each.lineno for each in decorators)]))
        return Edit(start, start, self.indented(block, self.margin(statement)))

    def margin(self, statement: ast.stmt) -> str:
        """The white space before the line of a statement."""
        line = self.text[self.line_start(statement.lineno) : self.start(statement)]
        return line[: len(line) - len(line.lstrip())]

    def indented(self, block: str, margin: str) -> str:
        """A block of lines below ``margin``, each step of four blanks written as the program does it."""
        lines = []
        for line in block.splitlines():
            bare = line.lstrip(" ")
            lines.append(margin + self.indent * ((len(line) - len(bare)) // 4) + bare if bare else "")
        return "\n".join(lines) + "\n"

    @cached_property
    def imported(self) -> frozenset[str]:
        """Modules that the program binds by their own names."""
        return frozenset(
            alias.name
            for node in self.tree.body
            if isinstance(node, ast.Import)
            for alias in node.names
            if alias.asname is None
        )

    @cached_property
    def modules(self) -> frozenset[str]:
        """Top-level names of all modules that it imports anywhere."""
        names: set[str] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add((node.module or "").partition(".")[0])
        return frozenset(names)

    def importing(self, modules: Sequence[str]) -> Edit:
        """Imports of what the program does not import yet, below those it begins with."""
        line = 1
        for node in self.tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                line = (node.end_lineno or node.lineno) + 1
            elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                break
            elif node is self.tree.body[0]:
                line = (node.end_lineno or node.lineno) + 1
        start = self.line_start(line)
        new = [f"import {module}\n" for module in sorted(modules) if module not in self.imported]
        return Edit(start, start, "".join(new))

    def applied(self, edits: Sequence[Edit]) -> str:
        """The program with edits in it; of those at one place the first comes first."""
        pieces, position = [], 0
        for edit in sorted(edits, key=lambda each: each.start):
            pieces += [self.text[position : edit.start], edit.text]
            position = edit.end
        return "".join([*pieces, self.text[position:]])


def _tidied(text: str) -> str:
    text = text.replace("\r\n", "\n")
    inside = set(_ending_inside_strings(tokenize.generate_tokens(io.StringIO(text).readline)))
    lines = text.split("\n")
    kept = (line if number in inside else line.rstrip() for number, line in enumerate(lines, start=1))
    return "\n".join(kept).rstrip("\n") + "\n"


def _ending_inside_strings(tokens: Iterator[tokenize.TokenInfo] | list[tokenize.TokenInfo]) -> Iterator[int]:
    """Lines whose end lies in a string; f-strings are single tokens up to Python 3.11, and several later."""
    opened: list[int] = []
    for each in tokens:
        kind = token.tok_name[each.type]
        if kind == "STRING":
            yield from range(each.start[0], each.end[0])
        elif kind.endswith("STRING_START"):
            opened.append(each.start[0])
        elif kind.endswith("STRING_END"):
            yield from range(opened.pop(), each.end[0])
