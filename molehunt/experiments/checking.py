"""What can be known to be wrong with an experiment before anything is spent on it."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from molehunt.analysis.comparisons import named
from molehunt.analysis.observations import NEVER_SLICED
from molehunt.experiments.acting import agent_name
from molehunt.experiments.experiment import Experiment
from molehunt.experiments.judging import bindings_of
from molehunt.scoring.job import job_of
from molehunt.scoring.models import check_provider
from molehunt.trajectories import Problem, Run
from molehunt.verdicts import MonitorRecord


def check(experiment: Experiment, runs: Iterable[Run]) -> None:
    """Refuse an experiment whose models nobody provides, or whose report could not be made.

    Parameters
    ----------
    experiment : to be run.
    runs : what its agents would do; see `expected_runs`.

    Raises
    ------
    Problem
        If a monitor, a role or a provider is unknown, the report is to be sliced by something that no run
        varies, or ``against`` names no monitor or several.
    """
    for agent in experiment.agents:
        check_provider(agent_name(agent))
    records: list[MonitorRecord] = []
    for judging in experiment.scoring:
        for model, roles in bindings_of(judging):
            job = job_of([], judging.monitors, model=model, roles=roles, answer=judging.answer)
            job.check_providers()
            records += (entry.record for entry in job.entries)
    _sliced(experiment.report.by, runs)
    if experiment.report.against:
        named(_described(records), experiment.report.against, "report.against")


def _sliced(by: Iterable[str], runs: Iterable[Run]) -> None:
    varied = {name: None for run in runs if run.truth for name in run.truth.factors}
    factors = ["agent_model", *(name for name in varied if name not in NEVER_SLICED)]
    for name in by:
        if name not in factors:
            raise Problem(f"report.by: there is no factor {name!r}. There are {', '.join(factors)}.")


def _described(records: Iterable[MonitorRecord]) -> pd.DataFrame:
    """The monitors as a report would name them."""
    rows = {record.id: (record.spec, record.models, record.spec, record.name) for record in records}
    columns = ["title", "models", "spec", "name"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)
