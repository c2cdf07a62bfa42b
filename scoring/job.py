"""What a run of scoring is asked to do, checked before anything is read, opened or spent."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict

from molehunt.monitors import AnswerMode, Monitor
from molehunt.scoring.entries import Entry, entries_of
from molehunt.scoring.grid import groups_of
from molehunt.scoring.models import check_provider
from molehunt.scoring.roles import Binding, ModelSpec
from molehunt.scoring.shards import Shard
from molehunt.trajectories import Problem, Run
from molehunt.trajectories.labels import TruthOptions
from molehunt.trajectories.sources import read_runs
from molehunt.trajectories.unread import Unread
from molehunt.verdicts.prices import PriceTable

Sources = str | Path | Sequence[str | Path]
Specs = str | Path | Monitor | Sequence[str | Path | Monitor]

IN_FLIGHT = 20
"""Trajectories asked about at a time: as many as Inspect has connections to a provider at first."""

MOST_DRAWS = 1000

IN_BATCHES = 1000
"""The same of verdicts where requests wait in batches, which are as large as what there is to be asked."""

RUNNERS = ("local", "ray")
"""Where the work is done."""

PRESETS = {"arnav2025": 2}
"""Draws for each trajectory and monitor in published studies: Arnav et al. 2025 (arXiv 2505.23575)."""


class Options(TypedDict, total=False):
    """Options of `score`, `score_async` and `plan`; all may be left out.

    Parameters
    ----------
    model : for all roles, such as ``openai/gpt-4.1-mini``, or a mapping with ``model`` and settings of the
        generation, such as ``{"model": "openai/gpt-4.1", "temperature": 0}``.
    roles : models of single roles.
    draws : verdicts for each trajectory and monitor, by default those of the preset, else 1.
    preset : a published study whose draws are wanted: ``arnav2025``.
    answer : how answers are read, one way for all monitors that are compared: ``text``, ``structured`` or
        ``expected``. By default ``expected`` if all models are embedded ones, else ``text``.
    max_usd : dollars at which to stop asking; without it there is no limit.
    prices : by default the table that comes with molehunt.
    truth : where labels are found that the logs do not hold.
    limit : read so many runs and no more.
    max_connections : trajectories to ask about at a time. By default 1 for embedded models, which answer one
        request at a time and remember one prompt, else 20. How many connections a provider bears is found out
        by Inspect, which sends fewer requests at a time when it is told to slow down. In batches, verdicts to
        ask about at a time, by default 1,000.
    shard : ``i/n`` to score one of n parts of the runs, by trajectory; each part into a store of its own,
        which `molehunt.merge` puts together.
    runner : ``local``, in this process, or ``ray``, on a Ray cluster, whose workers share ``max_connections``
        and ``max_usd``; embedded models run in every worker.
    ray_address : of a cluster that runs already, ``host:port`` or ``auto``; without it one is started on this
        machine for the time of the run.
    batch : ask through the providers' batch APIs: about half the price, and an answer within a day.
    """

    model: ModelSpec | None
    roles: Mapping[str, ModelSpec] | None
    draws: int | None
    preset: str | None
    answer: AnswerMode | None
    max_usd: float | None
    prices: PriceTable | None
    truth: TruthOptions | None
    limit: int | None
    max_connections: int | None
    shard: str | None
    runner: Literal["local", "ray"]
    ray_address: str | None
    batch: bool


@dataclass(frozen=True)
class Job:
    """The options made ready: see `Options`."""

    sources: Sequence[str | Path]
    truth: TruthOptions
    limit: int | None
    entries: Sequence[Entry]
    draws: int
    prices: PriceTable
    max_usd: float | None
    in_flight: int
    shard: Shard | None = None
    runner: Literal["local", "ray"] = "local"
    ray_address: str | None = None

    @property
    def bindings(self) -> list[Binding]:
        """Every model that may be asked."""
        return [binding for entry in self.entries for binding in entry.models.values()]

    def check_providers(self) -> None:
        """Refuse models that nobody provides; see `check_provider`."""
        for binding in self.bindings:
            check_provider(binding.model)

    @property
    def batched(self) -> bool:
        """Whether any model is asked through a batch API."""
        return any(binding.batched for binding in self.bindings)

    def read(self) -> Iterator[Run | Unread]:
        """What the sources hold, up to the limit; of that, what is in the shard.

        Raises
        ------
        Problem
            If a source is missing, before anything is read.
        """
        runs = _limited(read_runs(self.sources, self.truth), self.limit)
        return self.shard.of_all(runs) if self.shard else runs


def job_of(
    sources: Sources,
    monitors: Specs,
    *,
    model: ModelSpec | None = None,
    roles: Mapping[str, ModelSpec] | None = None,
    draws: int | None = None,
    preset: str | None = None,
    answer: AnswerMode | None = None,
    max_usd: float | None = None,
    prices: PriceTable | None = None,
    truth: TruthOptions | None = None,
    limit: int | None = None,
    max_connections: int | None = None,
    shard: str | None = None,
    runner: Literal["local", "ray"] = "local",
    ray_address: str | None = None,
    batch: bool = False,
) -> Job:
    """Check what is asked for; see `Options`.

    Raises
    ------
    Problem
        If a monitor, parameter or role is unknown, a role has no model, or a number is below 1.
    """
    if preset is not None and preset not in PRESETS:
        raise Problem(f"there is no preset {preset!r}. There are {', '.join(PRESETS)}.")
    if draws is None:
        draws = PRESETS[preset] if preset else 1
    for name, number in (("draws", draws), ("limit", limit), ("max_connections", max_connections)):
        if number is not None and number < 1:
            raise Problem(f"{name} cannot be {number}. Give 1 or more.")
    if draws > MOST_DRAWS:
        raise Problem(f"draws cannot be {draws}. Give {MOST_DRAWS} or fewer.")
    if max_usd is not None and not 0 <= max_usd < math.inf:
        raise Problem(f"max_usd cannot be {max_usd}. Give dollars, 0 or more, or leave it out.")
    if runner not in RUNNERS:
        raise Problem(f"there is no runner {runner!r}. There are {' and '.join(RUNNERS)}.")
    if ray_address is not None and runner != "ray":
        raise Problem(
            f"the address {ray_address} is of a Ray cluster. Say that it is to be used: --runner ray."
        )
    specs = [monitors] if isinstance(monitors, str | Path | Monitor) else list(monitors)
    entries = entries_of(groups_of(specs, model, roles), answer)
    if batch:
        entries = [entry.in_batches() for entry in entries]
    bindings = [binding for entry in entries for binding in entry.models.values()]
    embedded = any(binding.embedded for binding in bindings)
    at_a_time = 1 if embedded else IN_BATCHES if any(binding.batched for binding in bindings) else IN_FLIGHT
    return Job(
        sources=[sources] if isinstance(sources, str | Path) else list(sources),
        truth=truth or TruthOptions(),
        limit=limit,
        entries=entries,
        draws=draws,
        prices=prices or PriceTable.load(),
        max_usd=max_usd,
        in_flight=max_connections or at_a_time,
        shard=None if shard is None else Shard.parse(shard),
        runner=runner,
        ray_address=ray_address,
    )


def _limited(runs: Iterator[Run | Unread], limit: int | None) -> Iterator[Run | Unread]:
    read = 0
    for run in runs:
        yield run
        read += isinstance(run, Run)
        if read == limit:
            return
