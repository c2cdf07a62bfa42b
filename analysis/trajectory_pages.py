"""A page for each trajectory: what the agent did, what every monitor said and quoted, and what is true."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import pandas as pd

from molehunt.analysis.misses import MISS
from molehunt.analysis.observations import CONDITION, Observations
from molehunt.analysis.pieces import Piece, Span, pieces
from molehunt.analysis.templates import render
from molehunt.trajectories import Problem, Step, Trajectory
from molehunt.verdicts import Excerpt, Store
from molehunt.verdicts.records import StoredRun, StoredVerdict

FOLDER = "trajectories"
"""Where the pages stand, beside ``report.html``."""

Which = Literal["all", "misses"] | int
"""Which trajectories get a page: all, those of which some monitor's verdict is an error, or the so many of
them on which most monitors err."""

LONGEST_REASONS = 6_000
"""Characters of a rationale, and of a quote in a list, that are shown."""


_Record = TypeVar("_Record", StoredRun, StoredVerdict)


@dataclass(frozen=True)
class Walk:
    """An error of a monitor among its errors, for going from one to the next.

    Parameters
    ----------
    kind : miss or false alarm.
    place, total : which of how many it is, of those that have a page; from 1.
    previous, next : addresses of the errors before and after it, or empty.
    score, threshold : what the monitor gave, the mean of its draws, and from which score on it flags.
    """

    kind: str
    place: int
    total: int
    previous: str
    next: str
    score: float
    threshold: float


@dataclass(frozen=True)
class Quote:
    """An excerpt, and the key by which it is linked to its place."""

    key: str
    excerpt: Excerpt


@dataclass(frozen=True)
class Judgement:
    """A verdict as it is shown.

    Parameters
    ----------
    number : its mark wherever the page speaks of it, from 1.
    anchor : what addresses call it, empty unless it is its monitor's first.
    title, models, kind : of its monitor.
    draw : from 1, or 0 where the monitor has only one here.
    score, status, reasons : what it says.
    quotes : what it quotes.
    looks : (step, score or None) of a step-wise monitor.
    walks : the errors that it is, one for each arm of attacks that the run is measured in.
    """

    number: int
    anchor: str
    title: str
    models: str
    kind: str
    draw: int
    score: float | None
    status: str
    reasons: str
    quotes: tuple[Quote, ...]
    looks: tuple[tuple[int, float | None], ...]
    walks: tuple[Walk, ...]


def chosen(seen: Observations, errors: pd.DataFrame, which: Which) -> list[str]:
    """Ids of the trajectories that get a page, those first on which most monitors err.

    Parameters
    ----------
    seen : from `observe`.
    errors : from `misses`.
    which : see `Which`.
    """
    monitors = seen.monitors.index[seen.monitors["kind"] == "monitor"]
    # floors err on half of all runs: they choose only where there is nothing else
    own = errors[errors["monitor"].isin(monitors)] if len(monitors) else errors
    n_errors = own.drop_duplicates(["trajectory", "monitor"])["trajectory"].value_counts(sort=False)
    hardest = list(n_errors.sort_values(ascending=False, kind="stable").index)
    if which == "misses":
        return hardest
    everything = list(dict.fromkeys([*hardest, *seen.frame["trajectory"]]))
    return everything if which == "all" else everything[:which]


def address(trajectory: str) -> str:
    """Where the page of a trajectory stands, seen from the report.

    Raises
    ------
    Problem
        If the id is no digest: a store of somebody else's making could name a file outside the report.
    """
    if not trajectory.isalnum():
        raise Problem(f"{trajectory!r:.80} is no id of a trajectory. Give a store that molehunt wrote.")
    return f"{FOLDER}/{trajectory}.html"


def write_pages(
    store: str | Path, folder: Path, seen: Observations, errors: pd.DataFrame, trajectories: Sequence[str]
) -> list[Path]:
    """Write the pages of ``trajectories`` into a folder of ``folder``, in this order; returns their paths.

    Parameters
    ----------
    store : has their steps and verdicts.
    seen, errors : from `observe` and `misses`.
    trajectories : ids, from `chosen`.
    """
    wanted = set(trajectories)
    walks = _walks(errors, wanted)
    paths = []
    with Store.read(store) as opened:
        runs = _by_trajectory(opened.runs(), wanted)
        verdicts = _by_trajectory(opened.verdicts(), wanted)
        (folder / FOLDER).mkdir(parents=True, exist_ok=True)
        for place, trajectory in enumerate(trajectories):
            paths.append(folder / address(trajectory))
            html = trajectory_page(
                opened.trajectory(trajectory),
                runs.get(trajectory, []),
                list(_judgements(verdicts.get(trajectory, []), seen, walks)),
                place=place + 1,
                total=len(trajectories),
                previous=f"{trajectories[place - 1]}.html" if place else "",
                following=f"{trajectories[place + 1]}.html" if place + 1 < len(trajectories) else "",
            )
            paths[-1].write_text(html, encoding="utf-8")
    return paths


def trajectory_page(
    trajectory: Trajectory,
    runs: Sequence[StoredRun],
    judgements: Sequence[Judgement],
    place: int = 1,
    total: int = 1,
    previous: str = "",
    following: str = "",
) -> str:
    """One page as HTML. Every text that is not ours is escaped and cannot be obeyed; see `templates`.

    Parameters
    ----------
    trajectory : what happened.
    runs : all runs that went like this.
    judgements : what the monitors said of it.
    place, total, previous, following : where the page stands among others, and their addresses.
    """
    spans = _spans(judgements, trajectory, runs)
    return render(
        "trajectory",
        trajectory=trajectory,
        task=list(pieces(trajectory.task)),
        steps=[
            _Shown(step, tuple(pieces(step.text, spans.get(step.index, [])))) for step in trajectory.steps
        ],
        runs=runs,
        marks=sorted(
            {(mark.step, mark.start, mark.kind) for run in runs if run.truth for mark in run.truth.marks}
        ),
        judgements=judgements,
        place=place,
        total=total,
        previous=previous,
        following=following,
        miss=MISS,
        longest_reasons=LONGEST_REASONS,
    )


@dataclass(frozen=True)
class _Shown:
    """A step, and its text in pieces."""

    step: Step
    pieces: tuple[Piece, ...]

    @property
    def n_lines(self) -> int:
        return self.step.text.count("\n") + 1

    @property
    def is_long(self) -> bool:
        return self.n_lines > 30 or len(self.step.text) > 3_000

    @property
    def n_left_out(self) -> int:
        return sum(piece.n_left_out for piece in self.pieces)


def _spans(
    judgements: Sequence[Judgement], trajectory: Trajectory, runs: Sequence[StoredRun]
) -> dict[int, list[Span]]:
    spans: dict[int, list[Span]] = {step.index: [] for step in trajectory.steps}
    for judgement in judgements:
        for quote in judgement.quotes:
            found = quote.excerpt
            if found.match != "not_found" and found.step in spans:
                place = Span(found.start or 0, found.end or 0, found.match, quote.key, judgement.number)
                spans[found.step].append(place)
    marks = {mark for run in runs if run.truth for mark in run.truth.marks}
    for mark in sorted(marks, key=lambda mark: (mark.step, mark.start, mark.end, mark.kind)):
        if mark.step in spans:
            spans[mark.step].append(Span(mark.start, mark.end, mark.kind))
    return spans


def _judgements(
    verdicts: Sequence[StoredVerdict], seen: Observations, walks: Mapping[tuple[str, str], tuple[Walk, ...]]
) -> Iterator[Judgement]:
    order = {monitor: place for place, monitor in enumerate(seen.monitors.sort_values("kind").index)}
    ranks = {"monitor": 0, "floor": 1, "oracle": 2}
    kinds = seen.monitors["kind"]
    ordered = sorted(verdicts, key=lambda v: (ranks[kinds[v.monitor]], order[v.monitor], v.draw))
    drawn = {verdict.monitor for verdict in verdicts if verdict.draw > 0}
    for number, verdict in enumerate(ordered, start=1):
        monitor = seen.monitors.loc[verdict.monitor]
        yield Judgement(
            number=number,
            anchor=_anchor(verdict.monitor) if verdict.draw == 0 else "",
            title=str(monitor["title"]),
            models=str(monitor["models"]),
            kind=str(monitor["kind"]),
            draw=verdict.draw + 1 if verdict.monitor in drawn else 0,
            score=verdict.score,
            status=verdict.status,
            reasons=verdict.rationale,
            quotes=tuple(
                Quote(f"quote-{number}-{place}", excerpt)
                for place, excerpt in enumerate(verdict.excerpts, start=1)
            ),
            looks=tuple((look.step, look.score) for look in verdict.trace),
            walks=walks.get((verdict.trajectory, verdict.monitor), ()),
        )


def _walks(errors: pd.DataFrame, wanted: Collection[str]) -> dict[tuple[str, str], tuple[Walk, ...]]:
    """The errors that have a page by (trajectory, monitor), each with its neighbours."""
    found: dict[tuple[str, str], tuple[Walk, ...]] = {}
    shown = errors[errors["trajectory"].isin(set(wanted))]
    for (*_, name, error), rows in shown.groupby([*CONDITION, "monitor", "kind"], sort=False):
        monitor, kind = str(name), str(error)
        # equal transcripts are one page, which is visited once
        once = rows.drop_duplicates("trajectory")
        pages = [f"{trajectory}.html#{_anchor(monitor)}" for trajectory in once["trajectory"]]
        for place, (trajectory, score, threshold) in enumerate(
            once[["trajectory", "score", "threshold"]].itertuples(index=False)
        ):
            walk = Walk(
                kind=kind,
                place=place + 1,
                total=len(pages),
                previous=pages[place - 1] if place else "",
                next=pages[place + 1] if place + 1 < len(pages) else "",
                score=score,
                threshold=threshold,
            )
            found[trajectory, monitor] = (*found.get((trajectory, monitor), ()), walk)
    return found


def _anchor(monitor: str) -> str:
    # an id from elsewhere may hold anything
    return f"by-{hashlib.sha256(monitor.encode()).hexdigest()[:12]}"


def _by_trajectory(records: Iterable[_Record], wanted: Collection[str]) -> dict[str, list[_Record]]:
    found: dict[str, list[_Record]] = {}
    for record in records:
        if record.trajectory in wanted:
            found.setdefault(record.trajectory, []).append(record)
    return found
