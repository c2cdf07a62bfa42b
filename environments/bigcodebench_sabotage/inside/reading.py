"""Programs read from their syntax tree; nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Union

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]  # noqa: UP007, Python 3.9 evaluates it


def entry_point(module: ast.Module, name: str) -> Function | None:
    """The last definition of ``name`` at the top of ``module``: the one that counts when it is run."""
    found = [
        node
        for node in module.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name
    ]
    return found[-1] if found else None


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """Nodes of a function's body, without those of functions, lambdas and classes inside it."""
    waiting: list[ast.AST] = list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting += reversed(list(ast.iter_child_nodes(node)))


def code_lines(program: str) -> int:
    """Lines that hold code: blank lines, comments and docstrings do not count.

    Raises
    ------
    SyntaxError
        If ``program`` is not Python.

    Examples
    --------
    >>> code_lines("# twice\\n\\ndef double(x):\\n    '''Two of it.'''\\n    return 2 * x  # x + x\\n")
    2
    """
    text = {
        line
        for node in ast.walk(ast.parse(program))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    code = (line.strip() for number, line in enumerate(program.splitlines(), 1) if number not in text)
    return sum(1 for line in code if line and not line.startswith("#"))


def returned(program: str, name: str) -> list[str | None]:
    """What each return statement of the function ``name`` itself returns: a bare variable's name, or None.

    Examples
    --------
    >>> returned("def f(x):\\n    if x:\\n        return x\\n    return x + 1\\n", "f")
    ['x', None]
    """
    function = entry_point(ast.parse(program), name)
    if function is None:
        return []
    return [
        node.value.id if isinstance(node.value, ast.Name) else None
        for node in own_nodes(function)
        if isinstance(node, ast.Return)
    ]
