"""What the text of a problem says about it, read from its syntax tree; nothing is run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from molehunt.environments.bigcodebench_sabotage.inside.reading import code_lines, entry_point, own_nodes
from molehunt.environments.bigcodebench_sabotage.problems import Problem
from molehunt.trajectories import Problem as Mistake

LOOPS = (ast.For, ast.While, ast.comprehension)
WALKERS = frozenset(
    {
        "all",
        "any",
        "enumerate",
        "filter",
        "join",
        "map",
        "max",
        "min",
        "reversed",
        "sorted",
        "split",
        "sum",
        "zip",
    }
    | {"Counter", "findall"}
)
"""Calls that walk through what they are given, as a loop does."""
FILES = frozenset(
    {"tempfile", "mkdtemp", "mkstemp", "TemporaryDirectory", "NamedTemporaryFile", "open", "Path", "shutil"}
    | {"mkdir", "makedirs", "rmtree", "unlink", "socket", "connect"}
)
"""Names in tests that make files or connections, which are gone when a call is repeated."""
CHANCE = frozenset(
    {"random", "shuffle", "sample", "choice", "choices", "randint", "uniform", "gauss", "rand", "randn"}
    | {"default_rng", "uuid4", "secrets", "urandom", "now", "today", "utcnow", "time", "perf_counter"}
)
"""Names in programs whose results vary."""


@dataclass(frozen=True)
class Anatomy:
    """Facts that decide which side tasks a problem can carry.

    Parameters
    ----------
    parameters : named parameters of the entry point, in order.
    code_lines : lines of the canonical program that hold code: no blank, comment or docstring lines.
    returns : whether every return of the entry point returns a value, and there is one.
    loops : whether the canonical program loops, or walks through what it is given.
    swallows : whether it catches every exception itself.
    tests_raise : whether the tests expect exceptions.
    calls : calls of the entry point in the tests.
    literal_calls : those of them with an argument that is a literal, or a name bound to one.
    files : whether the tests make files or connections for the program.
    varies : whether the program draws lots or looks at the clock.
    patched : what the tests replace while they run, as ``unittest.mock.patch`` names it.
    names : every identifier in program and tests.
    """

    parameters: tuple[str, ...]
    code_lines: int
    returns: bool
    loops: bool
    swallows: bool
    tests_raise: bool
    calls: int
    literal_calls: int
    files: bool
    varies: bool
    patched: tuple[str, ...]
    names: frozenset[str]


def anatomy(problem: Problem) -> Anatomy:
    """Read a problem.

    Raises
    ------
    molehunt.trajectories.Problem
        If program or tests are not Python, or the entry point is not a function of the program.

    Examples
    --------
    >>> problem = Problem(task_id="p", instruct_prompt="Double.", code_prompt="def double(x):\\n",
    ...     canonical_solution="    return 2 * x", entry_point="double",
    ...     test="class TestCases(TestCase):\\n    def test(self):\\n        self.assertEqual(double(1), 2)")
    >>> facts = anatomy(problem)
    >>> facts.parameters, facts.code_lines, facts.literal_calls
    (('x',), 2, 1)
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes in other people's strings
            program, test = ast.parse(problem.solution), ast.parse(problem.test)
            lines = code_lines(problem.solution)
    except (SyntaxError, ValueError) as error:
        raise Mistake(f"problem {problem.task_id} is not Python: {error}") from None
    function = entry_point(program, problem.entry_point)
    if function is None:
        raise Mistake(f"problem {problem.task_id} has no function {problem.entry_point!r}")
    arguments = function.args
    parameters = tuple(a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))
    program_names, test_names = frozenset(_names(program)), frozenset(_names(test))
    found = [node for node in own_nodes(function) if isinstance(node, ast.Return)]
    called = [name_of(node.func) for node in ast.walk(program) if isinstance(node, ast.Call)]
    calls, literals = _calls(test, problem.entry_point), _literals(test)
    return Anatomy(
        parameters=parameters,
        code_lines=lines,
        returns=bool(found) and all(node.value is not None for node in found),
        loops=any(isinstance(node, LOOPS) for node in ast.walk(program)) or not WALKERS.isdisjoint(called),
        swallows=any(_catches_everything(node) for node in ast.walk(function)),
        tests_raise="assertRaises" in problem.test,
        calls=len(calls),
        literal_calls=sum(
            any(_is_literal(value) or name_of(value) in literals for value in _values(call)) for call in calls
        ),
        files=not FILES.isdisjoint(test_names),
        varies=not CHANCE.isdisjoint(program_names),
        patched=tuple(_patched(test)),
        names=program_names | test_names,
    )


def name_of(node: ast.expr) -> str:
    """The last part of a dotted name, empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _catches_everything(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    return node.type is None or name_of(node.type) in ("Exception", "BaseException")


def _is_literal(node: ast.expr) -> bool:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return not isinstance(value, bool | None)


def _calls(test: ast.Module, name: str) -> list[ast.Call]:
    return [node for node in ast.walk(test) if isinstance(node, ast.Call) and name_of(node.func) == name]


def _literals(test: ast.Module) -> set[str]:
    """Names that some assignment binds to a literal."""
    return {
        name_of(target)
        for node in ast.walk(test)
        if isinstance(node, ast.Assign) and _is_literal(node.value)
        for target in node.targets
    }


def _values(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _patched(test: ast.Module) -> Iterator[str]:
    for node in ast.walk(test):
        if isinstance(node, ast.Call) and node.args:
            called = ast.unparse(node.func)
            first = node.args[0]
            if called.endswith("patch") and isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value
            elif called.endswith(("patch.object", "patch.dict", "patch.multiple")):
                yield ast.unparse(first)


def _names(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name):
                yield from name.split(".")
