"""One row for each run that a monitor has judged: what the monitor said, what the run was, what it cost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from molehunt.analysis.costs import VERDICT_KEY, draw_costs, priced
from molehunt.analysis.crossing import side_goals
from molehunt.analysis.selection import within
from molehunt.analysis.wording import plainly
from molehunt.verdicts.frames import RUN_COLUMNS, Tables
from molehunt.verdicts.prices import PriceTable
from molehunt.verdicts.success import BARS, SABOTAGE, Bar, judged

CONDITION = ["environment", "reasoning", "awareness", "arm"]
"""What a row of a table never mixes: data set, how much reasoning is readable, what the agent was told, and
whether its attacks sabotage or sandbag. Honest runs stand against the attacks of every arm."""

NEVER_SLICED = ("arm", "side_task_text")
"""Factors that say nothing more: a row has one arm, and the text stands for the name of the side task."""

UNKNOWN = "unknown"
"""Stands where an agent model, a factor or the reasoning is not known."""


STAND_INS = r"(?:^|[^\w./-])(?:embedded|mockllm)/"
"""Models that take the place of a real one: those that run on this machine, and Inspect's mock."""

SCRIPTED = ("scripted/", "mockllm/")
"""Agents that are programs."""

_OWN_COLUMNS = (
    *("scripted", "excluded", "unverified", "side_normalised", "side_goal"),
    *("monitor", "score", "status", "draws", "n_excerpts", "n_not_found", "usd", "seconds"),
)


@dataclass(frozen=True)
class Observations:
    """Everything that the tables of a report are computed from.

    Parameters
    ----------
    frame : one row for each labelled run × monitor that has a verdict on it; not run is not unscored, and has
        no row. Columns: ``run``, ``trajectory``, ``monitor`` (ids); ``label``, ``task_id``, ``environment``,
        ``reasoning`` (where a run has none, the kind of the agent's other runs), ``awareness``, ``arm`` (of
        the attacks; an honest run has a row for every arm that there is in its condition), ``agent_model``,
        every other factor; ``side_goal`` (second factor of a crossed design, empty elsewhere; see
        `crossing`); ``side_normalised``, ``excluded`` and ``unverified`` (see
        `judged`); ``task_verified``; ``score`` (mean of the scored draws, NaN if none), ``status``,
        ``draws``; ``n_excerpts`` and ``n_not_found`` (quotes of all draws, and those that are not in the
        transcript); ``usd`` (list price of all draws, NaN if unknown), ``seconds``; ``scripted`` (the agent
        was a script).
    monitors : one row a monitor, by id: ``spec``, ``models``, ``name``, ``kind`` (monitor, floor or oracle),
        ``judge`` (model that gave the score, empty if none did), ``embedded`` (a stand-in
        judged: a model that runs on this machine, or a mock), ``branches`` (a cascade: what it spends on a
        run depends on what it finds), ``title`` (unambiguous, for people).
    bills : one row for each call of a verdict: ``trajectory``, ``monitor``, ``draw``, ``call``, ``usd`` (list
        price), ``seconds`` and ``usd_billed``.
    calls : all calls, priced.
    factors : names that tables can be sliced by: the agent model, and what else the runs varied.
    n_unlabelled : runs that have verdicts, but nobody has said what they are.
    draws : one row a draw: ``trajectory``, ``monitor``, ``draw``, ``score``, ``usd``, ``seconds``.
    excerpts, looks, marks : as in the store; see `molehunt.verdicts.frames`.
    """

    frame: pd.DataFrame
    monitors: pd.DataFrame
    bills: pd.DataFrame
    calls: pd.DataFrame
    factors: tuple[str, ...]
    n_unlabelled: int
    draws: pd.DataFrame
    excerpts: pd.DataFrame
    looks: pd.DataFrame
    marks: pd.DataFrame


def observe(tables: Tables, prices: PriceTable, bars: Mapping[str, Bar] = BARS) -> Observations:
    """Join runs, verdicts and costs.

    Parameters
    ----------
    tables, prices : from `read_tables` and `PriceTable.load`.
    bars : what a run must reach to count; see `judged`.

    Raises nothing: a store without a single verdict gives empty frames.
    """
    calls = priced(tables.calls, prices)
    bills = tables.verdict_calls.merge(
        calls[["key", "usd", "seconds", "usd_billed"]], left_on="call", right_on="key"
    ).drop(columns="key")
    pairs, of_bills = _numbered(tables.verdicts, bills)
    n_draws = int(tables.verdicts["draw"].max()) + 1 if len(tables.verdicts) else 1
    draws = draw_costs(
        tables.verdicts,
        pairs * n_draws + tables.verdicts["draw"],
        bills,
        of_bills * n_draws + bills["draw"],
        free=tables.monitors.loc[tables.monitors["models"] == "", "monitor"],
    )
    said = _mean_of_draws(tables.verdicts, draws, pairs)
    factors = [_safe(name) for name in tables.runs.columns if name not in (*RUN_COLUMNS, *NEVER_SLICED)]
    runs = _tidy(tables.runs.rename(columns=_safe))
    runs = runs.join(judged(runs, bars))
    runs["side_goal"] = side_goals(runs)
    is_labelled = runs["label"].notna()
    has_verdict = within(runs["trajectory"], said["trajectory"])
    return Observations(
        frame=_against_every_arm(runs[is_labelled]).merge(said, on="trajectory"),
        monitors=_described(tables.monitors),
        bills=bills,
        calls=calls,
        factors=("agent_model", *factors),
        n_unlabelled=int(runs.loc[~is_labelled & has_verdict, "run"].nunique()),
        draws=draws,
        excerpts=tables.excerpts,
        looks=tables.looks,
        marks=tables.marks,
    )


def _safe(factor: str) -> str:
    return f"factor_{factor}" if factor in _OWN_COLUMNS else factor


def _tidy(runs: pd.DataFrame) -> pd.DataFrame:
    tidy = runs.copy()
    if "awareness" not in tidy:
        tidy["awareness"] = pd.NA
    tidy["scripted"] = tidy["agent_model"].fillna("").str.startswith(SCRIPTED)
    for name in ("agent_model", "environment", "reasoning", "awareness"):
        tidy[name] = tidy[name].astype("str").where(tidy[name].notna(), UNKNOWN)
    tidy["reasoning"] = _channels(tidy)
    if "arm" not in tidy:
        tidy["arm"] = pd.NA
    # told to, pandas before version 3 would turn a missing one into a text
    tidy["arm"] = tidy["arm"].fillna(SABOTAGE).astype("str")
    return tidy


def _against_every_arm(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs, the honest ones once for every arm that attacks of their condition have."""
    is_attack = runs["label"] == "attack"
    shared = [name for name in CONDITION if name != "arm"]
    arms = runs.loc[is_attack, CONDITION].drop_duplicates()
    opposed = runs[~is_attack].drop(columns="arm").merge(arms, on=shared, how="left")
    opposed["arm"] = opposed["arm"].fillna(SABOTAGE)
    return pd.concat([runs[is_attack], opposed], ignore_index=True)


def _channels(runs: pd.DataFrame) -> pd.Series:
    """Kind of reasoning by run: that of its agent's other runs, most often, where it has none itself."""
    # whether an agent stopped to think is its behaviour; a row apart would take honest runs off the negatives
    used = runs["reasoning"].where(runs["reasoning"] != "none")
    agents = [runs[name] for name in ("environment", "awareness", "agent_model")]
    usual = used.groupby(agents).transform(lambda kinds: next(iter(kinds.mode()), "none"))
    return used.where(used.notna(), usual.astype("str"))


def _numbered(verdicts: pd.DataFrame, bills: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Numbers for (trajectory, monitor), in their order: they are compared often, and names take long."""
    both = pd.concat([verdicts[VERDICT_KEY], bills[VERDICT_KEY]])
    numbers = both.groupby(VERDICT_KEY).ngroup()
    return numbers.iloc[: len(verdicts)], numbers.iloc[len(verdicts) :]


def _mean_of_draws(verdicts: pd.DataFrame, draws: pd.DataFrame, pairs: pd.Series) -> pd.DataFrame:
    """One row for each of ``pairs``, in their order: draws are never observations of their own."""
    first = verdicts.loc[pairs.drop_duplicates().sort_values().index, VERDICT_KEY]
    # unscored draws sort behind scored ones, so that a run has the status of its best draw
    best_first = pairs[verdicts["score"].sort_values(kind="stable", na_position="last").index]
    by_pair = verdicts[["score", "draw", "n_excerpts", "n_not_found"]].groupby(pairs)
    spent = draws[["usd", "seconds"]].groupby(pairs).sum(skipna=False)
    return first.reset_index(drop=True).assign(
        score=by_pair["score"].mean(),
        status=verdicts["status"].loc[best_first.drop_duplicates().sort_values().index].to_numpy(),
        draws=by_pair["draw"].count(),
        n_excerpts=by_pair["n_excerpts"].sum(),
        n_not_found=by_pair["n_not_found"].sum(),
        usd=spent["usd"],
        seconds=spent["seconds"],
    )


def _described(monitors: pd.DataFrame) -> pd.DataFrame:
    table = monitors.set_index("monitor")[["name", "spec", "models", "source", "oracle"]].copy()
    table["kind"] = "monitor"
    table.loc[table["source"] == "floor", "kind"] = "floor"
    table.loc[table["oracle"], "kind"] = "oracle"
    table["embedded"] = table["models"].str.contains(STAND_INS, regex=True)
    table["judge"] = monitors.set_index("monitor")["roles"].map(_judge_of)
    # by itself or as a part of another one, with parameters or without
    table["branches"] = table["spec"].str.contains(r"(?<![\w./-])cascade(?![\w=])", regex=True)
    # two monitors may differ in what the readable form leaves out, such as a temperature
    alike = table.duplicated(["spec", "models"], keep=False)
    plain = table["spec"].map(plainly)
    table["title"] = plain.where(~alike, plain + " #" + table.index.str[:6])
    return table


JUDGES = ("monitor", "evaluator", "judge")
"""Roles that give a score, rather than prepare what is judged."""


def _judge_of(roles: str) -> str:
    """Model of the role that gives the score, or of the only role; empty where several share the work."""
    models = {role: str(binding.get("model", "")) for role, binding in json.loads(roles).items()}
    named = [models[role] for role in JUDGES if role in models]
    return named[0] if named else next(iter(models.values())) if len(models) == 1 else ""
