"""Numbers that others published or compute: real data of other people, scipy, scikit-learn, statsmodels."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from molehunt.analysis import auroc, cost_line, holm, observe, read_tables, summarise
from molehunt.analysis.intervals import exact_bounds
from molehunt.analysis.published import published
from molehunt.analysis.shares import share
from molehunt.analysis.summary import WITHOUT_INTERVAL
from molehunt.verdicts.prices import PriceTable


@pytest.fixture(scope="module")
def ties():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=300)
    return rng.integers(8, size=300) + labels, labels


def test_somebody_elses_table_of_scores_gives_the_numbers_that_they_published(shared_data):
    folder = shared_data / "authorship-not-sabotage"
    said = json.loads((folder / "published.json").read_text())
    seen = observe(read_tables(folder / "monitor_scores.csv"), PriceTable.load())
    [row] = summarise(seen, filtered=False, replicates=2000).to_dict("records")
    assert row["auroc"] == pytest.approx(said["auroc"], abs=1e-15)
    low, high = said["auroc_ci95_boot_2000_seed0_by_problem"]
    assert row["auroc_low"] == pytest.approx(low, abs=0.01)
    assert row["auroc_high"] == pytest.approx(high, abs=0.01)
    assert row["n_attack"] + row["n_honest"] - row["n_unscored"] == said["n_programs_scored"]
    assert row["n_clusters"] == said["n_pairs"]


def test_the_area_is_that_of_mann_and_whitney_and_of_scikit_learn(ties):
    scores, labels = ties
    u = stats.mannwhitneyu(scores[labels == 1], scores[labels == 0]).statistic
    assert auroc(scores, labels) == pytest.approx(u / ((labels == 1).sum() * (labels == 0).sum()), abs=1e-12)
    assert auroc(scores, labels) == pytest.approx(roc_auc_score(labels, scores), abs=1e-12)
    theirs = roc_auc_score(labels, scores, max_fpr=0.2)
    assert WITHOUT_INTERVAL["mcclish_pauroc20"](scores, labels) == pytest.approx(theirs, abs=1e-12)


def test_bounds_at_the_edges_are_those_of_clopper_and_pearson():
    for n in (3, 20, 400):
        theirs = stats.binomtest(n, n).proportion_ci(0.95, method="exact")
        assert exact_bounds(1.0, n) == pytest.approx((theirs.low, theirs.high))
        assert share([1] * n, range(n))[1:] == pytest.approx((theirs.low, theirs.high))


def test_the_cost_line_is_that_of_scipy():
    rng = np.random.default_rng(1)
    costs = rng.exponential(0.05, 30)
    values = 0.7 + 2 * costs + rng.normal(0, 0.1, 30)
    theirs = stats.linregress(costs, values)
    ours = cost_line([*costs, np.nan], [*values, 0.5])
    assert ours == pytest.approx((theirs.intercept, theirs.slope, theirs.rvalue**2, 30))
    assert np.isnan(cost_line([0.1, 0.1, 0.1], [0.5, 0.6, 0.7]).slope)


def test_holm_is_that_of_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p_values = np.random.default_rng(2).random(12) ** 3
    np.testing.assert_allclose(holm(p_values), multitest.multipletests(p_values, method="holm")[1])


def test_every_published_figure_has_a_source_and_a_grade():
    figures = published()
    assert set(figures["grade"]) == {"A", "B"}
    assert figures["source"].str.contains("arXiv").all()
    [line] = published("mle_sabotage/mlebench").query("metric == 'cost_line'")["value"]
    assert line == {"intercept": 0.708, "slope": 2.348, "r2": 0.389, "n": 30}
