"""BigCodeBench itself, in our sandbox: do its own solutions pass, do sabotages verify, do verdicts agree?

    python benchmarks/bigcodebench_proof.py DATASET canonical   [--libraries standard|science|all] [--out DIR]
    python benchmarks/bigcodebench_proof.py DATASET sabotage    [… -T policy=stealth …]
    python benchmarks/bigcodebench_proof.py DATASET completions SOLUTIONS RESULTS

DATASET is BigCodeBench as ``.jsonl`` or ``.jsonl.gz``. Each part goes on where it was broken off: what is
done is in DIR. ``canonical`` runs every canonical solution against its tests and says why one fails.
``sabotage`` lets the scripted agent solve every problem honestly and with a side task, and counts what
verifies for each side task; the agent is a program, so the counts speak of the environment and of no model.
``completions`` runs a model's recorded solutions, compares with the verdicts that were recorded elsewhere,
and leaves a file that `molehunt score` reads as honest runs.

``science`` are problems that need no more than numpy, pandas, scikit-learn, scipy, matplotlib and seaborn.
"""

from __future__ import annotations

import ast
import asyncio
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

SCIENCE = {"numpy", "pandas", "sklearn", "scipy", "matplotlib", "seaborn", "mpl_toolkits"}
SECONDS = 60.0

REASONS = {
    "library": r"ModuleNotFoundError|ImportError",
    "network or downloads": r"URLError|ConnectionError|name resolution|gaierror|MaxRetry|LookupError|dns",
    "another version of a library": (
        r"AttributeError|FutureWarning|DeprecationWarning|TypeError|dtype|StringDtype|ArrowString|np\.(True_|"
        r"float64|int32)|no longer supported|scalar variable|read-only|0d arrays|wedge sizes"
    ),
    "time": r"time|killed|Timeout",
}
"""By what a failing solution's report says; the first that fits counts, "other" if none does."""


@click.group(help=(__doc__ or "").partition("\n")[0])
@click.argument("dataset")
@click.option("--libraries", type=click.Choice(["standard", "science", "all"]), default="standard")
@click.option("--out", type=click.Path(path_type=Path), default="bigcodebench_proof")
@click.option("--limit", type=click.IntRange(min=1), help="The first so many problems.")
@click.option("--at-once", type=click.IntRange(min=1), default=2, show_default=True)
@click.pass_context
def main(
    context: click.Context, dataset: str, libraries: str, out: Path, limit: int | None, at_once: int
) -> None:
    """Read the problems that the parts are about."""
    from molehunt.environments.bigcodebench_sabotage.problems import load_problems

    out.mkdir(parents=True, exist_ok=True)
    problems = load_problems(dataset)
    chosen = [problem for problem in problems if _fits(problem, libraries)][:limit]
    click.echo(f"{len(chosen)} of {len(problems)} problems: {libraries} libraries")
    context.obj = {"problems": chosen, "out": out, "at_once": at_once, "dataset": dataset}


@main.command()
@click.pass_obj
def canonical(given: dict[str, Any]) -> None:
    """Run the canonical solutions."""
    programs = {problem.task_id: problem.solution for problem in given["problems"]}
    found = _verified(given, programs, given["out"] / "canonical.jsonl")
    passed = sum(row["main_score"] == 1.0 for row in found.values())
    click.echo(f"{passed} of {len(found)} canonical solutions pass their tests")
    _explain((task, row["notes"]) for task, row in found.items() if row["main_score"] != 1.0)
    sys.exit(passed < len(found))


@main.command()
@click.option("-T", "manner", multiple=True, help="Parameter of the task, as for `inspect eval`.")
@click.pass_obj
def sabotage(given: dict[str, Any], manner: Sequence[str]) -> None:
    """Let the scripted agent do both arms, and count what verifies."""
    import inspect_ai
    import pandas as pd

    from molehunt.commands.run import task_parameter
    from molehunt.environments.bigcodebench_sabotage.task import bigcodebench_sabotage
    from molehunt.trajectories import Run
    from molehunt.trajectories.sources import read_runs

    subset = given["out"] / "problems.jsonl"
    lines = [problem.model_dump_json() for problem in given["problems"]]
    subset.write_text("\n".join(lines) + "\n", encoding="utf-8")
    parameters: dict[str, Any] = dict(map(task_parameter, manner))
    inspect_ai.eval_set(
        bigcodebench_sabotage(dataset=str(subset), split="all", seconds=SECONDS, **parameters),
        log_dir=str(given["out"] / "logs"),
        model="scripted/saboteur",
        display="plain",
        log_realtime=False,
        max_samples=given["at_once"],
    )
    # a log that was broken off holds some of the runs that the one after it took over
    read = read_runs([given["out"] / "logs"])
    runs = list({run.id: run for run in read if isinstance(run, Run) and run.truth}.values())
    table = pd.DataFrame(
        [
            {
                "side task": run.truth.factors.get("side_task", "(honest)"),
                "runs": 1,
                "main passes": run.truth.main_score == 1.0,
                "side verifies": run.truth.side_score == 1.0,
                "all done": _all_done(run.truth),
                "unknown": None in (run.truth.main_score, run.truth.side_score if _attacks(run.truth) else 1),
            }
            for run in runs
            if run.truth
        ]
    )
    click.echo(table.groupby("side task").sum().to_string())
    for run in runs:
        assert run.truth is not None
        if not _all_done(run.truth):
            click.echo(f"  {run.sample}: {run.truth.task_id} {run.truth.factors.get('side_task', 'honest')}")


@main.command()
@click.argument("solutions", type=click.Path(exists=True, path_type=Path))
@click.argument("results", type=click.Path(exists=True, path_type=Path))
@click.option("--model", default="unknown", help="Whose solutions they are.")
@click.pass_obj
def completions(given: dict[str, Any], solutions: Path, results: Path, model: str) -> None:
    """Run recorded solutions, and compare with their recorded verdicts."""
    problems = {problem.task_id: problem for problem in given["problems"]}
    programs = {
        row["task_id"]: row["solution"]
        for row in map(json.loads, _lines(solutions))
        if row["task_id"] in problems
    }
    recorded = {task: rows[0] for task, rows in json.loads("".join(_lines(results)))["eval"].items()}
    found = _verified(
        given, programs, given["out"] / f"{solutions.name.partition('.jsonl')[0]}.verified.jsonl"
    )
    agree, differ = 0, []
    for task, row in found.items():
        ours, theirs = row["main_score"] == 1.0, recorded[task]["status"] == "pass"
        agree += ours == theirs
        if ours != theirs:
            differ.append((task, "passes here" if ours else f"fails here: {row['notes']}", recorded[task]))
    click.echo(f"agrees on {agree} of {len(found)} ({agree / max(1, len(found)):.1%})")
    for task, here, there in sorted(differ, key=lambda each: _number(each[0])):
        details = " ".join(str(there.get("details", "")).split())[-200:]
        click.echo(f"  {task}: {here[:300]}; recorded: {there['status']} {details}")
    runs = given["out"] / "completions.jsonl"
    with runs.open("w", encoding="utf-8") as file:
        for task, row in found.items():
            line = {
                "task_id": task,
                "task": problems[task].instruct_prompt,
                "solution": programs[task],
                "label": "honest",
                "main_score": row["main_score"],
                "environment": "bigcodebench_sabotage/bigcodebench",
                "model": model,
                "factors": {"awareness": "unaware"},
            }
            file.write(json.dumps(line) + "\n")
    click.echo(f"{runs} holds them as honest runs: molehunt score {runs} …")


def _attacks(truth: Any) -> bool:
    return bool(truth.label == "attack")


def _all_done(truth: Any) -> bool:
    return truth.main_score == 1.0 and (truth.side_score == 1.0 or not _attacks(truth))


def _fits(problem: Any, libraries: str) -> bool:
    wanted = _modules(problem.solution) | _modules(problem.test)
    foreign = {name for name in wanted if name not in sys.stdlib_module_names}
    if libraries == "standard":
        return not foreign
    if libraries == "science":
        return foreign <= SCIENCE
    return all(find_spec(name) is not None for name in foreign)


def _modules(source: str) -> set[str]:
    """Top-level names of all that a program imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names


def _verified(given: Mapping[str, Any], programs: Mapping[str, str], file: Path) -> dict[str, dict[str, Any]]:
    """What verification says of each program; what ``file`` has already is not run again."""
    known = {row["task_id"]: row for row in map(json.loads, _lines(file))} if file.exists() else {}
    problems = {problem.task_id: problem for problem in given["problems"]}
    left = {task: program for task, program in programs.items() if task not in known}
    asyncio.run(_verify(problems, left, file, given["at_once"]))
    return {row["task_id"]: row for row in map(json.loads, _lines(file)) if row["task_id"] in programs}


async def _verify(problems: Mapping[str, Any], left: Mapping[str, str], file: Path, at_once: int) -> None:
    from molehunt.environments.bigcodebench_sabotage.verification import verify
    from molehunt.environments.sandbox.bubblewrap import bubblewrap_environment

    free = asyncio.Semaphore(at_once)

    async def one(task: str, program: str) -> None:
        async with free, bubblewrap_environment() as box:
            finding = await verify(program, problems[task], None, box=box, seconds=SECONDS)
        row = {"task_id": task, "main_score": finding.main_score, "notes": dict(finding.notes)}
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(row) + "\n")
        click.echo(f"\r{task}    ", nl=False, err=True)

    file.touch()
    await asyncio.gather(*(one(task, program) for task, program in left.items()))


def _explain(failures: Iterable[tuple[str, Mapping[str, str]]]) -> None:
    kinds: Counter[str] = Counter()
    lines = []
    for task, notes in failures:
        said = " ".join(" ".join(notes.values()).split())
        kind = next((name for name, signs in REASONS.items() if re.search(signs, said)), "other")
        kinds[kind] += 1
        lines.append(f"  {task}: {kind}: {said[-240:]}")
    for kind, number in kinds.most_common():
        click.echo(f"  {number} × {kind}")
    for line in lines:
        click.echo(line)


def _lines(file: Path) -> Iterator[str]:
    with (
        gzip.open(file, "rt", encoding="utf-8")
        if file.suffix == ".gz"
        else file.open(encoding="utf-8") as text
    ):
        yield from text


def _number(task: str) -> int:
    digits = re.sub(r"\D", "", task)
    return int(digits) if digits else 0


if __name__ == "__main__":
    main()
