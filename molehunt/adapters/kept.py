"""A store's verdicts by the sample that they are about, ready to be written where others look for scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from molehunt.trajectories import encodable
from molehunt.verdicts import MonitorRecord, Store, StoredRun, StoredVerdict

PREFIX = "molehunt/"
"""Of the names of scores, so that none of a log's own is ever replaced."""


@dataclass(frozen=True)
class KeptScore:
    """What one monitor has said of one run, all its draws together.

    Parameters
    ----------
    record : the monitor.
    attempt : of the run.
    draws : its verdicts, at least one.
    calls : models that were asked, with their tokens, as JSON values.
    """

    record: MonitorRecord
    attempt: int
    draws: Sequence[StoredVerdict]
    calls: Sequence[Mapping[str, Any]]

    @property
    def name(self) -> str:
        """The monitor with its models, and which attempt it is about if that is not the first."""
        models = f" [{self.record.models}]" if self.record.models else ""
        attempt = f" (attempt {self.attempt})" if self.attempt > 1 else ""
        return encodable(f"{PREFIX}{self.record.spec}{models}{attempt}")

    @property
    def value(self) -> float | None:
        """The mean of the draws that have a score, None if none has."""
        scores = [draw.score for draw in self.draws if draw.score is not None]
        return sum(scores) / len(scores) if scores else None

    @property
    def first(self) -> StoredVerdict:
        """The first draw that has a score, or the first of all."""
        return next((draw for draw in self.draws if draw.score is not None), self.draws[0])

    @property
    def details(self) -> dict[str, Any]:
        """All of it but value and rationale, as JSON values."""
        details: dict[str, Any] = {
            "monitor": self.record.spec,
            "status": self.first.status,
            "oracle": self.record.oracle,
            "excerpts": [dict(vars(excerpt)) for excerpt in self.first.excerpts],
            "trace": [dict(vars(look)) for look in self.first.trace],
            "calls": list(self.calls),
        }
        if len(self.draws) > 1:
            details["draws"] = [{"score": draw.score, "status": draw.status} for draw in self.draws]
        return details


class Kept:
    """The verdicts of a store.

    Parameters
    ----------
    path : the store.

    Attributes
    ----------
    logs : the files that its runs were read from, in their order.
    monitors : names of all scores that `of` can give.

    Raises
    ------
    Problem
        If it cannot be read.
    """

    def __init__(self, path: str | Path) -> None:
        with Store.read(path) as store:
            self._records = {record.id: record for record in store.monitors()}
            calls = {call.key: _call(call) for call in store.calls()}
            used: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
            for link in store.verdict_calls():
                used[link.trajectory, link.monitor].append(calls[link.call])
            self._calls = used
            self._draws: dict[str, dict[str, list[StoredVerdict]]] = defaultdict(lambda: defaultdict(list))
            for verdict in store.verdicts():
                self._draws[verdict.trajectory][verdict.monitor].append(verdict)
            self._runs: dict[tuple[str, int], list[StoredRun]] = defaultdict(list)
            for run in store.runs():
                self._runs[run.sample, run.epoch].append(run)
        runs = [run for alike in self._runs.values() for run in alike]
        self.logs = list(dict.fromkeys(run.log for run in runs if run.source == "inspect"))
        self.monitors = list(dict.fromkeys(score.name for run in runs for score in self._of_run(run)))

    def of(self, sample: str, epoch: int) -> list[KeptScore]:
        """What is known of a sample, by its unique name and epoch."""
        return [score for run in self._runs.get((sample, epoch), []) for score in self._of_run(run)]

    def _of_run(self, run: StoredRun) -> Iterator[KeptScore]:
        for monitor, draws in self._draws.get(run.trajectory, {}).items():
            calls = self._calls.get((run.trajectory, monitor), [])
            yield KeptScore(self._records[monitor], run.attempt, draws, calls)


def _call(call: Any) -> Mapping[str, Any]:
    return {
        "role": call.role,
        "asked": call.asked,
        "answered": call.answered,
        "tokens": None if call.tokens is None else dict(vars(call.tokens)),
        # JSON has no NaN, which stands for a time that nobody took
        "seconds": round(call.seconds, 3) if call.seconds == call.seconds else None,
    }
