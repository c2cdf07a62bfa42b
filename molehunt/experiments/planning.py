"""What an experiment would ask and cost, agents and monitors, before any of it is spent."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, replace

from molehunt.experiments.acting import agent_name
from molehunt.experiments.checking import check
from molehunt.experiments.expected import acting, expected_runs
from molehunt.experiments.experiment import Experiment
from molehunt.experiments.judging import bindings_of
from molehunt.scoring.entries import Entry
from molehunt.scoring.job import job_of
from molehunt.scoring.plan import Plan, PlannedCalls, Planner
from molehunt.trajectories import Run
from molehunt.verdicts.prices import PriceTable


@dataclass(frozen=True)
class PlannedActing:
    """What one agent does in one environment; tokens and dollars are estimates.

    Parameters
    ----------
    agent, environment : who, and where.
    runs : samples × epochs, each once: with ``attempts``, those that are tried again come on top.
    calls : answers of the agent.
    input_tokens, output_tokens : that it reads and writes.
    usd : at list price, None if the price is unknown.
    """

    agent: str
    environment: str
    runs: int
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None


@dataclass(frozen=True)
class ExperimentPlan:
    """Everything that an experiment would ask: agents first, then monitors."""

    acting: tuple[PlannedActing, ...]
    judging: Plan

    @property
    def usd(self) -> float | None:
        """Dollars of it all, None if a price is unknown."""
        dollars = [*(row.usd for row in self.acting), self.judging.usd]
        return None if None in dollars else sum(amount for amount in dollars if amount is not None)


def plan_experiment(experiment: Experiment, prices: PriceTable) -> ExperimentPlan:
    """Plan an experiment from its samples, as if nothing had run yet; nothing is asked and nothing written.

    Runs are taken to be as long as each environment's `Assumed` says.

    Raises
    ------
    Problem
        If a task, a parameter, a monitor, a role, a model or the report cannot be.
    """
    actors, runs = [], list[list[Run]]()
    for environment in experiment.environments:
        runs.append(expected_runs(environment))
    check(experiment, itertools.chain.from_iterable(runs))
    for environment, expected in zip(experiment.environments, runs, strict=True):
        once = acting(environment, expected)
        for agent in experiment.agents:
            price = prices.find(agent_name(agent))
            usd = None if price is None else price.usd_uncached(once.tokens) * experiment.epochs
            actors.append(
                PlannedActing(
                    agent=agent_name(agent),
                    environment=environment.task,
                    runs=once.runs * experiment.epochs,
                    calls=once.calls * experiment.epochs,
                    input_tokens=once.tokens.input * experiment.epochs,
                    output_tokens=once.tokens.output * experiment.epochs,
                    usd=usd,
                )
            )
    times = len(experiment.agents) * experiment.epochs
    plans = asyncio.run(_judged(experiment, runs, prices))
    return ExperimentPlan(tuple(actors), _together([_times(plan, times) for plan in plans]))


async def _judged(experiment: Experiment, runs: list[list[Run]], prices: PriceTable) -> list[Plan]:
    """One plan for all stages that judge the same runs equally often: what one asks is free for all."""
    together: dict[tuple[int, tuple[int, ...]], list[Entry]] = {}
    for judging in experiment.scoring:
        chosen = tuple(
            len(part[: judging.limit]) if judging.judges(environment) else 0
            for environment, part in zip(experiment.environments, runs, strict=True)
        )
        for model, roles in bindings_of(judging):
            job = job_of([], judging.monitors, model=model, roles=roles, answer=judging.answer)
            together.setdefault((judging.draws, chosen), []).extend(job.entries)
    return [
        await Planner(entries, draws, prices).plan(
            [run for part, number in zip(runs, chosen, strict=True) for run in part[:number]], lambda _: None
        )
        for (draws, chosen), entries in together.items()
    ]


def _times(plan: Plan, times: int) -> Plan:
    """The plan of as many agents and epochs, whose runs are all different."""
    return replace(
        plan,
        runs=plan.runs * times,
        trajectories=plan.trajectories * times,
        verdicts=plan.verdicts * times,
        rows=tuple(_multiplied(row, times) for row in plan.rows),
    )


def _multiplied(row: PlannedCalls, times: int) -> PlannedCalls:
    return replace(
        row,
        calls=row.calls * times,
        free=row.free * times,
        input_tokens=row.input_tokens * times,
        output_tokens=row.output_tokens * times,
        usd=None if row.usd is None else row.usd * times,
    )


def _together(plans: list[Plan]) -> Plan:
    return Plan(
        runs=max(plan.runs for plan in plans),
        trajectories=max(plan.trajectories for plan in plans),
        unread=(),
        verdicts=sum(plan.verdicts for plan in plans),
        already=0,
        rows=tuple(row for plan in plans for row in plan.rows),
    )
