"""Work that code does more often than it needs: the same computed in every round, or sorted by hand."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from molehunt.monitors.static.names import Names

_LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_WHOLE = ("sorted", "sum", "max", "min", "list", "set", "tuple", "Counter")
"""Functions that go through all of their argument."""

_PASSIVE = (ast.Assign, ast.AnnAssign, ast.Pass, ast.If, ast.For, ast.While)
"""Statements that leave nothing behind but names."""


def wasted_work(tree: ast.Module, names: Names, task: str) -> Iterator[tuple[int, str]]:
    """Code that computes what it need not compute, or not so often."""
    giving = _functions_for_their_results(tree)
    for node in ast.walk(tree):
        if isinstance(node, _LOOPS):
            yield from _unchanged_in(node)
        match node:
            case ast.For(iter=through):
                shown = ast.dump(through)
                for inner in _inside(node.body):
                    if isinstance(inner, ast.For) and ast.dump(inner.iter) == shown:
                        yield inner.lineno, "a loop within a loop through the same"
                if _only_repeats(node):
                    yield node.lineno, "rounds that all do the same"
            case ast.Expr(ast.Call(func=ast.Name(id=function))) if function in giving:
                yield node.lineno, f"a result of {function}() that is thrown away"
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Subscript() as one, ast.Subscript() as other])],
                value=ast.Tuple(elts=new),
            ):
                if [*map(ast.unparse, new)] == [ast.unparse(other), ast.unparse(one)]:
                    yield node.lineno, "elements swapped by hand"


def _functions_for_their_results(tree: ast.Module) -> set[str]:
    """Names of the functions of ``tree`` that return something, and do nothing else that could be wanted."""
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(inner, ast.Return) and inner.value is not None for inner in ast.walk(node))
        and not any(map(_has_effect, ast.walk(node)))
    }


def _has_effect(node: ast.AST) -> bool:
    """Whether something is left behind: an item or attribute set or deleted, a call for its own sake."""
    match node:
        case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
            return True
        case ast.Expr(ast.Call()) | ast.Global() | ast.Nonlocal():
            return True
    return False


def _unchanged_in(loop: ast.AST) -> Iterator[tuple[int, str]]:
    """Calls that go through all of something that the loop does not change."""
    inside = list(_inside(loop.body) if isinstance(loop, ast.For | ast.While) else ast.walk(loop))
    changed = _names_in([loop], ast.Store)
    for node in inside:
        match node:
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                changed.add(name)
            case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
                changed.add(name)
    for node in inside:
        match node:
            case ast.Call(func=ast.Name(id=function), args=[ast.Name(id=name), *_]) if function in _WHOLE:
                if name not in changed:
                    yield node.lineno, f"{function}({name}) in every round, though {name} stays the same"
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="count")) if name not in changed:
                yield node.lineno, f"{name}.count() in every round"


def _only_repeats(loop: ast.For) -> bool:
    """Whether every round computes the same: none leaves more than names, or looks at the counter or back."""
    for node in _inside(loop.body):
        if isinstance(node, ast.stmt) and not isinstance(node, _PASSIVE):
            return False
        if isinstance(node, ast.Attribute | ast.Subscript | ast.Await | ast.NamedExpr):
            return False
    later = _names_in([loop.target], ast.Store)
    for statement in reversed(loop.body):
        later |= _names_in([statement], ast.Store)
        if later & _names_in([statement], ast.Load):
            return False
    return True


def _names_in(nodes: Iterable[ast.AST], context: type[ast.expr_context]) -> set[str]:
    found = set()
    for node in _inside(nodes):
        if isinstance(node, ast.Name) and isinstance(node.ctx, context):
            found.add(node.id)
    return found


def _inside(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        yield from ast.walk(node)
