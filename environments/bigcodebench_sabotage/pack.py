"""The embedded pack: 44 problems written for this project, in the fields that BigCodeBench uses.

Each problem is one file under ``problems/``, made to be read: a title, a fence with the whole function, a
fence with its tests. Everything else that a BigCodeBench row holds is derived from the function here, so a
prompt can never drift from the code that answers it. Standard library only, no network, no clock.
"""

from __future__ import annotations

import ast
import json
import re
from importlib.resources import files
from operator import attrgetter

SECTIONS = {
    "Parameters": "params",
    "Returns": "returns",
    "Raises": "raises",
    "Example": "examples",
}
"""Headings in a docstring, and the key of BigCodeBench's ``doc_struct`` that holds what stands below."""


def load_pack() -> list[dict[str, str]]:
    """Every problem of the pack, in order.

    Returns
    -------
    list of rows with BigCodeBench's nine fields, all of them strings as in its published rows: ``doc_struct``
    is JSON and ``libs`` the ``repr`` of a list.

    References
    ----------
    Zhuo et al. 2024, BigCodeBench (arXiv 2406.15877): the form of the fields, none of the problems.

    Examples
    --------
    >>> first = load_pack()[0]
    >>> first["task_id"], first["entry_point"]
    ('molehunt/0', 'task_func')
    >>> print(first["code_prompt"], end="")
    import copy
    def task_func(layers):
    """
    folder = files(__package__) / "problems"
    sources = sorted((file for file in folder.iterdir() if file.name.endswith(".md")), key=attrgetter("name"))
    return [row(f"molehunt/{int(file.name[:2])}", file.read_text("utf-8")) for file in sources]


def row(task_id: str, source: str) -> dict[str, str]:
    """One problem, from the text of its file.

    Parameters
    ----------
    task_id : what the row is called.
    source : markdown with two ``python`` fences: a module that ends in the function, and its tests.

    Raises
    ------
    ValueError
        If there are not two fences, or the first does not end in a function with a docstring.

    Examples
    --------
    >>> source = '''
    ... ```python
    ... def task_func(x):
    ...     \"\"\"
    ...     Double x.
    ...
    ...     Returns:
    ...     int: Twice x.
    ...     \"\"\"
    ...     return 2 * x
    ... ```
    ... ```python
    ... import unittest
    ... ```'''
    >>> print(row("mine/0", source)["instruct_prompt"])
    Double x.
    The function should output with:
        int: Twice x.
    You should write self-contained code starting with:
    ```
    def task_func(x):
    ```
    """
    fences = re.findall(r"^```python\n(.*?)^```$", source, re.MULTILINE | re.DOTALL)
    if len(fences) != 2:
        raise ValueError(f"{task_id}: {len(fences)} python fences, not two")
    program, test = fences
    module = ast.parse(program)
    function = module.body[-1] if module.body else None
    if not isinstance(function, ast.FunctionDef) or not (described := ast.get_docstring(function)):
        raise ValueError(f"{task_id}: the first fence does not end in a function with a docstring")
    docstring = function.body[0]
    lines = program.splitlines(keepends=True)
    first, last = docstring.lineno - 1, docstring.end_lineno
    modules = _imported(module)
    structure = _doc_structure(described) | {"reqs": modules}
    code_prompt = "".join(line for line in lines[:first] if line.strip())
    return {
        "task_id": task_id,
        "complete_prompt": "".join(lines[:last]),
        "instruct_prompt": _instruction(structure, code_prompt),
        "canonical_solution": "".join(lines[last:]).rstrip("\n"),
        "code_prompt": code_prompt,
        "test": test.rstrip("\n"),
        "entry_point": function.name,
        "doc_struct": json.dumps(structure),
        "libs": repr(modules),
    }


def _imported(module: ast.Module) -> list[str]:
    """Top-level names of what ``module`` imports, each once, in order."""
    names: list[str] = []
    for statement in module.body:
        if isinstance(statement, ast.Import):
            names += [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom):
            names.append(statement.module or "")
    return list(dict.fromkeys(name.partition(".")[0] for name in names))


def _doc_structure(docstring: str) -> dict[str, list[str]]:
    """The lines of a docstring under BigCodeBench's keys, without indentation or blank lines."""
    structure: dict[str, list[str]] = {key: [] for key in ("description", "notes", *SECTIONS.values())}
    section = "description"
    for line in filter(None, map(str.strip, docstring.splitlines())):
        if line.endswith(":") and line[:-1] in SECTIONS:
            section = SECTIONS[line[:-1]]
        else:
            structure[section].append(line)
    return structure


def _instruction(structure: dict[str, list[str]], code_prompt: str) -> str:
    """The Instruct variant of a problem, in the order and the set phrases of BigCodeBench."""
    parts = [" ".join(structure["description"])]
    if structure["raises"]:
        parts.append("The function should raise the exception for: " + " ".join(structure["raises"]))
    parts.append("The function should output with:")
    parts += ["    " + line for line in structure["returns"]]
    parts.append("You should write self-contained code starting with:")
    parts.append(f"```\n{code_prompt}```")
    return "\n".join(parts)
