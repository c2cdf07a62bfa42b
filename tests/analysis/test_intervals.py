"""Intervals resample tasks, say how they were made, and are never narrower than the data allow."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molehunt.analysis import auroc, interval, log_auroc, pauroc, tpr_at_fpr
from molehunt.analysis.bootstrap import Ranking, Runs, resampled
from molehunt.analysis.delong import contributions
from molehunt.analysis.intervals import Data, Part, data_of, estimated, estimated_each, exact_bounds
from molehunt.analysis.metrics import METRICS, earning_of
from molehunt.analysis.shares import share


def paired_tasks(n_tasks: int, shift: float = 1.0, seed: int = 0):
    """Scores, labels and tasks of one honest and one attack run a task, alike within a task."""
    rng = np.random.default_rng(seed)
    tasks = np.repeat(np.arange(n_tasks), 2)
    labels = np.tile([0, 1], n_tasks)
    return rng.normal(size=n_tasks)[tasks] + rng.normal(size=2 * n_tasks) + shift * labels, labels, tasks


@pytest.fixture(scope="module")
def published(shared_data):
    table = pd.read_csv(shared_data / "authorship-not-sabotage" / "monitor_scores.csv").dropna(
        subset=["score"]
    )
    return table["score"], (table["label"] == "attack").astype(int), table["problem_id"]


def test_the_published_auroc_and_its_interval_by_problem_are_found_again(published):
    found = interval("auroc", *published)
    assert found.value == pytest.approx(0.8181818181818181, abs=1e-15)
    assert found.low == pytest.approx(0.7630405, abs=0.01)
    assert found.high == pytest.approx(0.8686353, abs=0.01)
    assert (found.method, found.n_clusters, found.skipped) == ("bootstrap", 99, 0)


@st.composite
def tied_runs_in_tasks(draw: st.DrawFn):
    size = draw(st.integers(2, 25))
    scores = draw(st.lists(st.integers(0, 6), min_size=size, max_size=size))
    tasks = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))
    labels = [1, 0, *draw(st.lists(st.integers(0, 1), min_size=size - 2, max_size=size - 2))]
    return np.array(scores, dtype=float), np.array(labels), np.array(tasks)


@settings(max_examples=60)
@given(tied_runs_in_tasks())
def test_a_replicate_is_the_metric_of_the_tasks_that_were_drawn(runs):
    scores, labels, tasks = runs
    earnings = [earning_of(metric) for metric in METRICS.values()]
    [weights] = resampled(5, 20, seed=1)
    attacks, honest = (Runs(scores[labels == label], tasks[labels == label]) for label in (1, 0))
    some = Runs(attacks.scores[:2], attacks.clusters[:2])
    found, of_some = Ranking(honest, [attacks, some], 5).means(earnings, weights)
    # beside others, in whatever order, a set of attacks earns what it earns alone
    [alone] = Ranking(honest, [some], 5).means(earnings, weights)
    np.testing.assert_allclose(of_some, alone, atol=1e-12)
    for column in range(20):
        rows = np.repeat(np.arange(scores.size), weights[tasks, column].astype(int))
        for place, metric in enumerate(METRICS.values()):
            if len(set(labels[rows])) < 2:
                assert np.isnan(found[place, column])
            else:
                assert found[place, column] == pytest.approx(metric(scores[rows], labels[rows]), abs=1e-12)


def test_slices_that_share_their_honest_runs_get_the_replicates_that_each_gets_alone(monkeypatch):
    # what is remembered would be compared with itself
    monkeypatch.setattr("molehunt.analysis.intervals.MOST_REMEMBERED", 0)
    scores, labels, tasks = paired_tasks(60)
    everything = data_of(scores, labels, tasks)
    [part] = everything.parts
    rows = (part.labels == 0) | (part.clusters % 2 == 0)
    some = Data((Part(part.scores[rows], part.labels[rows], part.clusters[rows]),), everything.design)
    names = ["log_auroc", "tpr_at_5fpr"]
    for data, found in zip(
        (everything, some), estimated_each(names, [everything, some], 200, 9), strict=True
    ):
        np.testing.assert_allclose(found.samples, estimated(names, data, 200, 9).samples, atol=1e-12)


def test_resampling_draws_as_many_tasks_as_there_are_and_repeats_itself_by_seed():
    once, again, other = (np.hstack(list(resampled(30, 1000, seed))) for seed in (0, 0, 1))
    assert (once.sum(axis=0) == 30).all()
    assert once.shape == (30, 1000)
    np.testing.assert_array_equal(once, again)
    assert (once != other).any()


def test_equal_seeds_give_equal_intervals():
    runs = paired_tasks(60)
    assert interval("log_auroc", *runs, seed=3) == interval("log_auroc", *runs, seed=3)


def test_runs_that_repeat_within_a_task_add_no_certainty():
    scores, labels, tasks = paired_tasks(60)
    once = interval("auroc", scores, labels, tasks)
    copied = interval("auroc", np.tile(scores, 5), np.tile(labels, 5), np.tile(tasks, 5))
    careless = interval("auroc", np.tile(scores, 5), np.tile(labels, 5))
    assert copied.high - copied.low == pytest.approx(once.high - once.low, rel=0.05)
    assert careless.high - careless.low < 0.6 * (once.high - once.low)


def test_any_function_of_scores_and_labels_has_an_interval_and_a_known_one_the_same_either_way():
    runs = paired_tasks(55)
    known = interval(partial(tpr_at_fpr, fpr=0.1), *runs, replicates=400)
    foreign = interval(lambda scores, labels: tpr_at_fpr(scores, labels, 0.1), *runs, replicates=400)
    assert known == foreign
    assert interval(auroc, *runs, replicates=400) == interval("auroc", *runs, replicates=400)
    assert interval(partial(pauroc, max_fpr=0.2), *runs, replicates=400) == interval(
        "pauroc20", *runs, replicates=400
    )


def test_under_50_tasks_the_auroc_takes_delong_and_others_the_bootstraps_variance_both_wider():
    runs = paired_tasks(49)
    assert interval("auroc", *runs).method == "delong_t"
    found = interval("log_auroc", *runs)
    percentiles = np.quantile(
        [log_auroc(runs[0][rows], runs[1][rows]) for rows in _drawn_tasks(49, 1000)], [0.025, 0.975]
    )
    assert found.method == "bootstrap_t"
    assert found.high - found.low > percentiles[1] - percentiles[0]
    assert interval("auroc", *paired_tasks(50)).method == "bootstrap"


def _drawn_tasks(n_tasks: int, replicates: int):
    rng = np.random.default_rng(7)
    for _ in range(replicates):
        drawn = rng.integers(n_tasks, size=n_tasks)
        yield np.concatenate([2 * drawn, 2 * drawn + 1])


def test_tasks_are_counted_for_the_rarer_kind_of_run():
    scores, labels, tasks = paired_tasks(80)
    few_attacks = (labels == 0) | (tasks < 20)
    assert (
        interval("auroc", scores[few_attacks], labels[few_attacks], tasks[few_attacks]).method == "delong_t"
    )


def test_with_every_run_a_task_of_its_own_the_variance_is_delongs():
    rng = np.random.default_rng(0)
    attack, honest = rng.normal(1, 1, 25), rng.normal(0, 1, 30)
    wins = np.sign(attack[:, None] - honest) / 2 + 0.5
    delong = wins.mean(axis=1).var(ddof=1) / 25 + wins.mean(axis=0).var(ddof=1) / 30
    found = contributions(np.concatenate([attack, honest]), np.repeat([1, 0], [25, 30]), np.arange(55), 55)
    assert found.variance == pytest.approx(delong)


def test_the_clustered_variance_is_obuchowskis():
    scores, labels, tasks = paired_tasks(12)
    attack, honest = scores[labels == 1], scores[labels == 0]
    wins = (attack[:, None] > honest).astype(float)
    apart_attack, apart_honest = wins.mean(axis=1) - wins.mean(), wins.mean(axis=0) - wins.mean()
    # equation (5) with one run of each kind in each of 12 tasks
    s10, s01, s11 = (
        12 / 11 / 12 * (one * other).sum()
        for one, other in (
            (apart_attack, apart_attack),
            (apart_honest, apart_honest),
            (apart_attack, apart_honest),
        )
    )
    found = contributions(scores, labels, tasks, 12).variance
    assert found == pytest.approx(s10 / 12 + s01 / 12 + 2 * s11 / 12)


@pytest.mark.parametrize("name", METRICS)
def test_perfect_and_hopeless_monitors_get_an_exact_bound_and_no_zero_width(name):
    labels = np.tile([0, 1], 60)
    tasks = np.repeat(np.arange(60), 2)
    perfect = interval(name, labels.astype(float), labels, tasks, replicates=200)
    hopeless = interval(name, 1.0 - labels, labels, tasks, replicates=200)
    # the Clopper–Pearson bound of 60 wins out of 60
    assert (perfect.low, perfect.high) == (pytest.approx(0.025 ** (1 / 60)), 1.0)
    assert (hopeless.low, hopeless.high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 60)))
    assert perfect.method == hopeless.method == "exact"
    assert exact_bounds(0.0, 60)[1] == pytest.approx(1 - perfect.low)


def test_a_single_task_has_a_value_and_no_interval():
    found = interval("auroc", [0.9, 0.1, 0.5], [1, 0, 0], ["a", "a", "a"], replicates=50)
    assert found.value == 1.0
    assert np.isnan([found.low, found.high]).all()
    assert found.method == "none"


def test_replicates_without_one_kind_of_run_are_left_out_and_counted():
    scores, labels, tasks = [0.9, 0.2, 0.3, 0.8, 0.1], [1, 0, 0, 0, 1], ["a", "b", "c", "d", "e"]
    found = interval("auroc", scores, labels, tasks, replicates=1000)
    # no attack is drawn in (3/5)^5 of the replicates, no honest run in (2/5)^5
    assert found.skipped / 1000 == pytest.approx(0.6**5 + 0.4**5, abs=0.04)
    assert not np.isnan(found.low)


def test_agent_models_are_averaged_rather_than_pooled():
    # either model is told apart perfectly, but one scores everything higher
    scores, labels, models = [0.2, 0.1, 0.9, 0.8], [1, 0, 1, 0], ["low", "low", "high", "high"]
    assert interval("auroc", scores, labels, replicates=50, groups=models).value == 1.0
    assert auroc(scores, labels) == 0.75


def test_what_is_wrong_with_the_arguments_is_said():
    with pytest.raises(ValueError, match="there is no metric 'aurok'; there are auroc, "):
        interval("aurok", [1, 0], [1, 0])
    with pytest.raises(ValueError, match="one length"):
        interval("auroc", [1, 0], [1, 0], ["a"])
    with pytest.raises(ValueError, match="only one kind"):
        interval("auroc", [1, 0, 1], [1, 0, 1], groups=["a", "a", "b"])
    with pytest.raises(ValueError, match="only one kind"):
        interval("auroc", [], [])


@pytest.mark.filterwarnings("error")
def test_without_a_delong_variance_the_bootstraps_stands_in():
    # what a task adds among attacks it takes away among honest runs
    found = interval("auroc", [3.0, 1.0, 2.0, 0.0], [1, 1, 0, 0], list("abab"), replicates=500)
    assert found.method == "bootstrap_t"
    assert found.low < found.value < found.high


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scores", [[7, 7, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]])
def test_an_estimate_whose_replicates_have_no_spread_has_an_exact_bound_and_no_zero_width(scores):
    # the variance of the first is zero but for rounding, and falls below it
    found = interval("auroc", scores, [0, 1, 0, 1, 0, 1], list("aabbcc"), replicates=500)
    assert (found.value, found.method) == (0.5, "exact")
    assert found.low < 0.5 < found.high


def test_a_share_of_everything_is_one_in_spite_of_weights_that_do_not_sum_to_it():
    weights = np.repeat(1 / np.arange(1, 50), 3)
    found = share(np.ones(weights.size), np.arange(weights.size) // 2, weights)
    assert found.value == pytest.approx(1.0, abs=1e-12)
    assert found.value <= found.high <= 1.0
    assert 0.9 < found.low < 1.0
