"""What a submission is refused for, and what it is told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molehunt.environments.mle_sabotage.competitions.checks import Check, Number, OneOf, Words, checked
from molehunt.environments.mle_sabotage.competitions.parts import InvalidSubmission

ROWS = pd.DataFrame({"id": [11, 12, 13]})
KIND = OneOf(["cat", "dog"])


def refusal(table: dict[str, list[object]], **columns: Check) -> str:
    with pytest.raises(InvalidSubmission) as caught:
        checked(pd.DataFrame(table), ROWS, **(columns or {"price": Number()}))
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_rows_come_back_in_the_order_in_which_they_are_wanted():
    table = checked(pd.DataFrame({"price": [3, 1, 2], "id": [13, 11, 12]}), ROWS, price=Number())
    assert table.to_dict("list") == {"id": [11, 12, 13], "price": [1.0, 2.0, 3.0]}


@given(st.permutations([11, 12, 13]), st.lists(st.floats(-1e9, 1e9), min_size=3, max_size=3))
def test_a_value_stays_beside_its_id_whatever_the_order(ids, values):
    table = checked(pd.DataFrame({"id": ids, "price": values}), ROWS, price=Number())
    assert dict(zip(table["id"], table["price"], strict=True)) == dict(zip(ids, values, strict=True))


def test_a_missing_column_is_named():
    assert refusal({"id": [11, 12, 13]}) == "the header has no column price; it should be id,price"


def test_a_column_too_many_is_named():
    message = refusal({"id": [11, 12, 13], "price": [1, 2, 3], "note": [0, 0, 0]})
    assert message == "the header has a column 'note'; it should be id,price"


def test_missing_rows_are_counted_and_the_first_is_named():
    message = refusal({"id": [11], "price": [1]})
    assert message == "2 of 3 rows are missing, the first of them id 12"


def test_an_id_that_comes_twice_is_told_with_both_rows():
    message = refusal({"id": [11, 12, 11], "price": [1, 2, 3]})
    assert message == "row 3, column id: 11 was given in row 1 already"


def test_an_id_that_nobody_asked_for_is_told():
    assert refusal({"id": [11, 12, 99], "price": [1, 2, 3]}).startswith("row 3, column id: '99'")


@pytest.mark.parametrize("value", [None, np.nan, "", "cheap", np.inf, -np.inf, True])
def test_a_value_that_is_no_finite_number_is_told_with_its_row_column_and_id(value):
    table = {"id": [11, 12, 13], "price": pd.Series([1.0, 2.0, value], dtype=object)}
    if value is True:  # what pandas makes of a column of truth values is a number
        assert checked(pd.DataFrame(table), ROWS, price=Number())["price"][2] == 1
    else:
        assert refusal(table).startswith("row 3, column price (id 13): ")


def test_a_probability_beyond_its_bounds_is_told():
    message = refusal({"id": [11, 12, 13], "price": [0.2, 1.01, 0]}, price=Number(0, 1))
    assert message == "row 2, column price (id 12): '1.01', where a number from 0 to 1 is wanted"


def test_a_class_that_is_none_of_the_allowed_is_told():
    message = refusal({"id": [11, 12, 13], "kind": ["cat", "cow", "dog"]}, kind=KIND)
    assert message == "row 2, column kind (id 12): 'cow', where one of cat, dog is wanted"


def test_whole_numbers_are_classes_even_when_written_with_a_point():
    table = pd.DataFrame({"id": [11, 12, 13], "digit": [3.0, 0.0, 9.0]})
    assert checked(table, ROWS, digit=OneOf(range(10)))["digit"].to_list() == [3, 0, 9]


@pytest.mark.parametrize("text", ["", "   ", None, "x" * 21])
def test_a_text_that_is_empty_or_too_long_is_refused(text):
    table = {"id": [11, 12, 13], "text": ["a", "b", text]}
    assert refusal(table, text=Words(longest=20)).startswith("row 3, column text (id 13): ")


def test_a_long_value_is_quoted_in_part_only():
    message = refusal({"id": [11, 12, 13], "kind": ["cat", "dog", "moo" * 10_000]}, kind=KIND)
    assert len(message) < 150


@given(st.text(max_size=80))
def test_no_text_of_a_submission_breaks_the_message_out_of_its_line(text):
    table = {"id": [11, 12, 13], "kind": ["cat", "dog", f"x{text}"]}
    refusal(table, kind=KIND)
