"""From an Inspect log to runs: trajectory, truth, and how each sample ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.inspect_background import Background, foreign_background
from molehunt.trajectories.inspect_files import Log, first_fault, open_log
from molehunt.trajectories.inspect_history import Entry, history
from molehunt.trajectories.inspect_messages import Attachments
from molehunt.trajectories.inspect_own import (
    OwnAttempt,
    own_attempts,
    own_background,
    place_marks,
    split_attempts,
)
from molehunt.trajectories.inspect_records import EvalRecord, SampleRecord
from molehunt.trajectories.labels import LabelRow, TruthOptions, read_label
from molehunt.trajectories.messages import Draft, numbered
from molehunt.trajectories.reasoning import most_readable
from molehunt.trajectories.runs import Ending, Label, Run, Truth
from molehunt.trajectories.steps import Trajectory, call_text
from molehunt.trajectories.unread import Unread

_NO_MODEL = (None, "none/none")  # experiments whose agents act under roles
_AGENT_ROLE = "untrusted"  # what control experiments call the role of the agent that is watched


def inspect_runs(path: Path, options: TruthOptions) -> Iterator[Run | Unread]:
    """Read an Inspect log, one sample in memory at a time.

    Parameters
    ----------
    path : the log.
    options : truth that the user states about it.

    Yields
    ------
    Run or Unread
        One run an attempt, and one line for each sample, or the log, that cannot be read.
    """
    try:
        log = open_log(path)
        empty = True
        for sample in log.samples:
            empty = False
            try:
                yield from sample_runs(sample.content, log, str(path), options)
            except Damaged as reason:
                yield Unread(str(path), sample.name, str(reason))
        if empty:
            raise Damaged(f"holds no samples; its status is {log.header.status!r}")
    except Damaged as reason:
        yield Unread(str(path), None, str(reason))


def sample_runs(content: dict[str, Any] | Damaged, log: Log, path: str, options: TruthOptions) -> list[Run]:
    """The runs of one sample: one for each attempt that an environment of ours recorded, else one.

    Raises
    ------
    Damaged
        If the sample cannot be read, or its label not understood.
    """
    if isinstance(content, Damaged):
        raise content
    try:
        sample = SampleRecord.model_validate(content)
        runs = _runs(sample, _Fields(content, log, sample), log.header.eval, path, options)
        for run in runs:
            _ = run.id  # also finds what cannot be digested
    except ValidationError as error:
        raise Damaged(f"is not laid out as Inspect's samples are: {first_fault(error)}") from error
    except RecursionError as error:
        raise Damaged("is nested too deeply") from error
    return runs


def _runs(
    sample: SampleRecord, fields: _Fields, evaluation: EvalRecord, path: str, options: TruthOptions
) -> list[Run]:
    row = options.row(sample.uuid, sample.id, sample.epoch, path)
    known = own_background(sample) or foreign_background(sample, evaluation)
    known = _told(known, row, fields, path, options)
    entries = history(sample)
    attempts = own_attempts(sample)
    if not attempts:
        return [_run(sample, entries, None, known, evaluation, path)]
    parts = split_attempts(entries, attempts)
    return [
        _run(sample, part, attempt, known, evaluation, path)
        for attempt, part in zip(attempts, parts, strict=True)
    ]


def _run(
    sample: SampleRecord,
    entries: Sequence[Entry],
    attempt: OwnAttempt | None,
    known: Background,
    evaluation: EvalRecord,
    path: str,
) -> Run:
    drafts = [_shown(draft, known) for entry in entries for draft in entry.drafts]
    trajectory = Trajectory(known.task, numbered(drafts))
    name = sample.uuid or f"{_eval_name(evaluation, path)}/{sample.id}"
    truth = None
    if known.label is not None:
        truth = Truth(
            known.label,
            known.environment,
            known.task_id,
            main_score=attempt.main_score if attempt else known.main_score,
            side_score=attempt.side_score if attempt else known.side_score,
            marks=place_marks(attempt.marks, trajectory.steps, f"{path}, sample {name}") if attempt else (),
            factors=known.factors,
        )
    return Run(
        trajectory,
        truth,
        log=path,
        sample=name,
        epoch=sample.epoch,
        attempt=attempt.attempt if attempt else 1,
        agent_model=_agent_model(evaluation, entries),
        reasoning=most_readable(draft.readable for draft in drafts if draft.readable),
        ending=_ending(sample),
        task_verified=known.task_verified,
    )


def _told(
    known: Background, row: LabelRow | None, fields: _Fields, path: str, options: TruthOptions
) -> Background:
    """``known``, completed and corrected by what the user says."""
    if options.task_field is not None and isinstance(task := fields.find(options.task_field), str):
        known = replace(known, task=task, task_verified=True)
    if row is None:
        return replace(known, label=known.label or _label(fields, path, options))
    stated = {
        name: value
        for name in ("environment", "task_id", "main_score", "side_score")
        if (value := getattr(row, name)) is not None
    }
    return replace(known, label=row.label, factors={**known.factors, **row.factors}, **stated)


def _label(fields: _Fields, path: str, options: TruthOptions) -> Label | None:
    by_file = options.label_of_file(path)
    if options.field is None:
        return by_file
    value = fields.find(options.field)
    if value is None and by_file is None:
        raise Damaged(f"has no field {options.field}, which is to hold its label")
    try:
        return by_file if value is None else read_label(value)
    except ValueError as error:
        raise Damaged(f"has a field {options.field} that is no label: {error}") from error


class _Fields:
    """Looks up dotted paths in a sample or, behind ``eval.``, in its log's header."""

    def __init__(self, content: dict[str, Any], log: Log, sample: SampleRecord) -> None:
        self._content, self._header = content, log.raw_header
        self._attachments = Attachments(sample.attachments)

    def find(self, path: str) -> Any:
        """The value at ``path``, None if there is none."""
        names = path.split(".")
        value: Any = self._header if names[0] == "eval" else self._content
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        return self._attachments.resolve(value)


def _shown(draft: Draft, known: Background) -> Draft:
    """``draft`` without the arguments that the agent's tool takes for a scorer's eyes only."""
    if draft.arguments is None or not known.hidden_arguments & draft.arguments.keys():
        return draft
    shown = {name: value for name, value in draft.arguments.items() if name not in known.hidden_arguments}
    return replace(draft, arguments=shown, text=call_text(shown))


def _agent_model(evaluation: EvalRecord, entries: Sequence[Entry]) -> str | None:
    if evaluation.model not in _NO_MODEL:
        return evaluation.model
    role = (evaluation.model_roles or {}).get(_AGENT_ROLE)
    if role is not None and not isinstance(role, list) and role.model:
        return role.model
    return next((entry.model for entry in entries if entry.model), None)


def _ending(sample: SampleRecord) -> Ending:
    if sample.error:
        message = sample.error.get("message") if isinstance(sample.error, dict) else sample.error
        return "cancelled" if str(message).startswith("Cancelled") else "error"
    if sample.limit:
        return "cancelled" if sample.limit.type == "operator" else "limit"
    return "finished"


def _eval_name(evaluation: EvalRecord, path: str) -> str:
    """Something that sets a log's samples apart where they have no ids of their own (before 2025)."""
    parts = [evaluation.eval_id] if evaluation.eval_id else [evaluation.run_id, evaluation.task_id]
    return "-".join(filter(None, parts)) or Path(path).stem
