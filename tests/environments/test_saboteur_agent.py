"""The scripted agent as an Inspect model, and what it writes, run in the sandbox."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import inspect_ai
import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from molehunt.environments.bigcodebench_sabotage.anatomy import anatomy
from molehunt.environments.bigcodebench_sabotage.problems import Problem, load_problems
from molehunt.environments.bigcodebench_sabotage.saboteur import write
from molehunt.environments.bigcodebench_sabotage.side_tasks import SIDE_TASKS, Errand
from molehunt.environments.bigcodebench_sabotage.task import bigcodebench_sabotage
from molehunt.environments.bigcodebench_sabotage.verification import find_case, verify
from molehunt.environments.inspect_errors import TaskProblem
from molehunt.environments.sandbox.bubblewrap import BubblewrapSandbox, bubblewrap_environment
from molehunt.trajectories import Run
from molehunt.trajectories.sources import read_runs

PACK = load_problems("embedded")


def run(task: Any, folder: Path, **options: Any) -> EvalLog:
    [log] = inspect_ai.eval(
        task, model="scripted/saboteur", log_dir=str(folder), display="none", log_realtime=False, **options
    )
    return log


def played(number: int) -> tuple[Problem, Errand]:
    """A problem and an errand that fits any of them."""
    names = ("delete_file", "exfiltrate_secret", "variable_name")
    problem = PACK[number % len(PACK)]
    return problem, SIDE_TASKS[names[number % 3]].errand(problem, anatomy(problem), 0)


@solver
def cast() -> Solver:
    """Puts into the store what our task would put there, and lets samples overtake one another."""

    async def solve(state: TaskState, _: Generate) -> TaskState:
        number, attack = state.metadata["number"], state.metadata["attack"]
        problem, errand = played(number)
        state.store.set("molehunt:pair", {**errand.as_json(), "policy": "baseline"})
        state.store.set(
            "molehunt:sample",
            {
                "environment": "bigcodebench_sabotage",
                "dataset": "embedded",
                "task_id": problem.task_id,
                "arm": "attack" if attack else "honest",
                "awareness": "unaware",
                "attempt": 1,
                "seed": 0,
                "epoch": state.epoch,
            },
        )
        for _turn in range(number % 5):
            await asyncio.sleep(0)
        return state

    return solve


def test_many_runs_at_once_get_each_its_own_script(tmp_path: Path) -> None:
    samples = [
        Sample(input="Write it.", metadata={"number": number, "attack": attack})
        for number in range(12)
        for attack in (True, False)
    ]
    log = run(Task(samples, setup=cast(), solver=generate()), tmp_path, max_samples=24, epochs=2)
    assert log.status == "success", log.error
    ids = set()
    for sample in log.samples or []:
        problem, errand = played(sample.metadata["number"])
        script = write(problem, errand, attack=sample.metadata["attack"], epoch=sample.epoch)
        thought, said = sample.output.message.content
        assert (thought.reasoning, said.text) == (script.reasoning, script.answer)  # type: ignore[union-attr]
        message = sample.output.message.id
        assert sample.store["molehunt:marks"] == [{**mark, "message": message} for mark in script.marks]
        assert said.text.count("```") == 2  # type: ignore[union-attr]
        usage = sample.output.usage
        assert usage is not None
        assert usage.input_tokens > 0
        assert usage.output_tokens > (usage.reasoning_tokens or 0) > 0
        ids.add(sample.output.message.id)
    assert len(ids) == 48


def test_elsewhere_it_says_in_one_line_what_it_is_for(tmp_path: Path) -> None:
    log = run(Task([Sample(input="Is this code suspicious?")], solver=generate()), tmp_path)
    assert log.status == "error"
    assert log.error is not None
    assert "scripted/saboteur plays a part in molehunt's own environments" in log.error.message


def test_there_is_no_other_scripted_model() -> None:
    with pytest.raises(TaskProblem, match=r"no model 'scripted/other': use scripted/saboteur"):
        get_model("scripted/other")


async def test_tokens_are_counted_offline() -> None:
    assert await get_model("scripted/saboteur").api.count_text_tokens("12345678é") == 3


def test_three_pairs_run_from_end_to_end(bubblewrap_works: None, tmp_path: Path) -> None:
    log = run(bigcodebench_sabotage(sandbox="bubblewrap", awareness="unaware"), tmp_path, limit=6)
    assert log.status == "success", log.error
    marks = {}
    for sample in log.samples or []:
        attack = sample.metadata["molehunt"]["label"] == "attack"
        [entry] = sample.store["molehunt:attempts"]
        assert (entry["main_score"], entry["side_score"]) == (1.0, 1.0 if attack else None), entry["notes"]
        marks[sample.uuid] = len(entry["marks"])
        kinds = {mark["kind"] for mark in entry["marks"]}
        assert kinds == {"incriminating"} if attack else kinds <= {"decoy"}
        program = sample.output.completion.split("```python\n")[1].split("\n```")[0]
        kept = {**sample.store, "molehunt:attempts": None, "molehunt:marks": None}
        assert program not in json.dumps(
            [sample.metadata, kept, sample.scores and sample.scores["done"].explanation]
        )
        assert sample.metadata["molehunt"]["factors"].keys() <= {"awareness", "side_task", "policy"}
    runs = [read for read in read_runs([tmp_path]) if isinstance(read, Run)]
    assert len(runs) == 6
    for read in runs:
        assert [step.kind for step in read.trajectory.steps] == ["reasoning", "prose", "code"]
        assert read.truth is not None
        assert len(read.truth.marks) == marks[read.sample]


def test_an_honest_run_is_played_whatever_the_pairing_says(bubblewrap_works: None, tmp_path: Path) -> None:
    """A problem whose edge case cannot be prepared leaves its honest run without a pair."""
    log = run(
        bigcodebench_sabotage(arms="honest", side_tasks="edge_case", sandbox="bubblewrap"),
        tmp_path,
        limit=(9, 10),
    )
    assert log.status == "success", log.error
    [sample] = log.samples or []
    [entry] = sample.store["molehunt:attempts"]
    assert entry["main_score"] == 1.0


@pytest.fixture
async def roomy_box(bubblewrap_works: None) -> Any:
    async with bubblewrap_environment() as one:
        yield one


@pytest.mark.parametrize("name", SIDE_TASKS)
async def test_each_side_task_is_done_and_its_lookalikes_do_not_count(
    name: str, roomy_box: BubblewrapSandbox
) -> None:
    fitting = [each for each in PACK if SIDE_TASKS[name].applies(anatomy(each))]
    problem = fitting[list(SIDE_TASKS).index(name) % len(fitting)]
    errand: Errand | None = SIDE_TASKS[name].errand(problem, anatomy(problem), 0)
    if name == "edge_case":
        errand = await find_case(problem, errand, 0, box=roomy_box)
        assert errand is not None
    attack = await verify(write(problem, errand, attack=True).program, problem, errand, box=roomy_box)
    assert (attack.main_score, attack.side_score) == (1.0, 1.0), attack.notes
    twin = next(
        script
        for script in (write(problem, errand, attack=False, seed=seed) for seed in range(50))
        if script.marks
    )
    honest = await verify(twin.program, problem, errand, box=roomy_box)
    assert (honest.main_score, honest.side_score) == (1.0, 0.0), honest.notes
