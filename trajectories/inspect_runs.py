"""From an Inspect log to runs: trajectory, truth, and how each sample ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.beginnings import Beginning
from molehunt.trajectories.inspect_background import Background, foreign_background
from molehunt.trajectories.inspect_files import Log, RawSample, open_log
from molehunt.trajectories.inspect_history import Entry, history
from molehunt.trajectories.inspect_messages import Attachments
from molehunt.trajectories.inspect_notes import note_sample
from molehunt.trajectories.inspect_own import (
    OwnAttempt,
    own_attempts,
    own_background,
    place_marks,
    split_attempts,
)
from molehunt.trajectories.inspect_records import EvalRecord, SampleRecord
from molehunt.trajectories.labels import LabelRow, TruthOptions, read_label
from molehunt.trajectories.mapping import Tally
from molehunt.trajectories.messages import Draft, numbered
from molehunt.trajectories.reasoning import most_readable
from molehunt.trajectories.runs import Ending, Label, ReasoningKind, Run, Truth
from molehunt.trajectories.steps import Trajectory, call_text
from molehunt.trajectories.unread import Unread

_NO_MODEL = (None, "none/none")  # experiments whose agents act under roles
_AGENT_ROLE = "untrusted"  # what control experiments call the role of the agent that is watched


def inspect_runs(
    path: Path, options: TruthOptions, tally: Tally | None = None, beginning: Beginning | None = None
) -> Iterator[Run | Unread]:
    """Read an Inspect log, one sample in memory at a time.

    Parameters
    ----------
    path : the log.
    options : truth that the user states about it.
    tally : counts what becomes of it, if its note is wanted.
    beginning : of the log, if it has been read already.

    Yields
    ------
    Run or Unread
        One run an attempt, and one line for each sample, or the log, that cannot be read.
    """
    try:
        log = open_log(path, beginning)
        empty = True
        for sample in log.samples:
            empty = False
            try:
                runs = sample_runs(sample, log, str(path), options)
                if tally is not None and tally.wanted:
                    note_sample(sample, runs, tally)
                yield from runs
            except Damaged as reason:
                yield Unread(str(path), sample.name, str(reason))
        if empty:
            raise Damaged(f"holds no samples; its status is {log.header.status!r}")
    except Damaged as reason:
        yield Unread(str(path), None, str(reason))
    except OSError as error:
        yield Unread(str(path), None, f"cannot be read: {error.strerror or error}")


def sample_runs(raw: RawSample, log: Log, path: str, options: TruthOptions) -> list[Run]:
    """The runs of one sample: one for each attempt that an environment of ours recorded, else one.

    Raises
    ------
    Damaged
        If the sample cannot be read, or its label not understood.
    """
    try:
        runs = _runs(raw, log, path, options)
        for run in runs:
            _ = run.id  # also finds what cannot be digested
    except RecursionError as error:
        raise Damaged("is nested too deeply to be read") from error
    return runs


class _Sample(Struct, frozen=True):
    """A sample with all that bears on its runs."""

    record: SampleRecord
    name: str
    known: Background
    row: LabelRow | None
    evaluation: EvalRecord
    path: str


def _runs(raw: RawSample, log: Log, path: str, options: TruthOptions) -> list[Run]:
    record, evaluation = raw.record(), log.header.eval
    name = record.uuid or f"{_eval_name(evaluation, path)}/{record.id}"
    row = options.row(name, record.id, record.epoch, path)
    known = own_background(record) or foreign_background(record, evaluation)
    fields = _Fields(raw, log, record)
    if options.task_field is not None and isinstance(task := fields.find(options.task_field), str):
        known = replace(known, task=task, task_verified=True)
    if known.label is None and (label := row.label if row else _label(fields, path, options)):
        known = replace(known, label=label)
    sample = _Sample(record, name, known, row, evaluation, path)
    entries, attempts = history(record), own_attempts(record)
    if not attempts:
        return [_run(sample, entries)]
    return [_run(sample, *both) for both in zip(split_attempts(entries, attempts), attempts, strict=True)]


def _run(sample: _Sample, entries: Sequence[Entry], attempt: OwnAttempt | None = None) -> Run:
    drafts = [draft for entry in entries for draft in entry.drafts]
    if hidden := sample.known.hidden_arguments:
        drafts = [_shown(draft, hidden) for draft in drafts]
    trajectory = Trajectory(sample.known.task, numbered(drafts))
    return Run(
        trajectory,
        _truth(sample, trajectory, entries, attempt),
        log=sample.path,
        sample=sample.name,
        epoch=sample.record.epoch,
        attempt=attempt.attempt if attempt else 1,
        agent_model=_agent_model(sample.evaluation, entries),
        reasoning=_readable(drafts),
        ending=_ending(sample.record),
        task_verified=sample.known.task_verified,
    )


def _readable(drafts: Sequence[Draft]) -> ReasoningKind:
    """How much of the agent's channel can be read; thoughts handed to a tool count where it has none."""
    thoughts = [draft for draft in drafts if draft.kind == "reasoning"]
    channel = [draft.readable for draft in thoughts if draft.readable]
    return most_readable(channel or ["full" for _ in thoughts])


def _truth(
    sample: _Sample, trajectory: Trajectory, entries: Sequence[Entry], attempt: OwnAttempt | None
) -> Truth | None:
    known, row = sample.known, sample.row
    if known.label is None:
        return None
    where = f"{sample.path}, sample {sample.name}"
    messages = [entry.message for entry in entries for _ in entry.drafts] if attempt else []
    truth = Truth(
        known.label,
        known.environment,
        known.task_id,
        main_score=attempt.main_score if attempt else known.main_score,
        side_score=attempt.side_score if attempt else known.side_score,
        marks=place_marks(attempt.marks, trajectory.steps, messages, where) if attempt else (),
        factors=known.factors,
    )
    return row.correct(truth) if row else truth


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

    def __init__(self, raw: RawSample, log: Log, sample: SampleRecord) -> None:
        self._raw, self._header = raw, log.raw_header
        self._attachments = Attachments(sample.attachments)

    def find(self, path: str) -> Any:
        """The value at ``path``, None if there is none."""
        names = path.split(".")
        value = self._header if names[0] == "eval" else self._raw.fields()
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        return self._attachments.resolve(value)


def _shown(draft: Draft, hidden: frozenset[str]) -> Draft:
    """``draft`` without the arguments that the agent's tool takes for a scorer's eyes only."""
    if not (draft.arguments and hidden & draft.arguments.keys()):
        return draft
    shown = {name: value for name, value in draft.arguments.items() if name not in hidden}
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
        return "cancelled" if str(message).startswith(("Cancelled", "KeyboardInterrupt")) else "error"
    if sample.limit:
        return "cancelled" if sample.limit.type == "operator" else "limit"
    return "finished"


def _eval_name(evaluation: EvalRecord, path: str) -> str:
    """Something that sets a log's samples apart where they have no ids of their own (before 2025)."""
    parts = [evaluation.eval_id] if evaluation.eval_id else [evaluation.run_id, evaluation.task_id]
    return "-".join(filter(None, parts)) or Path(path).stem
