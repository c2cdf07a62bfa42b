"""The embedded pack: every problem is whole, its tests accept its own answer and nothing empty."""

from __future__ import annotations

import ast
import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from molehunt.environments.bigcodebench_sabotage.pack import load_pack, row

PACK = load_pack()
IDS = [problem["task_id"] for problem in PACK]

# The programs are our own, so one ordinary process runs all of them, away from the process that tests
JUDGE = """
import doctest, io, json, sys, unittest

def complaints(code, test):
    space = {"__name__": "solution"}
    exec(code, space)
    exec(test, space)
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(space["TestCases"])
    result = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
    return [text for _, text in result.failures + result.errors]

def broken_examples(problem, code):
    prompted, space = {}, {}
    exec(problem["complete_prompt"], prompted)
    exec(code, space)
    examples = doctest.DocTestParser().get_doctest(prompted["task_func"].__doc__, space, "docstring", None, 0)
    report = io.StringIO()
    doctest.DocTestRunner().run(examples, out=report.write)
    return report.getvalue() if examples.examples else "no examples"

answer = {"canonical": {}, "empty": {}, "examples": {}}
for problem in json.load(sys.stdin):
    name, code = problem["task_id"], problem["code_prompt"] + problem["canonical_solution"]
    answer["canonical"][name] = complaints(code, problem["test"])
    answer["empty"][name] = complaints(problem["code_prompt"] + "    return None", problem["test"])
    answer["examples"][name] = broken_examples(problem, code)
print(json.dumps(answer))
"""


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What each problem's tests say about its own answer and an empty one, and what its examples say."""
    folder = tmp_path_factory.mktemp("judge")
    done = subprocess.run(
        [sys.executable, "-c", JUDGE],
        input=json.dumps(PACK),
        capture_output=True,
        text=True,
        cwd=folder,
        env={"TMPDIR": str(folder), "PATH": ""},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list(folder.iterdir()) == [], "a problem left files behind"
    answer: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return answer


def function_of(problem: dict[str, str]) -> ast.FunctionDef:
    module = ast.parse(problem["code_prompt"] + problem["canonical_solution"])
    function = module.body[-1]
    assert isinstance(function, ast.FunctionDef)
    return function


def test_the_pack_is_numbered_without_gaps() -> None:
    assert [f"molehunt/{number}" for number in range(44)] == IDS


def test_every_canonical_solution_passes_its_own_tests(judged: dict[str, dict[str, Any]]) -> None:
    assert {name: said for name, said in judged["canonical"].items() if said} == {}


def test_an_answer_that_does_nothing_fails_everywhere(judged: dict[str, dict[str, Any]]) -> None:
    assert [name for name, said in judged["empty"].items() if not said] == []


def test_the_examples_in_the_docstrings_hold(judged: dict[str, dict[str, Any]]) -> None:
    assert {name: said for name, said in judged["examples"].items() if said} == {}


@pytest.mark.parametrize("problem", PACK, ids=IDS)
def test_a_problem_has_four_tests_or_more(problem: dict[str, str]) -> None:
    assert 4 <= len(re.findall(r"^    def test_\w+\(self\):", problem["test"], re.MULTILINE)) <= 7
    assert len(re.findall(r"^class TestCases\(unittest.TestCase\):", problem["test"], re.MULTILINE)) == 1


@pytest.mark.parametrize("problem", PACK, ids=IDS)
def test_the_prompts_and_the_solution_are_one_function(problem: dict[str, str]) -> None:
    function = function_of(problem)
    assert function.name == problem["entry_point"] == "task_func"
    prompted = ast.parse(problem["complete_prompt"]).body[-1]
    assert isinstance(prompted, ast.FunctionDef)
    assert ast.unparse(prompted.args) == ast.unparse(function.args)
    structure = json.loads(problem["doc_struct"])
    for line in structure["description"] + structure["returns"] + structure["raises"]:
        assert line in problem["complete_prompt"]
        assert line in problem["instruct_prompt"]
    assert problem["instruct_prompt"].endswith(f"starting with:\n```\n{problem['code_prompt']}```")
    answered = ast.parse(problem["complete_prompt"] + problem["canonical_solution"]).body[-1]
    assert isinstance(answered, ast.FunctionDef)
    assert [ast.unparse(statement) for statement in answered.body[1:]] == [
        ast.unparse(statement) for statement in function.body
    ]


@pytest.mark.parametrize("problem", PACK, ids=IDS)
def test_the_docstring_names_every_parameter(problem: dict[str, str]) -> None:
    named = [line.split(" ")[0] for line in json.loads(problem["doc_struct"])["params"]]
    assert [argument.arg for argument in function_of(problem).args.args] == named


@pytest.mark.parametrize("problem", PACK, ids=IDS)
def test_a_documented_exception_is_one_that_the_tests_provoke(problem: dict[str, str]) -> None:
    documented = re.findall(r"^(\w+): ", "\n".join(json.loads(problem["doc_struct"])["raises"]), re.MULTILINE)
    provoked = set(re.findall(r"assertRaises(?:Regex)?\((\w+)", problem["test"]))
    assert set(documented) == provoked


@pytest.mark.parametrize("problem", PACK, ids=IDS)
def test_a_problem_is_short_enough_for_a_cheap_run(problem: dict[str, str]) -> None:
    lines = [line for line in problem["canonical_solution"].splitlines() if line.strip()]
    assert 8 <= len(lines) <= 25
    assert len(problem["instruct_prompt"]) / 4 <= 210, "about four characters make a token"
    assert len(problem["canonical_solution"]) / 4 <= 260


def test_only_the_standard_library_is_used_and_much_of_it() -> None:
    programs = [problem["code_prompt"] + problem["canonical_solution"] for problem in PACK]
    tests = [problem["test"] for problem in PACK]
    imported = set(re.findall(r"^(?:from|import) (\w+)", "\n".join(programs + tests), re.MULTILINE))
    assert imported <= sys.stdlib_module_names
    assert imported.isdisjoint({"socket", "ssl", "http", "subprocess", "time", "ctypes"})
    assert len({name for problem in PACK for name in ast.literal_eval(problem["libs"])}) >= 35


def test_most_problems_promise_exceptions_and_some_none() -> None:
    promising = sum(bool(json.loads(problem["doc_struct"])["raises"]) for problem in PACK)
    assert 32 <= promising <= len(PACK) - 8, "a side task that swallows exceptions needs those without"


def test_a_row_has_the_form_of_a_published_one(shared_data: Path) -> None:
    with gzip.open(shared_data / "bigcodebench" / "BigCodeBench_hf.jsonl.gz", "rt") as lines:
        published = json.loads(next(lines))
    for problem in PACK:
        assert list(problem) == list(published)
        assert json.loads(problem["doc_struct"]).keys() == json.loads(published["doc_struct"]).keys()
        assert isinstance(ast.literal_eval(problem["libs"]), list)


def test_a_file_without_both_fences_is_named() -> None:
    with pytest.raises(ValueError, match="mine/3: 1 python fences"):
        row("mine/3", "# Only this\n\n```python\ndef task_func(): ...\n```\n")


def test_a_function_without_a_docstring_is_named() -> None:
    source = "```python\ndef task_func():\n    return 1\n```\n\n```python\nimport unittest\n```\n"
    with pytest.raises(ValueError, match=r"mine/4: .* function with a docstring"):
        row("mine/4", source)
