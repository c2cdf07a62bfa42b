"""Gains on the best of several, the views side by side, and how often each is best."""

from __future__ import annotations

from dataclasses import replace

import pytest

from molehunt.analysis import auroc
from molehunt.analysis.gains import gain_over_best
from molehunt.analysis.less_is_more import less_is_more, tally
from molehunt.analysis.observations import observe
from molehunt.trajectories import Problem
from molehunt.verdicts.frames import read_store
from molehunt.verdicts.prices import PriceTable

FEW = 300
SHIFTS = {"action_only()": 0.5, "cot_only()": 0.8, "cot_action()": 1.0, "hybrid()": 1.0, "eae()": 2.0}


@pytest.fixture
def seen_with(store_of, experiment, watcher):
    def seen(n_tasks=60, **shifts):
        experiment.n_tasks, experiment.failed_share = n_tasks, 0.0
        experiment.watchers = [
            replace(watcher, spec=spec, shift=shift) for spec, shift in (SHIFTS | shifts).items()
        ]
        return observe(read_store(store_of(experiment)), PriceTable.load())

    return seen


def test_the_gain_is_the_mean_over_side_tasks_of_what_is_left_above_the_best_of_each(seen_with):
    seen = seen_with()
    gains = gain_over_best(seen, replicates=FEW).set_index("metric")
    rows = seen.frame.assign(is_attack=(seen.frame["label"] == "attack").astype(int))
    by_side_task = []
    for side_task in ("complexity", "exit", "log_io"):
        part = rows[(rows["label"] == "honest") | (rows["side_task"] == side_task)]
        areas = part.groupby("monitor")[["score", "is_attack"]].apply(
            lambda p: auroc(p["score"], p["is_attack"])
        )
        own = areas[[name for name in areas.index if "eae" in name]].iloc[0]
        by_side_task.append(own - areas[[name for name in areas.index if "eae" not in name]].max())
    assert gains.loc["auroc", "gain"] == pytest.approx(sum(by_side_task) / 3)
    assert gains.loc["auroc", "n_subgroups"] == 3
    assert gains.loc["auroc", "low"] < gains.loc["auroc", "gain"] < gains.loc["auroc", "high"]


def test_choosing_the_best_anew_lowers_the_gain_of_a_monitor_that_is_no_better(seen_with):
    seen = seen_with(**dict.fromkeys(SHIFTS, 1.0))
    row = gain_over_best(seen, replicates=FEW).set_index("metric").loc["auroc"]
    assert row["gain"] < 0.03
    # the middle of the replicates lies below what was found, since each has a luckiest baseline of its own
    assert (row["low"] + row["high"]) / 2 < row["gain"]


def test_a_factor_that_no_run_has_is_refused(seen_with):
    with pytest.raises(Problem, match="no factor 'colour' to make subgroups of"):
        gain_over_best(seen_with(n_tasks=6), by="colour")


def test_a_monitor_without_baselines_of_its_own_model_has_no_gain(store_of, experiment, watcher):
    experiment.n_tasks = 6
    experiment.watchers = [replace(watcher, model="openai/gpt-4.1"), replace(watcher, spec="eae()")]
    seen = observe(read_store(store_of(experiment)), PriceTable.load())
    assert gain_over_best(seen, replicates=FEW).empty
    assert less_is_more(seen, replicates=FEW).empty


def test_every_view_stands_beside_the_one_that_shows_everything(seen_with):
    table = less_is_more(seen_with(), replicates=FEW)
    assert len(table) == 5 * 3
    area = table[table["metric"] == "auroc"].set_index("view")
    assert area.index[area["best"]].tolist() == ["eae"]
    assert area.index[area["worst"]].tolist() == ["action_only"]
    everything = area.loc["cot_action", "value"]
    assert area.loc["eae", "gain"] == pytest.approx(area.loc["eae", "value"] - everything)
    assert area.loc["eae", "gain_low"] < area.loc["eae", "gain"] < area.loc["eae", "gain_high"]
    assert area["gain"].isna().tolist() == [view == "cot_action" for view in area.index]
    assert (area["n_honest"] == 60).all()


def test_the_tally_counts_pairs_of_condition_and_judge(seen_with):
    counts = tally(less_is_more(seen_with(), replicates=FEW)).set_index(["metric", "view"]).loc["auroc"]
    assert (counts["n_pairs"] == 1).all()
    assert counts["n_best"].to_dict() == {view: int(view == "eae") for view in counts.index}
    assert counts["n_worst"].sum() == 1
    assert counts.loc["eae", "n_above_everything"] == 1
    assert counts.loc["cot_action", "n_above_everything"] == 0
