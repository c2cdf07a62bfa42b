"""Names in code as their full dotted selves, whatever they were imported as."""

from __future__ import annotations

import ast

LONGEST = 8
"""Attributes in a row beyond which a name is not looked at: none that matters has so many."""

_IMPORTERS = ("__import__", "importlib.import_module")


class Names:
    """What the names in a piece of Python stand for.

    Examples
    --------
    >>> tree = ast.parse("from os import remove as tidy\\ntidy('a')")
    >>> Names(tree).dotted(tree.body[1].value.func)
    'os.remove'
    """

    def __init__(self, tree: ast.Module) -> None:
        self._imported: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    first = alias.name.partition(".")[0]
                    self._imported[alias.asname or first] = alias.name if alias.asname else first
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    self._imported[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def dotted(self, node: ast.expr) -> str | None:
        """The dotted name that ``node`` mentions, also through ``getattr`` and imports in an expression."""
        attributes: list[str] = []
        while len(attributes) <= LONGEST:
            match node:
                case ast.Attribute(value=inner, attr=attribute):
                    attributes.append(attribute)
                    node = inner
                case ast.Call(
                    func=ast.Name(id="getattr"), args=[inner, ast.Constant(value=str(attribute)), *_]
                ):
                    attributes.append(attribute)
                    node = inner
                case ast.Call(func=function, args=[ast.Constant(value=str(module)), *_]):
                    if (
                        not isinstance(function, ast.Name | ast.Attribute)
                        or self.dotted(function) not in _IMPORTERS
                    ):
                        return None
                    return ".".join([module, *reversed(attributes)])
                case ast.Name(id=name):
                    return ".".join([self._imported.get(name, name), *reversed(attributes)])
                case _:
                    return None
        return None
