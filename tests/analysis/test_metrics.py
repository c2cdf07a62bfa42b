"""Metrics agree with their definitions, with scikit-learn, and with what guessing and perfection must get."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from sklearn.metrics import roc_auc_score, roc_curve

import molehunt.analysis as analysis
from molehunt.analysis.metrics import METRICS

LEVELS = st.integers(0, 9)
"""Few enough to tie all the time, as written scores do."""


@st.composite
def scored_runs(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    attack = draw(st.lists(LEVELS, min_size=1, max_size=30))
    honest = draw(st.lists(LEVELS, min_size=1, max_size=30))
    return attack + honest, [1] * len(attack) + [0] * len(honest)


@given(scored_runs())
def test_auroc_is_scikit_learns_with_ties(runs):
    scores, labels = runs
    assert analysis.auroc(scores, labels) == pytest.approx(roc_auc_score(labels, scores), abs=1e-12)


@given(scored_runs(), st.sampled_from([0.01, 0.05, 0.2, 0.5, 0.999]))
def test_mcclish_pauroc_is_scikit_learns_max_fpr(runs, max_fpr):
    scores, labels = runs
    expected = roc_auc_score(labels, scores, max_fpr=max_fpr)
    assert analysis.mcclish_pauroc(scores, labels, max_fpr) == pytest.approx(expected, abs=1e-12)


@given(scored_runs())
def test_the_roc_curve_is_scikit_learns_with_every_threshold(runs):
    scores, labels = runs
    fpr, tpr, thresholds = analysis.roc(scores, labels)
    for mine, theirs in zip(
        (fpr, tpr, thresholds), roc_curve(labels, scores, drop_intermediate=False), strict=True
    ):
        np.testing.assert_allclose(mine, theirs)


@given(scored_runs(), st.sampled_from([0.001, 0.01, 0.1]))
def test_log_auroc_is_the_integral_over_the_interpolated_curve(runs, epsilon):
    scores, labels = runs
    fpr, tpr, _ = analysis.roc(scores, labels)
    corners = sorted({epsilon, *fpr[(fpr > epsilon)], 1.0})
    integral = sum(
        quad(lambda rate: np.interp(rate, fpr, tpr) / rate, low, high)[0] for low, high in pairwise(corners)
    )
    assert analysis.log_auroc(scores, labels, epsilon) == pytest.approx(
        integral / np.log(1 / epsilon), abs=1e-7
    )


@given(scored_runs(), st.sampled_from([0.0, 0.01, 0.05, 0.1, 0.5, 1.0]))
def test_tpr_at_fpr_is_that_of_the_best_threshold_that_keeps_to_the_rate(runs, rate):
    scores, labels = runs
    fpr, tpr, thresholds = analysis.roc(scores, labels)
    best = tpr[fpr <= rate].max()
    point = analysis.operating_point(scores, labels, rate)
    flagged = np.asarray(scores) >= point.threshold
    assert analysis.tpr_at_fpr(scores, labels, rate) == pytest.approx(best)
    assert point.tpr == pytest.approx(best)
    assert point.fpr == pytest.approx(flagged[np.asarray(labels) == 0].mean())
    assert point.fpr <= rate
    assert point.threshold in thresholds


@given(scored_runs(), st.sampled_from([0.01, 0.05, 0.1, 0.5]))
def test_the_interpolated_twin_is_the_curve_at_the_rate_and_never_lower(runs, rate):
    scores, labels = runs
    fpr, tpr, _ = analysis.roc(scores, labels)
    found = analysis.tpr_at_fpr_interpolated(scores, labels, rate)
    assert found == pytest.approx(np.interp(rate, fpr, tpr))
    assert found >= analysis.tpr_at_fpr(scores, labels, rate)


@pytest.mark.parametrize(
    ("name", "by_chance"),
    [("auroc", 0.5), ("log_auroc", 0.21498), ("pauroc20", 0.1), ("tpr_at_5fpr_interpolated", 0.05)],
)
def test_a_monitor_that_says_the_same_of_everything_gets_what_chance_gets(name, by_chance):
    assert METRICS[name]([0.5] * 10, [1, 0] * 5) == pytest.approx(by_chance, abs=1e-5)


@pytest.mark.parametrize("name", METRICS)
def test_a_perfect_monitor_gets_exactly_one(name):
    assert METRICS[name]([0.9, 0.7, 0.7, 0.2, 0.1, 0.1], [1, 1, 1, 0, 0, 0]) == 1.0


@pytest.mark.parametrize("name", METRICS)
def test_a_monitor_that_is_always_wrong_gets_exactly_nothing(name):
    assert METRICS[name]([0.1, 0.2, 0.8, 0.9], [1, 1, 0, 0]) == 0.0


def test_a_monitor_that_guesses_many_times_approaches_chance():
    rng = np.random.default_rng(0)
    scores, labels = rng.random(200_000), rng.integers(0, 2, 200_000)
    assert analysis.log_auroc(scores, labels) == pytest.approx(0.21498, abs=0.005)


def test_one_percent_of_99_honest_runs_means_no_false_alarm():
    honest = np.arange(99) / 100
    scores, labels = [*honest, 0.975, 0.985], [0] * 99 + [1, 1]
    point = analysis.operating_point(scores, labels, 0.01)
    assert (point.threshold, point.tpr, point.fpr) == (0.985, 0.5, 0.0)
    assert analysis.operating_point([*scores, -1.0], [*labels, 0], 0.01).fpr == pytest.approx(0.01)


def test_ties_at_the_top_set_the_lowest_rate_that_can_be_reached():
    scores, labels = [1.0, 1.0, 1.0, 0.5, 0.0], [1, 0, 0, 0, 0]
    assert analysis.lowest_fpr(scores, labels) == 0.5
    assert analysis.distinct_scores(scores) == 3
    assert analysis.tpr_at_fpr(scores, labels, 0.1) == 0.0


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
@pytest.mark.parametrize(
    ("scores", "labels", "complaint"),
    [
        ([0.1, float("nan")], [1, 0], "NaN"),
        ([0.1, 0.2], [1, 1], "only one kind"),
        ([0.1, 0.2], [0, 0], "only one kind"),
        ([], [], "only one kind"),
        ([0.1, 0.2], [1, 2], "1 for attack or 0 for honest"),
        ([0.1, 0.2], [1, 0, 1], "one length"),
    ],
)
def test_scores_that_define_no_metric_are_refused(metric, scores, labels, complaint):
    with pytest.raises(ValueError, match=complaint):
        metric(scores, labels)


@pytest.mark.parametrize(
    "call",
    [
        lambda: analysis.log_auroc([1, 0], [1, 0], epsilon=0.0),
        lambda: analysis.pauroc([1, 0], [1, 0], 1.5),
        lambda: analysis.tpr_at_fpr([1, 0], [1, 0], -0.1),
        lambda: analysis.operating_point([1, 0], [1, 0], 2),
    ],
)
def test_a_rate_that_is_none_is_refused(call):
    with pytest.raises(ValueError, match="lies in"):
        call()


def test_infinite_scores_are_scores_so_that_bounds_can_be_computed():
    assert analysis.auroc([np.inf, 0.5, 0.5, -np.inf], [1, 1, 0, 0]) == 0.875


def test_every_public_name_can_be_had_and_an_unknown_one_is_an_attribute_error():
    for name in analysis.__all__:
        assert getattr(analysis, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'aurok'"):
        analysis.aurok  # noqa: B018 - asking is the test
