"""Verdicts into Inspect's logs, through Inspect's own reading and writing, for `inspect view` to show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from molehunt.adapters.kept import PREFIX, Kept, KeptScore
from molehunt.trajectories import Problem, TruthOptions, Unread
from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.inspect_files import open_log
from molehunt.trajectories.inspect_runs import sample_runs
from molehunt.trajectories.whole import whole

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog
    from inspect_ai.scorer import Score


@dataclass(frozen=True)
class Written:
    """A log with verdicts: the file, its samples that have some, and the scores in it."""

    file: Path
    samples: int
    scores: int


def write_logs(kept: Kept, logs: Sequence[Path], out: Path | None) -> Iterator[Written | Unread]:
    """Write verdicts into logs, one score a monitor on each sample, called ``molehunt/MONITOR [MODELS]``.

    Its value is the mean of the draws, NaN with the status as the reason if none has a score; its explanation
    is the rationale, and status, excerpts, trace and calls are in its metadata. Scores of an earlier writing
    are replaced, those of others stay.

    Parameters
    ----------
    kept : the verdicts.
    logs : that the runs were read from, or copies of them.
    out : folder for the logs with the verdicts, which may not hold one of the same name that is to be read;
        None writes them where they are.

    Yields
    ------
    Written or Unread
        For each log; one without verdicts on any of its samples is not written.
    """
    from inspect_ai.log import read_eval_log, write_eval_log

    for log in logs:
        try:
            names = _names(log)
            opened = read_eval_log(str(log))
        except Damaged as reason:
            yield Unread(str(log), None, str(reason))
            continue
        except Exception as error:  # noqa: BLE001  Inspect does not say what it raises
            yield Unread(str(log), None, f"cannot be read by Inspect: {error}")
            continue
        samples, scores = _add(opened, names, kept)
        if not scores:
            yield Unread(str(log), None, "holds no sample that the store has verdicts on")
            continue
        target = log if out is None else out / log.name
        with whole(target) as part:
            write_eval_log(opened, str(part))
        yield Written(target, samples, scores)


def check_names(logs: Sequence[Path], out: Path) -> None:
    """Find logs that would be written over one another, or over themselves.

    Raises
    ------
    Problem
        If there are some.
    """
    seen: dict[str, Path] = {}
    for log in logs:
        if (out / log.name).resolve() == log.resolve():
            raise Problem(f"{log} would be replaced; give another folder, or --in-place")
        if (other := seen.setdefault(log.name, log)) is not log:
            raise Problem(f"{other} and {log} have one name; export them one by one (--logs)")


def _names(log: Path) -> dict[tuple[str, int], str]:
    """The unique name of each sample, as its runs have it, by the sample's own id and epoch."""
    names: dict[tuple[str, int], str] = {}
    opened = open_log(log)
    for raw in opened.samples:
        try:
            record = raw.record()
            names[record.id, record.epoch] = sample_runs(raw, opened, str(log), TruthOptions())[0].sample
        except Damaged:  # that it cannot be read was told when it was to be scored
            continue
    return names


def _add(log: EvalLog, names: dict[tuple[str, int], str], kept: Kept) -> tuple[int, int]:
    from inspect_ai.log import EvalMetric, EvalResults, EvalScore

    values: dict[str, list[float | None]] = {}
    samples = 0
    for sample in log.samples or []:
        own = {name: score for name, score in (sample.scores or {}).items() if not name.startswith(PREFIX)}
        given = kept.of(names.get((str(sample.id), sample.epoch), ""), sample.epoch)
        sample.scores = {**own, **{score.name: _score(score) for score in given}} or None
        samples += bool(given)
        for score in given:
            values.setdefault(score.name, []).append(score.value)
    results = log.results or EvalResults(total_samples=len(log.samples or []))
    results.scores = [score for score in results.scores if not score.name.startswith(PREFIX)]
    for name, all_values in values.items():
        scored = [value for value in all_values if value is not None]
        mean = {"mean": EvalMetric(name="mean", value=sum(scored) / len(scored))} if scored else {}
        unscored = len(all_values) - len(scored)
        results.scores.append(
            EvalScore(
                name=name, scorer=name, scored_samples=len(scored), unscored_samples=unscored, metrics=mean
            )
        )
    log.results = results
    return samples, sum(map(len, values.values()))


def _score(score: KeptScore) -> Score:
    from inspect_ai.scorer import Score

    rationale, value = score.first.rationale, score.value
    if value is None:
        return Score.unscored(reason=score.first.status, explanation=rationale, metadata=score.details)
    return Score(value=value, explanation=rationale, metadata=score.details)
