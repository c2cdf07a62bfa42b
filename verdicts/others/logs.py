"""Suspicion scores in Inspect's logs, sample by sample, each with the run that it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from molehunt.trajectories import Run, TruthOptions, Unread
from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.inspect_files import Log, RawSample, open_log
from molehunt.trajectories.inspect_history import history
from molehunt.trajectories.inspect_messages import Attachments
from molehunt.trajectories.inspect_runs import sample_runs
from molehunt.verdicts.others.judgements import Judgement, Scale
from molehunt.verdicts.others.sources import SOURCES, LoggedSample


def logged_scores(
    path: Path, options: TruthOptions, scales: Mapping[str, Scale] | None = None
) -> Iterator[tuple[Run, list[Judgement]] | Unread]:
    """Read the scores that a log holds, one sample in memory at a time.

    Parameters
    ----------
    path : an Inspect log.
    options : truth that the user states; a run is the one that `molehunt score` reads.
    scales : scorers whose numbers are suspicion, and the scales of monitors, by name.

    Yields
    ------
    tuple of Run and list of Judgement, or Unread
        For each sample that some monitor has judged. A sample of several attempts is passed over with a
        line: nothing says which of them a score is about.
    """
    given = scales or {}
    try:
        log = open_log(path)
        for raw in log.samples:
            try:
                found = _scores(raw, log, path, options, given)
            except Damaged as reason:
                yield Unread(str(path), raw.name, str(reason))
                continue
            if found is not None:
                yield found
    except Damaged as reason:
        yield Unread(str(path), None, str(reason))
    except OSError as error:
        yield Unread(str(path), None, f"cannot be read: {error.strerror or error}")


def _scores(
    raw: RawSample, log: Log, path: Path, options: TruthOptions, scales: Mapping[str, Scale]
) -> tuple[Run, list[Judgement]] | None:
    runs = sample_runs(raw, log, str(path), options)
    record = raw.record()
    fields = Attachments(record.attachments).resolve(raw.fields())
    header = log.raw_header.get("eval") if isinstance(log.raw_header, dict) else None
    places = [
        (entry.message, draft.call, draft.answers_call) for entry in history(record) for draft in entry.drafts
    ]
    steps = runs[-1].trajectory.steps
    if len(places) != len(steps):  # an attempt among several, which holds a part of the steps
        places = []
    sample = LoggedSample(
        fields=fields,
        evaluation=header if isinstance(header, dict) else {},
        # a call's own id after its message's, so that it is that of the call
        step_of={
            **{message: step for step, (message, _, _) in enumerate(places) if message},
            **{call: step for step, (_, call, _) in enumerate(places) if call},
        },
        result_of={call: step for step, (_, _, call) in enumerate(places) if call},
        calls=[step.index for step in steps if step.kind == "tool_call"],
        scales=scales,
        wanted=frozenset(scales),
    )
    judgements = [judgement for source in SOURCES.values() for judgement in source(sample)]
    if not judgements:
        return None
    if len(runs) > 1:
        raise Damaged("has scores and several attempts, and nothing says which of them the scores are about")
    return runs[0], judgements
