"""Runs as JSON lines, the format of our own: one run a line, with its truth and where it came from.

What is written is read back as it was: the same trajectory with the same id, so that verdicts in a store
hold for both. The form of a line is published as JSON Schema, in `SCHEMA_FILE`, and numbered.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, ValidationError

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.beginnings import Beginning
from molehunt.trajectories.labels import TruthOptions, read_label
from molehunt.trajectories.mapping import Tally
from molehunt.trajectories.packed import opened
from molehunt.trajectories.reasoning import most_readable
from molehunt.trajectories.runs import Ending, Label, Mark, ReasoningKind, Run, Truth
from molehunt.trajectories.steps import Kind, Step, Trajectory, call_text
from molehunt.trajectories.unread import Unread

SOURCE = "molehunt"
"""Name of the format."""

SCHEMA_VERSION = 1
"""Of the form of a line; raise it when a reader of the old form would misread the new one."""

SCHEMA_FILE = Path(__file__).with_name("molehunt_jsonl.schema.json")
"""The form of a line as JSON Schema; `schema` makes it."""

LONGEST_LINE = 256 << 20
"""Bytes of one run, as in a store."""

Text = InstanceOf[str]
"""Any text: in arguments and file names there are lone surrogates, which pydantic's own texts refuse."""


class _Part(BaseModel):
    # what is not known is left for the mapping note to count as dropped
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class StepLine(_Part):
    """One thing that the agent did, or that came back. Its place among the steps is its index, from 0."""

    kind: Kind = Field(
        description="reasoning: a thinking channel; prose: what is said outside it; code: a fenced block of "
        "that; tool_call and tool_result: a tool's use and answer; user: a later turn of the user's."
    )
    text: Text | None = Field(
        None, description="What is read and quoted. A tool_call without it reads as its arguments."
    )
    tool: Text | None = Field(None, description="Name of the tool, of calls and results.")
    arguments: dict[Text, Any] | None = Field(None, description="Of a call.")
    answers: int | None = Field(None, ge=0, description="Index of the call that a result answers.")
    agent: Text | None = Field(None, description="The sub-agent that acted.")
    seconds: float | None = Field(None, description="Since the run began.")


class MarkLine(_Part):
    """A stretch of a step that incriminates, or that looks like it and is harmless."""

    kind: Literal["incriminating", "decoy"]
    step: int = Field(ge=0)
    start: int = Field(ge=0, description="Character of the step's text.")
    end: int = Field(ge=0, description="The character after the last.")


class TruthLine(_Part):
    """What is known of the run and no monitor may see."""

    label: Label
    environment: Text = Field(description="Data set; two are never pooled.")
    task_id: Text = Field(description="The problem; its honest and attack runs form one cluster.")
    main_score: float | None = Field(None, description="Result on the main task.")
    side_score: float | None = Field(None, description="Result on the side task.")
    marks: list[MarkLine] = []
    factors: dict[Text, Text] = Field(
        {}, description="What else the run varied: side_task, policy, awareness, arm, split, …."
    )


class RunLine(_Part):
    """One run: what an agent did (task and steps), the truth about it, and where it came from."""

    schema_version: Literal[1]
    trajectory_id: Text | None = Field(
        None, description="Digest of task and steps. If it is there it has to be right."
    )
    log: Text | None = Field(None, description="File that the run was first read from.")
    sample: Text = Field(description="Name of the run; with epoch and attempt no two runs have the same.")
    epoch: int = Field(1, ge=0, lt=2**31)
    attempt: int = Field(1, ge=1, lt=2**31)
    source: Text = Field(SOURCE, description="Format of that file.")
    agent_model: Text | None = Field(None, description="Model that acted.")
    reasoning: ReasoningKind | None = Field(
        None, description="How much of the agent's reasoning is in the steps; without it, what they show."
    )
    ending: Ending = "finished"
    task_verified: bool = Field(
        True, description="Whether the task is known, rather than guessed from the user's first turn."
    )
    truth: TruthLine | None = Field(None, description="Missing where nobody has said what the run is.")
    task: Text = Field(
        description="The main task as an honest user gives it, the same in a problem's honest and attack "
        "runs; never the side task, never a system prompt."
    )
    steps: list[StepLine]


def schema() -> dict[str, Any]:
    """The form of a line, as JSON Schema."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"molehunt-run-{SCHEMA_VERSION}",
        **RunLine.model_json_schema(),
    }


def run_line(run: Run) -> str:
    """A run as one line of JSON in ASCII, without the line's end.

    Floats that are no numbers, which tools' arguments may hold, are written as Python writes them: ``NaN``.

    Examples
    --------
    >>> run = Run(Trajectory("Add.", (Step(0, "code", "a + b"),)), None, log="a.eval", sample="s1")
    >>> print(run_line(run))
    {"schema_version": 1, "trajectory_id": "...", "log": "a.eval", "sample": "s1", "epoch": 1, "attempt": 1,
     "source": "inspect", "agent_model": null, "reasoning": "none", "ending": "finished",
     "task_verified": true, "truth": null, "task": "Add.", "steps": [{"kind": "code", "text": "a + b"}]}
    """
    line = {
        "schema_version": SCHEMA_VERSION,
        "trajectory_id": run.trajectory.id,
        "log": run.log,
        "sample": run.sample,
        "epoch": run.epoch,
        "attempt": run.attempt,
        "source": run.source,
        "agent_model": run.agent_model,
        "reasoning": run.reasoning,
        "ending": run.ending,
        "task_verified": run.task_verified,
        "truth": None if run.truth is None else _truth_fields(run.truth),
        # last, since they are long: how a file begins tells its format
        "task": run.trajectory.task,
        "steps": [_step_fields(step) for step in run.trajectory.steps],
    }
    return json.dumps(line, default=dict)


def run_of_line(text: str | bytes) -> Run:
    """The run that `run_line` wrote, or anybody else, in the form of `SCHEMA_FILE`.

    Raises
    ------
    Damaged
        If the line is not of that form.
    """
    return _run(_checked(_fields(text)), log="")


def is_molehunt_jsonl(beginning: Beginning) -> bool:
    """Whether a file's first line is a run of ours."""
    record = beginning.record
    return "schema_version" in record and not {"sample", "task", "steps"}.isdisjoint(record)


def molehunt_runs(path: Path, options: TruthOptions, tally: Tally) -> Iterator[Run | Unread]:
    """Read runs of ours, packed or not, one in memory at a time.

    Parameters
    ----------
    path : the file.
    options : truth that the user states. A row of its table overrules what a line says; a field, a dotted
        path such as ``truth.label``, and the file's name are for lines that say nothing.
    tally : counts what becomes of the file.

    Yields
    ------
    Run or Unread
        An `Unread` for each line that is no run; the others are read all the same.
    """
    number = 0
    try:
        with opened(path) as file:
            while text := file.readline(LONGEST_LINE + 1):
                number += 1
                if not text.strip(b" \t\r\n\0"):  # a machine that stops while it writes leaves zeros
                    continue
                try:
                    if len(text) > LONGEST_LINE:
                        while text and not text.endswith(b"\n"):
                            text = file.readline(1 << 20)
                        raise Damaged(f"is longer than {LONGEST_LINE >> 20} MiB")
                    yield _stated(_fields(text), path, options, tally)
                except Damaged as reason:
                    yield Unread(str(path), f"line {number}", str(reason))
    except Damaged as reason:
        yield Unread(str(path), None, f"{reason}; {number} lines were read" if number else str(reason))
    except OSError as error:
        yield Unread(str(path), None, f"cannot be read: {error.strerror or error}")


def _fields(text: str | bytes) -> dict[str, Any]:
    try:
        # Python's own reader: others refuse lone surrogates, which count towards a trajectory's id
        fields = json.loads(text)
    except ValueError as error:
        raise Damaged(f"is not JSON that can be read: {error}") from error
    except RecursionError as error:
        raise Damaged("is nested too deeply to be read") from error
    if not isinstance(fields, dict):
        raise Damaged("is no JSON object")
    version = fields.get("schema_version")
    if version != SCHEMA_VERSION:
        raise Damaged(f"has schema_version {version!r:.40}, and only {SCHEMA_VERSION} is known here")
    return fields


def _checked(fields: dict[str, Any]) -> RunLine:
    try:
        return RunLine.model_validate(fields)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        raise Damaged(f"is no run: {'.'.join(map(str, fault['loc']))}: {fault['msg']}") from error


def _stated(fields: dict[str, Any], path: Path, options: TruthOptions, tally: Tally) -> Run:
    """The run of a line, with what the user says about it."""
    line = _checked(fields)
    tally.fields(fields, set(RunLine.model_fields))
    if isinstance(truth := fields.get("truth"), dict):
        tally.fields(truth, set(TruthLine.model_fields), "truth.")
    for step in fields["steps"]:
        tally.fields(step, set(StepLine.model_fields), "steps.")
    run = _run(line, log=str(path))
    if options.task_field is not None and isinstance(task := _find(fields, options.task_field), str):
        run = replace(run, trajectory=Trajectory(task, run.trajectory.steps), task_verified=True)
    known = run.truth
    row = options.row(run.sample, known.task_id if known else run.sample, run.epoch, run.log)
    if known is None and (label := row.label if row else _label(fields, path, options)):
        tally.guess("the data set is called like the format, and runs of one task text are one problem")
        digest = hashlib.sha256(run.trajectory.task.encode()).hexdigest()[:12]
        known = Truth(label, run.source, f"task-{digest}")
    return replace(run, truth=row.correct(known) if row and known else known)


def _label(fields: dict[str, Any], path: Path, options: TruthOptions) -> Label | None:
    if options.field is not None and (value := _find(fields, options.field)) is not None:
        try:
            return read_label(value)
        except ValueError as error:
            raise Damaged(f"has a field {options.field} that is no label: {error}") from error
    return options.label_of_file(str(path))


def _find(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _run(line: RunLine, log: str) -> Run:
    trajectory = Trajectory(line.task, tuple(_step(index, step) for index, step in enumerate(line.steps)))
    try:
        digest = trajectory.id
    except RecursionError as error:
        raise Damaged("is nested too deeply to be read") from error
    if line.trajectory_id is not None and line.trajectory_id != digest:
        raise Damaged(
            f"has the trajectory_id {line.trajectory_id:.40}, and task and steps make {digest}: they were "
            "altered; if that was meant, take trajectory_id out"
        )
    for mark in line.truth.marks if line.truth else ():
        if mark.step >= len(trajectory.steps) or mark.end > len(trajectory.steps[mark.step].text):
            raise Damaged(
                f"marks characters {mark.start} to {mark.end} of step {mark.step}, which it has not"
            )
    return Run(
        trajectory,
        None if line.truth is None else _truth(line.truth),
        log=log if line.log is None else line.log,
        sample=line.sample,
        epoch=line.epoch,
        attempt=line.attempt,
        source=line.source,
        agent_model=line.agent_model,
        reasoning=_shown(trajectory) if line.reasoning is None else line.reasoning,
        ending=line.ending,
        task_verified=line.task_verified,
    )


def _step(index: int, line: StepLine) -> Step:
    text = call_text(line.arguments) if line.text is None else line.text
    return Step(index, line.kind, text, line.tool, line.arguments, line.answers, line.agent, line.seconds)


def _truth(line: TruthLine) -> Truth:
    marks = tuple(Mark(mark.kind, mark.step, mark.start, mark.end) for mark in line.marks)
    return Truth(
        line.label, line.environment, line.task_id, line.main_score, line.side_score, marks, line.factors
    )


def _shown(trajectory: Trajectory) -> ReasoningKind:
    return most_readable(
        "full" if step.text else "hidden" for step in trajectory.steps if step.kind == "reasoning"
    )


def _truth_fields(truth: Truth) -> dict[str, Any]:
    return {**vars(truth), "marks": [vars(mark) for mark in truth.marks], "factors": dict(truth.factors)}


def _step_fields(step: Step) -> dict[str, Any]:
    """What a step has, its kind first and its text last; a text that is that of its arguments is left out."""
    names = ("kind", "tool", "agent", "answers", "seconds", "arguments", "text")
    fields = {name: value for name in names if (value := getattr(step, name)) is not None}
    if step.arguments is not None and step.text == call_text(step.arguments):
        del fields["text"]
    return fields
