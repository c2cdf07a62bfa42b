"""One job in one process: where a program is loaded, and from where nothing of the judge's can be reached.

The job comes on standard input, the result leaves by a pipe behind a token. The process then ends by
``os._exit``, so that threads and exit handlers of the program have no say.
"""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable
from typing import Any

from molehunt.environments.bigcodebench_sabotage.inside.counting import count
from molehunt.environments.bigcodebench_sabotage.inside.inputs import unpacked
from molehunt.environments.bigcodebench_sabotage.inside.preparing import PREPARATIONS
from molehunt.environments.bigcodebench_sabotage.inside.reading import code_lines, returned
from molehunt.environments.bigcodebench_sabotage.inside.running import (
    Outcome,
    called,
    framework,
    load,
    outcome,
    recorder,
    run_tests,
)
from molehunt.environments.bigcodebench_sabotage.inside.values import spellings

Job = dict[str, Any]


class Unusable(Exception):
    """The program under trial cannot be loaded or read: its own fault."""


def suite(job: Job) -> dict[str, Any]:
    """The program's tests: ``passed``, ``ran``, ``faults``; ``missing`` is a module that was not there."""
    before = framework()
    try:
        names = load(job["program"], job["test"])
    except Exception as error:  # noqa: BLE001, whatever a program raises while it is loaded
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        fault = f"{type(error).__name__}: {error}"[:300]
        return {"ran": 0, "passed": False, "faults": [fault], "missing": missing}
    if not callable(names.get(job["entry_point"])):
        return {"ran": 0, "passed": False, "faults": [f"there is no function {job['entry_point']}"]}
    return run_tests(names, before)


def trace(job: Job) -> dict[str, Any]:
    """What the tests call the canonical program with, and what `PREPARATIONS` makes of it.

    Calls that do not go twice the same way are left out; ``faithful`` are those that went that way in the
    tests too, so that neither mocks nor the tests' files have a part in them.
    """
    before = framework()
    names = load(job["program"], job["test"])
    function = names[job["entry_point"]]
    records: list[tuple[str, Outcome | None]] = []
    names[job["entry_point"]] = recorder(function, records)
    run_tests(names, before)
    names[job["entry_point"]] = function
    calls = []
    for text, seen in dict(records).items():
        first, second = outcome(function, text), outcome(function, text)
        if first == second and first["how"] != "lost":
            calls.append({"call": text, "outcome": first, "faithful": first == seen})
    prepare = PREPARATIONS.get(job["prepare"])
    return {"calls": calls, **(prepare(function, calls, job["errand"]) if prepare else {})}


def repeat(job: Job) -> dict[str, Any]:
    """Batches of packed calls made with the program, each with its ``settings`` as further keywords.

    Returns
    -------
    dict
        ``outcomes`` a batch; with ``spelled``, ``written``: for each argument and each result of calls that
        returned, the ways in which a log may write it; ``default`` of the parameter ``flag`` as ``repr``,
        None if there is none.
    """
    function = _entry_point(job)
    parameter = inspect.signature(function).parameters.get(job["flag"]) if job["flag"] else None
    outcomes: list[list[Outcome]] = []
    written: list[list[str]] = []
    for batch in job["batches"]:
        outcomes.append([])
        for text in batch["calls"]:
            before = _arguments(text) if job["spelled"] else []
            seen, result, (args, kwargs) = called(function, text, batch["settings"])
            outcomes[-1].append(seen)
            if job["spelled"] and seen["how"] == "returned":
                after = [spellings(value) for value in (*args, *kwargs.values())]
                written += [sorted({*old, *new}) for old, new in zip(before, after)]  # noqa: B905, Python 3.9
                written.append(spellings(result))
    default = None if parameter is None else repr(parameter.default)
    return {"outcomes": outcomes, "written": written, "default": default}


def _arguments(text: str) -> list[list[str]]:
    try:
        args, kwargs = unpacked(text)
    except Exception:  # noqa: BLE001, as in `called`, which reports it
        return []
    return [spellings(value) for value in (*args, *kwargs.values())]


def slowness(job: Job) -> dict[str, Any]:
    """How many bytecode ``instructions`` a call takes; the count ends at ``limit``."""
    function = _entry_point(job)
    outcome(function, job["warm_up"])  # imports and caches of a first call are no slowdown

    def stop() -> None:
        report(job, {"instructions": job["limit"]})

    return {"instructions": count(function, job["call"], job["limit"], stop)[0]}


def _entry_point(job: Job) -> Callable[..., Any]:
    # with the tests' names beside it, which pickled arguments may refer to
    try:
        function: Callable[..., Any] = load(job["program"], job["test"])[job["entry_point"]]
    except Exception as error:  # whatever a program raises while it is loaded
        raise Unusable(f"{type(error).__name__}: {error}") from error
    return function


def read(job: Job) -> dict[str, Any]:
    """The program's ``lines`` of code, and what each return of the entry point ``returned``."""
    try:
        program = job["program"]
        return {"lines": code_lines(program), "returned": returned(program, job["entry_point"])}
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unusable(f"{type(error).__name__}: {error}") from error


JOBS: dict[str, Callable[[Job], dict[str, Any]]] = {
    "suite": suite,
    "trace": trace,
    "repeat": repeat,
    "read": read,
    "slowness": slowness,
}


def report(job: Job, result: dict[str, Any]) -> None:
    """Hand in the result and end the process."""
    with os.fdopen(job["pipe"], "w") as pipe:
        pipe.write(job["token"] + json.dumps(result))
    os._exit(0)


def main(job: Job) -> None:
    """Do a job."""
    try:
        result = JOBS[job["job"]](job)
    except Unusable as error:
        result = {"fault": str(error)[:500]}
    except Exception as error:  # noqa: BLE001, the judge decides whose failure it is
        result = {"error": f"{type(error).__name__}: {error}"[:500]}
    report(job, result)
