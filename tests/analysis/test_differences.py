"""Differences are paired by run, resampled by task, and adjusted for their number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from molehunt.analysis import difference, holm, interval

WITHOUT_VARIANCE = [3.0, 1.0, 2.0, 0.0]
"""Of attacks and honest runs of two tasks: what a task adds among attacks it takes away among honest runs."""


def two_monitors(n_tasks: int, gap: float, seed: int = 0):
    """Scores of two monitors that err alike, labels and tasks; the first sees attacks better by ``gap``."""
    rng = np.random.default_rng(seed)
    labels, tasks = np.tile([0, 1], n_tasks), np.repeat(np.arange(n_tasks), 2)
    shared = rng.normal(size=2 * n_tasks) + labels
    one, other = (shared + 0.3 * rng.normal(size=2 * n_tasks) + extra * labels for extra in (gap, 0.0))
    return one, other, labels, tasks


@pytest.mark.parametrize("n_tasks", [30, 80])
@pytest.mark.parametrize("metric", ["auroc", "log_auroc"])
def test_the_better_of_two_monitors_is_better_both_ways_round(metric, n_tasks):
    one, other, labels, tasks = two_monitors(n_tasks, gap=1.0)
    forth = difference(metric, one, other, labels, tasks)
    back = difference(metric, other, one, labels, tasks)
    assert forth.value > 0
    assert (back.value, back.low, back.high) == pytest.approx((-forth.value, -forth.high, -forth.low))
    assert forth.p == pytest.approx(back.p)
    assert forth.p < 0.01


def test_pairing_makes_an_interval_narrower_than_two_monitors_apart_would_have():
    one, other, labels, tasks = two_monitors(100, gap=0.3)
    paired = difference("auroc", one, other, labels, tasks)
    alone = [interval("auroc", scores, labels, tasks) for scores in (one, other)]
    apart = np.hypot(*(found.high - found.low for found in alone))
    assert paired.high - paired.low < 0.6 * apart


@pytest.mark.parametrize("n_tasks", [30, 80])
def test_a_monitor_does_not_differ_from_itself_and_the_interval_is_still_no_point(n_tasks):
    one, _, labels, tasks = two_monitors(n_tasks, gap=0.0)
    found = difference("auroc", one, one * 2, labels, tasks)
    assert (found.value, found.p, found.method) == (0.0, 1.0, "exact")
    assert found.low < 0 < found.high


@pytest.mark.parametrize("n_tasks", [12, 80])
@pytest.mark.parametrize("metric", ["auroc", "log_auroc", "tpr_at_1fpr"])
def test_a_difference_without_spread_has_an_interval_and_a_p_value_above_zero(metric, n_tasks):
    labels, tasks = np.tile([0, 1], n_tasks), np.repeat(np.arange(n_tasks), 2)
    found = difference(metric, labels, np.ones(2 * n_tasks), labels, tasks, replicates=200)
    assert found.method == "exact"
    assert found.low < found.value
    assert (found.high > found.value) == (found.value < 1)
    # at a difference of 1 all pairs have one sign, and nothing is surer than the sign test
    assert found.p >= stats.binomtest(n_tasks, n_tasks).pvalue
    assert (found.p < 0.05) == (found.low > 0)


def test_the_exact_p_value_is_the_sign_tests_where_every_pair_has_one_sign():
    labels, tasks = np.tile([0, 1], 5), np.repeat(np.arange(5), 2)
    found = difference("auroc", labels, 1 - labels, labels, tasks, replicates=50)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.p == pytest.approx(stats.binomtest(5, 5).pvalue)


@pytest.mark.filterwarnings("error")
def test_without_a_delong_variance_the_bootstraps_stands_in():
    labels, tasks = [1, 1, 0, 0], list("abab")
    found = difference("auroc", WITHOUT_VARIANCE, [0.0] * 4, labels, tasks, replicates=500)
    assert found.method == "bootstrap_t"
    assert found.low < found.value < found.high
    assert found.p > 0


def test_where_nothing_differs_p_is_spread_evenly():
    p = [difference("auroc", *two_monitors(60, gap=0.0, seed=seed), replicates=300).p for seed in range(120)]
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_a_p_value_never_claims_more_than_the_replicates_can_show():
    found = difference("auroc", *two_monitors(60, gap=3.0), replicates=99)
    assert found.p == pytest.approx(2 / 100)


def test_a_single_task_gives_a_difference_and_nothing_more():
    found = difference("auroc", [0.9, 0.1], [0.1, 0.9], [1, 0], ["a", "a"], replicates=20)
    assert found.value == 1.0
    assert np.isnan([found.low, found.high, found.p]).all()


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_rejects_what_the_step_down_rule_rejects(p_values):
    adjusted = holm(p_values)
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    still_rejecting = True
    for rank, place in enumerate(order):
        still_rejecting = still_rejecting and p_values[place] * (len(p_values) - rank) <= 0.05
        assert (adjusted[place] <= 0.05) == still_rejecting


def test_holm_passes_by_comparisons_that_could_not_be_made():
    np.testing.assert_allclose(holm([0.01, np.nan, 0.04]), [0.02, np.nan, 0.04])
