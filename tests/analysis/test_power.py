"""How many tasks an experiment needs: the closed form against experiments, the plan against the outcome."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from molehunt.analysis.intervals import contributions_of, data_of, estimated, intervals
from molehunt.analysis.power import assumed, of_pilot, power_with, tasks_for_difference, tasks_for_width


def experiment(areas, n_tasks, within_task, between_monitors, seed=0):
    """Data of two monitors in the binormal model: an honest and an attack run a task."""
    rho, r = within_task, between_monitors
    shape = [[1, rho, r, rho * r], [rho, 1, rho * r, r], [r, rho * r, 1, rho], [rho * r, r, rho, 1]]
    drawn = np.random.default_rng(seed).multivariate_normal(np.zeros(4), shape, size=n_tasks)
    labels, tasks = np.repeat([1, 0], n_tasks), np.tile(np.arange(n_tasks), 2)
    return [
        data_of(
            np.concatenate(
                [drawn[:, 2 * place] + np.sqrt(2) * stats.norm.ppf(area), drawn[:, 2 * place + 1]]
            ),
            labels,
            tasks,
        )
        for place, area in enumerate(areas)
    ]


@pytest.mark.parametrize(("within_task", "between_monitors"), [(0.0, 0.0), (0.5, 0.6), (-0.3, 0.8)])
def test_the_closed_form_is_the_variance_that_large_experiments_have(within_task, between_monitors):
    one, other = experiment([0.85, 0.75], 20_000, within_task, between_monitors)
    alone = assumed(0.85, within_task=within_task)
    paired = assumed(0.85, 0.75, within_task, between_monitors)
    assert contributions_of(one).variance * 20_000 == pytest.approx(alone.per_task, rel=0.05)
    apart = contributions_of(one) + contributions_of(other) * -1.0
    assert apart.variance * 20_000 == pytest.approx(paired.per_task, rel=0.05)
    assert paired.value == pytest.approx(0.1)


def test_an_experiment_of_the_planned_size_has_the_planned_width():
    n_tasks = tasks_for_width(assumed(0.8, within_task=0.3), 0.1)
    widths = []
    for seed in range(8):
        [found] = intervals(estimated(["auroc"], experiment([0.8], n_tasks, 0.3, 0.0, seed)[0], 1000, seed))
        widths.append(found.high - found.low)
    assert np.mean(widths) == pytest.approx(0.1, rel=0.15)


def test_power_is_that_of_the_t_test_in_statsmodels():
    weights = pytest.importorskip("statsmodels.stats.power")
    variance = assumed(0.85, 0.8)
    effect = 0.05 / np.sqrt(variance.per_task)
    for n_tasks in (20, 100, 300):
        expected = weights.TTestPower().power(effect, n_tasks, 0.05)
        assert power_with(variance, 0.05, n_tasks) == pytest.approx(expected, abs=1e-6)


def test_the_fewest_tasks_suffice_and_one_fewer_does_not():
    variance = assumed(0.85, 0.8)
    n_tasks = tasks_for_difference(variance, 0.05)
    assert power_with(variance, 0.05, n_tasks) >= 0.8 > power_with(variance, 0.05, n_tasks - 1)


def test_a_pilot_says_what_the_model_says_of_the_data_that_it_was_made_from():
    one, other = experiment([0.85, 0.75], 1000, 0.4, 0.5)
    assert of_pilot(one).per_task == pytest.approx(assumed(0.85, within_task=0.4).per_task, rel=0.15)
    paired = of_pilot(one, other)
    assert (paired.method, paired.n_tasks) == ("delong", 1000)
    assert paired.per_task == pytest.approx(assumed(0.85, 0.75, 0.4, 0.5).per_task, rel=0.15)
    assert of_pilot(one, metric="log_auroc").method == "bootstrap"


def test_a_difference_that_is_too_small_for_any_experiment_is_said_to_be():
    assert tasks_for_difference(assumed(0.8, 0.7), 1e-7) is None


@pytest.mark.parametrize(
    "wrong", [{"auroc": 1.0}, {"auroc": 0.8, "within_task": 1.0}, {"auroc": 0.8, "baseline": 0.0}]
)
def test_what_is_no_area_or_correlation_is_refused(wrong):
    with pytest.raises(ValueError, match="in \\("):
        assumed(**wrong)


def test_a_pilot_without_spread_says_nothing_of_how_many_tasks_are_enough():
    scores, labels = [0.9] * 5 + [0.1] * 5, [1] * 5 + [0] * 5
    variance = of_pilot(data_of(scores, labels, [*range(5), *range(5)]))
    assert not variance.has_spread
    for ask in (tasks_for_width, tasks_for_difference):
        with pytest.raises(ValueError, match="without spread"):
            ask(variance, 0.1)
