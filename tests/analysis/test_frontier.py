"""The frontier holds what no eligible monitor beats at its price."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from molehunt.analysis import on_frontier

points = st.lists(
    st.tuples(
        st.sampled_from([0.0, 0.1, 0.2, 0.5, np.nan]), st.sampled_from([0.5, 0.7, 0.9, np.nan]), st.booleans()
    ),
    min_size=1,
    max_size=12,
)


@given(points)
def test_a_point_is_on_the_frontier_exactly_if_it_counts_and_none_beats_it(rows):
    found = on_frontier(*zip(*rows, strict=True))
    counts = [counts and not np.isnan([cost, value]).any() for cost, value, counts in rows]
    for place, (cost, value, _) in enumerate(rows):
        beaten = any(
            counts[other]
            and rows[other][0] <= cost
            and rows[other][1] >= value
            and (rows[other][0] < cost or rows[other][1] > value)
            for other in range(len(rows))
        )
        assert found[place] == (counts[place] and not beaten)


def test_an_oracle_neither_stands_on_the_frontier_nor_pushes_others_off_it():
    assert on_frontier([0.0, 0.1], [1.0, 0.8], [False, True]).tolist() == [False, True]


def test_an_unknown_cost_is_not_a_low_one():
    assert on_frontier([np.nan, 0.1], [1.0, 0.8], [True, True]).tolist() == [False, True]
