"""What published studies found, with source and grade, to hold results of the real data against."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

FIGURES = Path(__file__).with_name("published.json")

COLUMNS = ["environment", "metric", "value", "monitor", "models", "slice", "usd_per_trajectory", "n"]


def published(environment: str | None = None) -> pd.DataFrame:
    """Published figures as a table.

    They stand beside ours only where data, agents and monitors are the real ones: never beside runs of the
    scripted saboteur or verdicts of a stand-in model.

    Parameters
    ----------
    environment : data set, such as ``mle_sabotage/mlebench``; all by default.

    Returns
    -------
    DataFrame with one row a figure:
        environment, metric, value : of what; the environment is empty where it is of several. The value of
        ``cost_line`` is a mapping, see `cost_line`.
        monitor, models, slice, usd_per_trajectory, n : what else is said, missing where it is not.
        about : in words.
        source : the study; grade : A if in its abstract, B if read in its full text by others.

    Examples
    --------
    >>> found = published("mle_sabotage/mlebench").set_index("metric")
    >>> found.loc["auroc", "value"], found.loc["auroc", "grade"], found.loc["cost_line", "value"]["slope"]
    (0.924, 'B', 2.348)
    """
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))["figures"]
    table = pd.DataFrame(figures, columns=[*COLUMNS, "about", "source", "grade"])
    return table if environment is None else table[table["environment"] == environment].reset_index(drop=True)
